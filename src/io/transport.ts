import { mismatchFailure } from "../aggregator/decoders/decode.ts";
import type { Decoded } from "../aggregator/decoders/index.ts";
import { decoders } from "../aggregator/decoders/index.ts";
import type { OddEntries, SiftingDecoder } from "../aggregator/decoders/odd-entries.ts";
import type { EndpointName, ReadEndpoint } from "../aggregator/endpoints.ts";
import { READ_ENDPOINTS } from "../aggregator/endpoints.ts";
import type { WireProfile } from "../aggregator/profile.ts";
import type { Args } from "../aggregator/request.ts";
import { buildRequest } from "../aggregator/request.ts";
import type { ActionCall, ActionReply } from "../domain/action.ts";
import type { Failure, HttpReply } from "../domain/http.ts";
import type { Result } from "../domain/result.ts";
import { fail } from "../domain/result.ts";
import type { Clock, Instant } from "../domain/time.ts";
import { outcomeOf } from "./act-outcome.ts";
import type { CourierSettings } from "./courier.ts";
import { createCourier } from "./courier.ts";
import type { CreateSender } from "./http-send.ts";
import { parseJsonBody } from "./json-body.ts";
import { linkSignals } from "./linked-signal.ts";
import { PRIORITY } from "./rate-limit.ts";
import type { Retries } from "./read-retry.ts";
import { retryRead } from "./read-retry.ts";
import { failureOfReply, isSuccess } from "./reply-failure.ts";
import type { WireMap } from "./wire-map.ts";
import { compileWireMap } from "./wire-map.ts";

export type TransportSettings = CourierSettings & { readonly retries: Retries };

/** Everything but the base URL has a default; the figures are those of docs/aggregator.md. */
export const DEFAULT_TRANSPORT = {
  auth: { read: { type: "none" }, act: { type: "none" } },
  rate: { requestsPerSecond: 50, concurrency: 16 },
  timeouts: { connectMs: 3_000, responseMs: 8_000, requestMs: 10_000 },
  maxBodyBytes: 5_000_000,
  retries: { limit: 2, firstDelayMs: 250, longestDelayMs: 5_000 },
} as const satisfies Omit<TransportSettings, "baseUrl">;

export type ReadOptions = {
  readonly signal: AbortSignal;
  /** A probe goes before polls; a poll is the default. */
  readonly origin?: "poll" | "probe";
  /** No retry begins that could not end before it. */
  readonly deadlineAt?: Instant;
  /** Called each time the request really leaves, after it has waited for its turn. */
  readonly onSent?: (at: Instant) => void;
};

/** A decoded reply, with the entries that were left out of it, or why there is none. */
export type Read<Value> = Result<Value, Failure> & { readonly odd?: OddEntries };

export type Transport = {
  /** Asks, and gives the decoded reply. Never throws. */
  readonly read: <Name extends ReadEndpoint>(
    endpoint: Name,
    args: Args,
    options: ReadOptions,
  ) => Promise<Read<Decoded[Name]>>;
  /** Sends an action, once. Never throws, and never sends again. */
  readonly act: (
    call: ActionCall,
    options: { readonly signal: AbortSignal },
  ) => Promise<ActionReply>;
  /** Gives up what is under way, and closes the connections. */
  readonly close: () => void;
};

/** An action whose turn has not come by then is not sent: what justified it grows old. */
const ACTION_WAITS_AT_MOST_MS = 5_000;

export type TransportParts = {
  readonly settings: TransportSettings;
  readonly profile: WireProfile;
  readonly clock: Clock;
  /** Of 0 to less than 1; for the jitter. */
  readonly random: () => number;
  /** What puts requests on the wire; by default got does. */
  readonly createSender?: CreateSender;
};

