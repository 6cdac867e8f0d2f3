import { joinUrl, parseBaseUrl } from "../aggregator/base-url.ts";
import type { Decoder } from "../aggregator/decoders/decode.ts";
import { mismatchFailure } from "../aggregator/decoders/decode.ts";
import type { Decoded } from "../aggregator/decoders/index.ts";
import { decoders } from "../aggregator/decoders/index.ts";
import type { EndpointName, ReadEndpoint } from "../aggregator/endpoints.ts";
import { READ_ENDPOINTS } from "../aggregator/endpoints.ts";
import type { WireProfile } from "../aggregator/profile.ts";
import { buildRequest } from "../aggregator/request.ts";
import type { Args } from "../aggregator/request.ts";
import type { ActionCall, ActionReply } from "../domain/action.ts";
import type { Failure, HttpReply, HttpRequest, Purpose } from "../domain/http.ts";
import type { Result } from "../domain/result.ts";
import { fail, succeed } from "../domain/result.ts";
import type { Clock, Instant } from "../domain/time.ts";
import { outcomeOf } from "./act-outcome.ts";
import type { Auth, Credential } from "./credentials.ts";
import { credentialOf, redactor } from "./credentials.ts";
import type { Outgoing, Sender, SendFailure, Timeouts } from "./http-send.ts";
import { createSender } from "./http-send.ts";
import { parseJsonBody } from "./json-body.ts";
import { gateProblem } from "./last-gate.ts";
import type { Rate } from "./rate-limit.ts";
import { createLane, PRIORITY } from "./rate-limit.ts";
import type { Retries } from "./read-retry.ts";
import { retryRead } from "./read-retry.ts";
import { failureOfReply, isSuccess } from "./reply-failure.ts";
import type { WireMap } from "./wire-map.ts";
import { compileWireMap } from "./wire-map.ts";

export type TransportSettings = {
  readonly baseUrl: string;
  readonly auth: { readonly read: Auth; readonly act: Auth };
  readonly rate: Rate;
  readonly timeouts: Timeouts;
  readonly maxBodyBytes: number;
  readonly retries: Retries;
};

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

export type Transport = {
  /** Asks, and gives the decoded reply. Never throws. */
  readonly read: <Name extends ReadEndpoint>(
    endpoint: Name,
    args: Args,
    options: ReadOptions,
  ) => Promise<Result<Decoded[Name], Failure>>;
  /** Sends an action, once. Never throws, and never sends again. */
  readonly act: (
    call: ActionCall,
    options: { readonly signal: AbortSignal },
  ) => Promise<ActionReply>;
  /** Gives up what is under way, and closes the connections. */
  readonly close: () => void;
};

/**
 * Makes the only way by which aggwatch reaches an aggregator. Settings that cannot be used throw:
 * the config checks them first, with `parseBaseUrl` and `credentialOf`.
 */
