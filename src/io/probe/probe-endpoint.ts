import type { ReadEndpoint, Reply } from "../../aggregator/endpoints/index.ts";
import type { Mismatch } from "../../aggregator/decoding/decode.ts";
import { doubtOfHeaders } from "../../aggregator/decoding/partial-marks.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import type { Args } from "../../aggregator/endpoints/definition.ts";
import { buildRequest } from "../../aggregator/request.ts";
import type { Failure, HttpRequest } from "../../domain/http.ts";
import type { Json } from "../../domain/result.ts";
import type { Clock, Millis } from "../../domain/time.ts";
import type { Client } from "../aggregator/client.ts";
import { compileWireMap, decodeBody, withoutSecrets } from "../aggregator/decode-body.ts";
import { parseJsonBody } from "../http/json-body.ts";
import type { Redactor } from "../redact/redactor.ts";
import { adviceFor } from "./advice.ts";
import { entriesOf } from "./body.ts";

/** The result of requesting one endpoint once. */
export type Probed = {
  readonly endpoint: ReadEndpoint;
  /** Method and path, with the base URL's own path. */
  readonly request: string;
  readonly outcome: "read" | "failed";
  readonly status?: number;
  readonly latencyMs?: Millis;
  /** The entries of the decoded reply, if it is a listing; else one. */
  readonly entries?: number;
  readonly reply?: Reply;
  readonly failure?: Failure;
  readonly mismatch?: Mismatch;
  /** The setting to change. */
  readonly advice?: string;
  /** The body, without secrets. */
  readonly json?: Json;
};

export type ProbeWorld = {
  readonly client: Pick<Client, "request" | "redactor">;
  readonly profile: WireProfile;
  /** The same profile with another `api_prefix`; undefined if that is invalid. If absent, no prefix is looked for. */
  readonly profileAt?: (apiPrefix: string) => WireProfile | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** Requests an endpoint once, without retries, as a poll's first try would. Never throws. */
export async function probeEndpoint(
  endpoint: ReadEndpoint,
  args: Args,
  { client, profile, clock, signal }: ProbeWorld,
): Promise<Probed> {
  const { map, ignore, instants } = profile[endpoint];
  const built = buildRequest(profile, endpoint, args);
  const request = built.ok
    ? client.redactor.redact(`${built.value.method} ${pathOf(built.value)}`)
    : "";
  const failed = (failure: Failure, rest: Partial<Probed> = {}): Probed => ({
    endpoint,
    request,
    outcome: "failed",
    ...(failure.status === undefined ? {} : { status: failure.status }),
    failure: { ...failure, endpoint, message: client.redactor.redact(failure.message) },
    advice: adviceFor(endpoint, failure, map !== undefined),
    ...rest,
  });
  if (!built.ok) return failed(built.problem);
  let sentAt = clock.now();
  const onSent = (at: number): void => {
    sentAt = at;
  };
  const reply = await client.request(endpoint, args, { signal, onSent, profile });
  const latencyMs = clock.now() - sentAt;
  if (!reply.ok) return failed(reply.problem, { latencyMs });
  const { status, body } = reply.value;
  const wireMap = map === undefined ? undefined : compileWireMap(map);
  const decoded = await decodeBody({ endpoint, instants, ignore }, body, wireMap, client.redactor);
  if (!decoded.ok) {
    const { failure, mismatch } = decoded.problem;
    return failed(failure, {
      status,
      latencyMs,
      ...(mismatch === undefined ? {} : { mismatch }),
      ...jsonOf(body, client.redactor),
    });
  }
  const value = decoded.value as Json;
  const { malformed } = decoded;
  const doubt = doubtOfHeaders(reply.value, decoded.entries, ignore) ?? decoded.doubt;
  return {
    endpoint,
    request,
    outcome: "read",
    status,
    latencyMs,
    reply: { endpoint, value, ...(malformed && { malformed }), doubt } as Reply,
    entries: entriesOf(value).length,
    ...jsonOf(body, client.redactor),
  };
}

function jsonOf(body: string, redactor: Redactor): { readonly json?: Json } {
  const json = parseJsonBody(body);
  return json.ok ? { json: withoutSecrets(json.value, body, redactor) } : {};
}

function pathOf({ path, query }: HttpRequest): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}
