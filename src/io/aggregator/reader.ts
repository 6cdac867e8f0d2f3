import type { MalformedEntries } from "../../aggregator/decoding/malformed-entries.ts";
import { doubtOfHeaders } from "../../aggregator/decoding/partial-marks.ts";
import type { Decoded, ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import type { Args } from "../../aggregator/endpoints/definition.ts";
import { buildRequest } from "../../aggregator/request.ts";
import type { Failure, HttpReply, HttpRequest } from "../../domain/http.ts";
import type { Doubt } from "../../domain/observation.ts";
import type { RawReply } from "../../domain/reply.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Clock, Instant } from "../../domain/time.ts";
import { createSharedLinks } from "../http/linked-signal.ts";
import type { Retries } from "../http/read-retry.ts";
import { retryRead } from "../http/read-retry.ts";
import { failureOfReply, isSuccess } from "../http/reply-failure.ts";
import { conditionOf, createCache, type Cache, type CachedBody, type Unchanged } from "./cache.ts";
import { compileWireMaps, decodeBody, type BodyForm } from "./decode-body.ts";
import type { Limiter } from "./limiter.ts";
import { PRIORITY } from "./slots.ts";
import { createReadings, type Readings } from "./readings.ts";
import { PAUSED, type RequestSender } from "./request-sender.ts";

export type ReadOptions = {
  readonly signal: AbortSignal;
  /** A probe goes before polls, and always requests the whole body; a poll is the default. */
  readonly origin?: "poll" | "probe";
  /** A retry that could not end before this does not begin. */
  readonly deadlineAt?: Instant;
  /** Whether a dropped value need not be read again, because the reading made of it is known. */
  readonly isRead?: ((value: unknown) => boolean) | undefined;
  /** Called each time the request leaves, after its wait for a slot. */
  readonly onSent?: (at: Instant) => void;
};

/** A decoded reply, with the entries that were left out and a doubt, or why there is none. */
export type Read<Value> = Result<Value, Failure> & {
  readonly malformed?: MalformedEntries;
  readonly doubt?: Doubt | undefined;
};

export type Reader = {
  /**
   * Reads an endpoint, with retries. The same body gives the same value, or its sign, if the value was dropped and
   * `isRead` allows that. Never throws.
   */
  readonly read: <Name extends ReadEndpoint>(
    endpoint: Name,
    args: Args,
    options: ReadOptions,
  ) => Promise<Read<Decoded[Name]>>;
  /**
   * Sends the request of an endpoint once, for its raw reply: no retry, no cache. Never throws. A `profile` is for this
   * request alone, instead of the client's own.
   */
  readonly request: (
    endpoint: ReadEndpoint,
    args: Args,
    options: ReadOptions & { readonly profile?: WireProfile },
  ) => Promise<Result<HttpReply, Failure>>;
  /** Reads whose body was the same as before, since the start. */
  readonly unchanged: () => Unchanged;
  /** The readings that pollers made of the replies. */
  readonly readings: Readings;
};

/** Called with each reply that has a body; the reader does not know its aggregator. */
export type KeepReply = (reply: Omit<RawReply, "aggregator">) => void;

type ReaderParts = {
  readonly settings: { readonly retries: Retries; readonly conditionalReads: boolean };
  readonly profile: WireProfile;
  readonly clock: Clock;
  readonly random: () => number;
  readonly keepReply?: KeepReply | undefined;
  readonly sender: Pick<RequestSender, "send" | "redactor">;
  readonly limiter: Pick<Limiter, "pausedUntil">;
  readonly closed: AbortSignal;
};

/** A request to read, with the last reply to it, if that is cached. */
type Query = BodyForm & {
  readonly args: Args;
  readonly request: HttpRequest;
  readonly isProbe: boolean;
  readonly key: string;
  readonly known: CachedBody | undefined;
  /** Its `If-None-Match`. */
  readonly condition: string | undefined;
};

export function createReader(given: ReaderParts): Reader {
  const parts = { ...given, link: createSharedLinks(given.closed) };
  const { clock, sender, settings } = parts;
  const maps = compileWireMaps(parts.profile);
  const cache = createCache();

  const valueOf = async (query: Query, reply: HttpReply): Promise<Read<unknown>> => {
    const { endpoint, ignore, key, known, isProbe } = query;
    const received = { ...reply, at: clock.now(), isProbe };
    const isWhole =
      known !== undefined && doubtOfHeaders(reply, known.decoded.entries, ignore) === undefined;
    if (isWhole && cache.recognise(key, known, received)) {
      if (reply.status !== 304) keep(query, reply, undefined, parts);
      return known.decoded;
    }
    const decoded = await decodeBody(query, reply.body, maps.get(endpoint), sender.redactor);
    keep(query, reply, decoded.ok ? undefined : decoded.problem.failure, parts);
    if (!decoded.ok) return fail(decoded.problem.failure);
    const doubt = doubtOfHeaders(reply, decoded.entries, ignore);
    // The tag of a part must not stand for a whole body later.
    if (doubt === undefined) cache.store(key, decoded, received);
    return doubt === undefined ? decoded : { ...decoded, doubt };
  };

  const read = async (query: Query, options: ReadOptions): Promise<Read<unknown>> => {
    if (query.isProbe) cache.expectBody(query.key);
    const reply = await sendWithRetries(query, options, settings.retries, parts);
    return reply.ok ? await valueOf(query, reply.value) : reply;
  };

  return {
    read: async (endpoint, args, options) => {
      const query = queryOf(endpoint, args, options, cache, parts);
      const answer = query.ok ? await read(query.value, options) : query;
      // The endpoint's own decoder made the value, now or before.
      if (answer.ok) return answer as Read<Decoded[typeof endpoint]>;
      const message = sender.redactor.redact(answer.problem.message).slice(0, 400);
      return fail({ ...answer.problem, endpoint, message });
    },
    request: async (endpoint, args, { profile = parts.profile, ...options }) => {
      const own = { ...parts, profile };
      const query = queryOf(endpoint, args, { ...options, origin: "probe" }, cache, own);
      return query.ok
        ? await sendWithRetries(query.value, options, { ...settings.retries, limit: 0 }, own)
        : query;
    },
    unchanged: cache.unchanged,
    readings: createReadings(cache.spend),
  };
}

function queryOf(
  endpoint: ReadEndpoint,
  args: Args,
  { origin, isRead }: ReadOptions,
  cache: Cache,
  { profile, settings, clock }: ReaderParts,
): Result<Query, Failure> {
  const request = buildRequest(profile, endpoint, args);
  if (!request.ok) return request;
  // `join` makes one flat text, which takes less memory while it is kept.
  const key = [endpoint, JSON.stringify(args)].join(" ");
  const cached = cache.get(key);
  // If a dropped value must be read in another way now, its body is needed again.
  const isKnown = cached?.isSpent !== true || isRead?.(cached.decoded.value) === true;
  const known = isKnown ? cached : undefined;
  const isProbe = origin === "probe";
  const mayCondition = settings.conditionalReads && !isProbe && request.value.method === "GET";
  const condition = mayCondition ? conditionOf(known, clock.now()) : undefined;
  const { instants, ignore } = profile[endpoint];
  return succeed({
    endpoint,
    instants,
    ignore,
    args,
    request: request.value,
    isProbe,
    key,
    known,
    before: known?.decoded.items,
    condition,
  });
}

async function sendWithRetries(
  query: Query,
  options: ReadOptions,
  retries: Retries,
  parts: ReaderParts & { readonly link: ReturnType<typeof createSharedLinks> },
): Promise<Result<HttpReply, Failure>> {
  const { signal, unlink } = parts.link(options.signal);
  const linked = { ...options, signal };
  try {
    return await retryRead(() => send(query, linked, parts), { ...parts, ...linked, retries });
  } finally {
    unlink();
  }
}

/** Sends the request once. A 304 is valid only for a conditional request; otherwise it is as wrong as any redirect. */
async function send(
  query: Query,
  { signal, onSent }: ReadOptions,
  parts: ReaderParts,
): Promise<Result<HttpReply, Failure>> {
  const { profile, clock, sender, limiter } = parts;
  const { endpoint, request, condition, isProbe } = query;
  const conditional = condition === undefined ? {} : { "if-none-match": condition };
  const sent = await sender.send(
    { ...request, headers: { ...request.headers, ...conditional } },
    {
      purpose: "read",
      priority: isProbe ? PRIORITY.probe : PRIORITY.poll,
      endpoint,
      signal,
      onSent,
    },
  );
  if (sent.ok) {
    const reply = sent.value;
    const isNotModified = condition !== undefined && reply.status === 304;
    if (isNotModified || isSuccess(reply.status, profile[endpoint].success)) return succeed(reply);
    const failure = failureOfReply(reply, clock.now(), sender.redactor.redact);
    keep(query, reply, failure, parts);
    return fail(failure);
  }
  if (sent.problem === PAUSED) return fail(notAsked(limiter.pausedUntil(endpoint), clock.now()));
  return fail({ reason: sent.problem.reason, message: sent.problem.message });
}

/** Keeps a reply for people, with the reason if it could not be read. */
function keep(
  { endpoint, args }: Query,
  { status, body }: HttpReply,
  failure: Failure | undefined,
  {
    sender: {
      redactor: { redact },
    },
    clock,
    keepReply,
  }: ReaderParts,
): void {
  keepReply?.({
    at: clock.now(),
    endpoint,
    args: JSON.stringify(args),
    status,
    failure: failure && redact(`${failure.reason}: ${failure.message}`).slice(0, 400),
    body: redact(body),
  });
}

/** The failure looks like the aggregator's own 429, so that callers wait in the same way. */
function notAsked(until: Instant = 0, now: Instant): Failure {
  const retryAfterMs = Math.max(0, until - now);
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const message = `not asked: the aggregator wants to be left alone for ${seconds} s more`;
  return { reason: "status", status: 429, message, retryAfterMs };
}
