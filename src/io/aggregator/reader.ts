import type { MalformedEntries } from "../../aggregator/decoding/malformed-entries.ts";
import { doubtOfHeaders } from "../../aggregator/decoding/partial-marks.ts";
import type { Decoded, ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import type { Args } from "../../aggregator/endpoints/definition.ts";
import { buildRequest } from "../../aggregator/request.ts";
import type { Failure, HttpReply } from "../../domain/http.ts";
import type { Doubt } from "../../domain/observation.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { createSharedLinks } from "../http/linked-signal.ts";
import { conditionOf, createCache, type Cache, type CachedBody, type Unchanged } from "./cache.ts";
import { compileWireMaps, decodeBody } from "./decode-body.ts";
import { createReadings, type Readings } from "./readings.ts";
import {
  keep,
  sendWithRetries,
  type Query,
  type ReadOptions,
  type ReadParts,
} from "./send-read.ts";

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

export function createReader(given: ReadParts): Reader {
  const parts = { ...given, link: createSharedLinks(given.closed) };
  const { clock, sender, settings } = parts;
  const maps = compileWireMaps(parts.profile);
  const cache = createCache();
  const codes = createCodes();
  const kept = { cache, codes };

  const valueOf = async (query: Query, reply: HttpReply): Promise<Read<unknown>> => {
    const { endpoint, ignore, key, known, isProbe } = query;
    const received = { ...reply, at: clock.now(), isProbe };
    const doubtOf = (entries: number | undefined): Doubt | undefined =>
      doubtOfHeaders(reply, entries, ignore);
    const stale = reply.status === 304 ? doubtOf(undefined) : undefined;
    if (stale !== undefined) {
      // The whole body is requested next, and can be doubted.
      cache.expectBody(key);
      return fail({ reason: "status", status: 304, message: `status 304, but ${stale.detail}` });
    }
    const isWhole = known !== undefined && doubtOf(known.decoded.entries) === undefined;
    if (isWhole && cache.recognise(known, received)) {
      if (reply.status !== 304) keep(query, reply, undefined, parts);
      return known.decoded;
    }
    const decoded = await decodeBody(query, reply.body, maps.get(endpoint), sender.redactor);
    keep(query, reply, decoded.ok ? undefined : decoded.problem.failure, parts);
    if (!decoded.ok) return fail(decoded.problem.failure);
    const doubt = doubtOf(decoded.entries);
    if (doubt === undefined && decoded.doubt === undefined) codes.accept(decoded.code);
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
      const query = queryOf(endpoint, args, options, kept, parts);
      const answer = query.ok ? await read(query.value, options) : query;
      // The endpoint's own decoder made the value, now or before.
      if (answer.ok) return answer as Read<Decoded[typeof endpoint]>;
      const message = sender.redactor.redact(answer.problem.message).slice(0, 400);
      return fail({ ...answer.problem, endpoint, message });
    },
    request: async (endpoint, args, { profile = parts.profile, ...options }) => {
      const own = { ...parts, profile };
      const query = queryOf(endpoint, args, { ...options, origin: "probe" }, kept, own);
      return query.ok
        ? await sendWithRetries(query.value, options, { ...settings.retries, limit: 0 }, own)
        : query;
    },
    unchanged: cache.unchanged,
    readings: createReadings(cache.spend),
  };
}

/** An API has few codes of a success, and most have one. */
const MOST_CODES = 8;

/** What the codes of a success are here: those that came with entries. */
function createCodes() {
  const accepted = new Set<string>();
  return {
    accepted,
    accept: (code: string | undefined): void => {
      if (code !== undefined && accepted.size < MOST_CODES) accepted.add(code);
    },
    /** Whether a doubt rests on a code that was accepted since, so that its body must be judged again. */
    mayLift: ({ doubt, code }: CachedBody["decoded"]): boolean =>
      doubt !== undefined && code !== undefined && accepted.has(code),
  };
}

function queryOf(
  endpoint: ReadEndpoint,
  args: Args,
  { origin, isRead }: ReadOptions,
  { cache, codes }: { readonly cache: Cache; readonly codes: ReturnType<typeof createCodes> },
  { profile, settings, clock }: ReadParts,
): Result<Query, Failure> {
  const request = buildRequest(profile, endpoint, args);
  if (!request.ok) return request;
  // `join` makes one flat text, which takes less memory while it is kept.
  const key = [endpoint, JSON.stringify(args)].join(" ");
  const cached = cache.get(key);
  // If a dropped value must be read in another way now, its body is needed again.
  const isKnown = cached?.isSpent !== true || isRead?.(cached.decoded.value) === true;
  const known = isKnown && cached && !codes.mayLift(cached.decoded) ? cached : undefined;
  const isProbe = origin === "probe";
  const mayCondition = settings.conditionalReads && !isProbe && request.value.method === "GET";
  const condition = mayCondition ? conditionOf(known, clock.now()) : undefined;
  const { instants, ignore } = profile[endpoint];
  return succeed({
    endpoint,
    instants,
    ignore,
    accepted: codes.accepted,
    args,
    request: request.value,
    isProbe,
    key,
    known,
    before: known?.decoded.items,
    condition,
  });
}