/** Makes the only way by which aggwatch reaches an aggregator. Throws as `createCourier` does. */
export function createTransport(parts: TransportParts): Transport {
  const { settings, profile, clock, random, createSender } = parts;
  const courier = createCourier(settings, clock, createSender);
  const { redact } = courier;
  const maps = compileMaps(profile);
  const show = (failure: Failure, endpoint: EndpointName): Failure => ({
    ...failure,
    endpoint,
    message: redact(failure.message).slice(0, 400),
  });
  return {
    read: async (name, args, options) => {
      const request = buildRequest(profile, name, args);
      if (!request.ok) return fail(show(request.problem, name));
      const turn = {
        priority: options.origin === "probe" ? PRIORITY.probe : PRIORITY.poll,
        onSent: options.onSent ?? (() => undefined),
      };
      const ask = async (): Promise<Result<HttpReply, Failure>> => {
        const sent = await courier.carry("read", request.value, options.signal, turn);
        if (!sent.ok) return fail({ reason: sent.problem.reason, message: sent.problem.message });
        if (isSuccess(sent.value.status, profile[name].success)) return sent;
        return fail(failureOfReply(sent.value, clock.now(), redact));
      };
      const link = linkSignals(options.signal, courier.closed);
      const reply = await retryRead(ask, {
        retries: settings.retries,
        signal: link.signal,
        deadlineAt: options.deadlineAt,
        clock,
        random,
      }).finally(link.unlink);
      if (!reply.ok) return fail(show(reply.problem, name));
      const decoder = decoders[name] as SiftingDecoder<Decoded[typeof name]>;
      const decoded = await decodeBody(name, reply.value.body, maps.get(name), decoder);
      if (decoded.ok) return withoutEcho(decoded, reply.value.body, redact);
      return fail(show(withoutCredential(decoded.problem, reply.value.body, redact), name));
    },
    act: async (call, { signal }) => {
      const request = buildRequest(profile, call.endpoint, call.args);
      if (!request.ok)
        return { outcome: "rejected", detail: `never sent: ${redact(request.problem.message)}` };
      const sent = await courier.carry("act", request.value, signal, {
        priority: PRIORITY.act,
        onSent: () => undefined,
        waitAtMostMs: ACTION_WAITS_AT_MOST_MS,
      });
      const success = profile[call.endpoint].success;
      const { outcome, detail } = outcomeOf(sent, success, clock.now(), redact);
      return { outcome, detail: redact(detail).slice(0, 400) };
    },
    close: courier.close,
  };
}

/** An odd name may repeat a credential, cut so that it could not be redacted any more. */
function withoutEcho<Value>(
  read: Read<Value> & { readonly ok: true },
  body: string,
  redact: (text: string) => string,
): Read<Value> {
  if (read.odd === undefined || redact(body) === body) return read;
  return { ...read, odd: { ...read.odd, shown: ["not shown, as the body repeats a credential"] } };
}

function compileMaps(profile: WireProfile): ReadonlyMap<ReadEndpoint, WireMap> {
  return new Map(
    READ_ENDPOINTS.flatMap((name): [ReadEndpoint, WireMap][] => {
      const { map } = profile[name];
      return map === undefined ? [] : [[name, compileWireMap(map)]];
    }),
  );
}

async function decodeBody<Value>(
  name: ReadEndpoint,
  body: string,
  map: WireMap | undefined,
  decoder: SiftingDecoder<Value>,
): Promise<Read<Value>> {
  const json = parseJsonBody(body);
  if (!json.ok) return json;
  const mapped = map === undefined ? json : await map(json.value);
  if (!mapped.ok) return fail({ reason: "mismatch", message: mapped.problem });
  const decoded = decoder(mapped.value);
  return decoded.ok ? decoded : fail(mismatchFailure(name, decoded.problem));
}

/** A piece of the body that was cut inside a credential could not be redacted any more. */
function withoutCredential(
  failure: Failure,
  body: string,
  redact: (text: string) => string,
): Failure {
  if (redact(body) === body) return failure;
  return { ...failure, message: "the body repeats a credential, and is not shown" };
}
