import { decoders, type Reply } from "../../aggregator/decoders/index.ts";
import { mismatchFailure, type Mismatch } from "../../aggregator/decoders/decode.ts";
import type { ReadEndpoint } from "../../aggregator/endpoints.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import { buildRequest, type Args } from "../../aggregator/request.ts";
import type { Failure, HttpReply } from "../../domain/http.ts";
import { fail, succeed, type Json, type Result } from "../../domain/result.ts";
import type { Clock, Millis } from "../../domain/time.ts";
import type { Client } from "../aggregator/client.ts";
import { parseJsonBody } from "../http/json-body.ts";
import { PRIORITY } from "../http/limiter.ts";
import { failureOfReply, isSuccess } from "../http/reply-failure.ts";
import { compileWireMap } from "../aggregator/wire-map.ts";
import { adviceFor } from "./advice.ts";
import { suggestMap, type Reads } from "./suggest-map.ts";

/** What came of asking one endpoint once. */
export type Probed = {
  readonly endpoint: ReadEndpoint;
  /** Method and path, with the base URL's own path. */
  readonly request: string;
  readonly outcome: "read" | "failed";
  readonly status?: number;
  readonly latencyMs?: Millis;
  /** The entries of the decoded reply, where it is a listing; one where it is not. */
  readonly entries?: number;
  readonly reply?: Reply;
  readonly failure?: Failure;
  readonly mismatch?: Mismatch;
  /** The setting to change. */
  readonly advice?: string;
  /** A `wire.<endpoint>.map` that would read this body, for a person to check. */
  readonly map?: string;
};

export type ProbeWorld = {
  readonly client: Pick<Client, "carry" | "redact">;
  readonly profile: WireProfile;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** Asks once, with no retries: what a poll would get at its first try. Never throws. */
export async function askOnce(
  endpoint: ReadEndpoint,
  args: Args,
  world: ProbeWorld,
): Promise<Probed> {
  const { client, profile, clock, signal } = world;
  const built = buildRequest(profile, endpoint, args);
  const { map } = profile[endpoint];
  const failed = (request: string, failure: Failure, rest: Partial<Probed> = {}): Probed => ({
    endpoint,
    request,
    outcome: "failed",
    failure: { ...failure, message: client.redact(failure.message) },
    advice: adviceFor(endpoint, failure, map !== undefined),
    ...rest,
  });
  if (!built.ok) return failed("", built.problem);
  const request = client.redact(`${built.value.method} ${pathOf(built.value)}`);
  let sentAt = clock.now();
  const onSent = (at: number): void => {
    sentAt = at;
  };
  const turn = { priority: PRIORITY.poll, onSent };
  const sent = await client.carry("read", built.value, signal, turn);
  const latencyMs = clock.now() - sentAt;
  if (!sent.ok) return failed(request, sent.problem, { latencyMs });
  const { status } = sent.value;
  if (!isSuccess(status, profile[endpoint].success)) {
    const failure = failureOfReply(sent.value, clock.now(), client.redact);
    return failed(request, failure, { status, latencyMs });
  }
  const read = await readReply(endpoint, sent.value, map, client.redact);
  if (!read.ok)
    return failed(request, read.problem.failure, { status, latencyMs, ...read.problem });
  const { value } = read;
  return { endpoint, request, outcome: "read", status, latencyMs, ...value };
}

type Misread = { readonly failure: Failure; readonly mismatch?: Mismatch; readonly map?: string };

async function readReply(
  endpoint: ReadEndpoint,
  { body }: HttpReply,
  map: string | undefined,
  redact: (text: string) => string,
): Promise<Result<Pick<Probed, "reply" | "entries">, Misread>> {
  const json = parseJsonBody(body);
  if (!json.ok) return fail({ failure: json.problem });
  const mapped = map === undefined ? json : await compileWireMap(map)(json.value);
  const reads: Reads = decoders[endpoint];
  const suggestion = async (): Promise<{ map?: string }> => {
    const found = await suggestMap(json.value, reads);
    return found === undefined ? {} : { map: found };
  };
  if (!mapped.ok) {
    const failure = { reason: "mismatch" as const, message: mapped.problem };
    return fail({ failure, ...(await suggestion()) });
  }
  const decoded = reads(mapped.value);
  if (decoded.ok) {
    const reply = { endpoint, value: decoded.value } as Reply;
    return succeed({ reply, entries: entriesOf(decoded.value as Json) });
  }
  // A piece of the body that was cut inside a credential could not be redacted any more.
  const mismatch =
    redact(body) === body
      ? decoded.problem
      : { ...decoded.problem, received: "not shown, as the body repeats a credential" };
  return fail({
    failure: mismatchFailure(endpoint, mismatch),
    mismatch,
    ...(await suggestion()),
  });
}

function entriesOf(value: Json): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value !== "object" || value === null) return 1;
  const lists = Object.values(value).filter((item) => Array.isArray(item));
  return lists.length === 0 ? 1 : lists.reduce((sum, list) => sum + list.length, 0);
}

function pathOf({
  path,
  query,
}: {
  path: string;
  query: Readonly<Record<string, string>>;
}): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}