export function createTransport(dependencies: {
  readonly settings: TransportSettings;
  readonly profile: WireProfile;
  readonly clock: Clock;
  /** Of 0 to less than 1; for the jitter. */
  readonly random: () => number;
}): Transport {
  const { settings, profile, clock, random } = dependencies;
  const base = demand(parseBaseUrl(settings.baseUrl), "base_url");
  const credentials: Readonly<Record<Purpose, Credential>> = {
    read: demand(credentialOf(settings.auth.read), "auth.read"),
    act: demand(credentialOf(settings.auth.act), "auth.act"),
  };
  const redact = redactor([...credentials.read.secrets, ...credentials.act.secrets]);
  const { timeouts, maxBodyBytes, rate } = settings;
  const senders: Readonly<Record<Purpose, Sender>> = {
    read: createSender({ timeouts, maxBodyBytes, connections: rate.concurrency, keepAlive: true }),
    act: createSender({ timeouts, maxBodyBytes, connections: rate.concurrency, keepAlive: false }),
  };
  const lane = createLane(rate);
  const maps = compileMaps(profile);
  const closing = new AbortController();

  const sendOnce = async (
    purpose: Purpose,
    request: HttpRequest,
    signal: AbortSignal,
    turn: { readonly priority: 0 | 5 | 10; readonly onSent: (at: Instant) => void },
  ): Promise<Result<HttpReply, SendFailure>> => {
    const outgoing = prepare(request, base, credentials[purpose], purpose);
    if (!outgoing.ok) return outgoing;
    const either = AbortSignal.any([signal, closing.signal]);
    let hasStarted = false;
    try {
      return await lane.run(
        () => {
          hasStarted = true;
          turn.onSent(clock.now());
          return senders[purpose].send(outgoing.value, either);
        },
        { priority: turn.priority, signal: either },
      );
    } catch (error) {
      if (either.aborted) {
        const message = hasStarted ? "given up before it ended" : "given up before it was sent";
        return fail({ reason: "cancelled", message, neverSent: !hasStarted });
      }
      const message = `a bug: ${error instanceof Error ? error.name : "unknown"}`;
      return fail({ reason: "internal", message, neverSent: !hasStarted });
    }
  };

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
        const sent = await sendOnce("read", request.value, options.signal, turn);
        if (!sent.ok) return fail({ reason: sent.problem.reason, message: sent.problem.message });
        if (isSuccess(sent.value.status, profile[name].success)) return sent;
        return fail(failureOfReply(sent.value, clock.now()));
      };
      const reply = await retryRead(ask, {
        retries: settings.retries,
        signal: AbortSignal.any([options.signal, closing.signal]),
        deadlineAt: options.deadlineAt,
        clock,
        random,
      });
      if (!reply.ok) return fail(show(reply.problem, name));
      const decoder = decoders[name] as Decoder<Decoded[typeof name]>;
      const decoded = await decodeBody(name, reply.value.body, maps.get(name), decoder);
      return decoded.ok ? decoded : fail(show(decoded.problem, name));
    },
    act: async (call, { signal }) => {
      const request = buildRequest(profile, call.endpoint, call.args);
      if (!request.ok)
        return { outcome: "rejected", detail: `never sent: ${redact(request.problem.message)}` };
      const turn = { priority: PRIORITY.act, onSent: () => undefined };
      const sent = await sendOnce("act", request.value, signal, turn);
      const outcome = outcomeOf(sent, profile[call.endpoint].success, clock.now());
      return { outcome: outcome.outcome, detail: redact(outcome.detail).slice(0, 400) };
    },
    close: () => {
      closing.abort();
      senders.read.close();
      senders.act.close();
    },
  };
}

function demand<Value>(result: Result<Value, string>, setting: string): Value {
  if (result.ok) return result.value;
  throw new Error(`${setting} ${result.problem}`);
}

function compileMaps(profile: WireProfile): ReadonlyMap<ReadEndpoint, WireMap> {
  return new Map(
    READ_ENDPOINTS.flatMap((name): [ReadEndpoint, WireMap][] => {
      const { map } = profile[name];
      return map === undefined ? [] : [[name, compileWireMap(map)]];
    }),
  );
}

/** Puts everything on a request, and asks the gate whether it may leave. */
function prepare(
  request: HttpRequest,
  base: URL,
  credential: Credential,
  purpose: Purpose,
): Result<Outgoing, SendFailure> {
  const url = joinUrl(base, request.path, request.query);
  const problem = gateProblem(request.method, url, base, purpose);
  if (problem !== undefined)
    return fail({ reason: "internal", message: `refused: ${problem}`, neverSent: true });
  const own = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const hasBody = request.body !== undefined;
  return succeed({
    method: request.method as Outgoing["method"],
    url,
    headers: {
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...(Object.fromEntries(own) as Record<string, string>),
      ...credential.headers,
    },
    body: hasBody ? JSON.stringify(request.body) : undefined,
  });
}

async function decodeBody<Value>(
  name: ReadEndpoint,
  body: string,
  map: WireMap | undefined,
  decoder: Decoder<Value>,
): Promise<Result<Value, Failure>> {
  const json = parseJsonBody(body);
  if (!json.ok) return json;
  const mapped = map === undefined ? json : await map(json.value);
  if (!mapped.ok) return fail({ reason: "mismatch", message: mapped.problem });
  const decoded = decoder(mapped.value);
  return decoded.ok ? decoded : fail(mismatchFailure(name, decoded.problem));
}
