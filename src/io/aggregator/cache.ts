import { hash } from "node:crypto";
import type { HttpReply } from "../../domain/http.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { HOUR, MINUTE } from "../../domain/time.ts";
import type { Decoded } from "./decode-body.ts";

/**
 * What was read last, so that the same bytes need not be read again: the same body is the same decoded
 * value, and the same values are the same reading (readings.ts), by which the core sees that nothing has changed.
 */

/** What was decoded of a body, and how to recognise that body. There may be tens of thousands: one object each. */
export type CachedBody = {
  /** That of the request: the very text that is kept, so that none that comes later takes its place. */
  readonly key: string;
  readonly fingerprint: string;
  /** In characters; less if the value was dropped. */
  readonly length: number;
  /** What the decoder gave; the same object for as long as the body is the same. */
  readonly decoded: Decoded<unknown> & { readonly ok: true };
  /** The value is only a sign of the reading that was made of it: it was dropped. */
  readonly isSpent: true | undefined;
  /** The `ETag` as it was given, if it may be sent back. */
  readonly etag: string | undefined;
  /** When the body itself last came, rather than a 304. */
  readonly bodyAt: Instant;
  /** The body itself has come again with a poll. */
  readonly seenTwice: boolean;
};

/** Reads whose body was the one before. */
export type Unchanged = {
  /** The same bytes came. */
  readonly sameBody: number;
  /** The aggregator said so, by 304. */
  readonly notModified: number;
};

/**
 * The last body of each request. Memory is bounded by the length of the bodies, as the values grow with it; the value of
 * a short body is dropped once a reading was made of it, which mostly others hold too.
 */
export type Cache = {
  readonly get: (key: string) => CachedBody | undefined;
  /** The reply is a 304 to the cached body that the request was sent with, or has the same body. */
  readonly recognise: (key: string, known: CachedBody, reply: ReadReply) => boolean;
  readonly store: (key: string, decoded: CachedBody["decoded"], reply: ReadReply) => void;
  readonly spend: Spend;
  readonly unchanged: () => Unchanged;
};

/**
 * A reading of so many entities was made of a value. Gives what stands for the value from now on if it was dropped, which
 * it is if it is that of a short body; undefined otherwise.
 */
export type Spend = (value: unknown, entities: number) => Sign | undefined;

/**
 * Stands for a value that was dropped, and keeps the reading that was made of it. Ten thousand of these in a WeakMap would
 * hold up every garbage collection: what such a map alone leads to is marked while nothing else may run.
 */
export class Sign {
  reading: unknown;
}

/** A successful reply to a read. A probe confirms no body: it comes within moments of its poll. */
export type ReadReply = HttpReply & { readonly at: Instant; readonly isProbe: boolean };

/** All bodies together, in characters: some 30,000 senders with two swaps each. */
const MOST_CACHED = 32_000_000;
/** What a spent body, and each entity of its reading, is counted as, in characters. */
const SPENT = { body: 300, entity: 60 };
/**
 * A request whose body has not come for so long has most likely left the watch list: of one that is made, it comes within
 * minutes (`WHOLE_BODY_EVERY`) or with each.
 */
const UNUSED: Millis = HOUR;
/**
 * An `ETag` that does not change with the body would hide all changes, so the whole body is requested
 * this often, whatever the server says.
 */
const WHOLE_BODY_EVERY: Millis = 5 * MINUTE;
/** A longer tag is not sent back; servers refuse requests with long headers. */
const LONGEST_ETAG = 200;

export function createCache(most: number = MOST_CACHED): Cache {
  // In the order of use, the oldest first.
  const bodies = new Map<string, CachedBody>();
  const unchanged = { sameBody: 0, notModified: 0 };
  // Of the values that may be dropped.
  const keys = new WeakMap<object, string>();
  let total = 0;
  const forget = (key: string): void => {
    total -= bodies.get(key)?.length ?? 0;
    bodies.delete(key);
  };
  const keep = (body: CachedBody): void => {
    forget(body.key);
    bodies.set(body.key, body);
    total += body.length;
  };
  return {
    get: (key) => bodies.get(key),
    recognise: (key, known, { status, headers, body: text, at, isProbe }) => {
      const isNotModified = status === 304;
      if (!isNotModified && known.fingerprint !== fingerprintOf(text)) return false;
      unchanged[isNotModified ? "notModified" : "sameBody"] += 1;
      if (!bodies.has(key)) return true;
      keep({
        ...known,
        etag: usableEtag(headers["etag"]) ?? (isNotModified ? known.etag : undefined),
        bodyAt: isNotModified ? known.bodyAt : at,
        seenTwice: known.seenTwice || !isProbe,
      });
      return true;
    },
    store: (key, decoded, reply) => {
      forget(key);
      for (const [oldest, { bodyAt }] of bodies) {
        if (reply.at - bodyAt <= UNUSED) break;
        forget(oldest);
      }
      // What is in use stays: making room for the next of a long round would forget each before its turn.
      if (total + reply.body.length > most) return;
      keep(bodyOf(key, decoded, reply));
      const { items, value } = decoded;
      if (items === undefined && typeof value === "object" && value !== null) keys.set(value, key);
    },
    spend: (value, entities) => {
      const key = keys.get(value as object);
      const known = key === undefined ? undefined : bodies.get(key);
      if (known === undefined || known.decoded.value !== value) return undefined;
      const sign = new Sign();
      keep(spentBody(known, sign, entities));
      return sign;
    },
    unchanged: () => ({ ...unchanged }),
  };
}

function bodyOf(
  key: string,
  decoded: CachedBody["decoded"],
  { headers, body, at }: ReadReply,
): CachedBody {
  return {
    key,
    fingerprint: fingerprintOf(body),
    length: body.length,
    decoded,
    isSpent: undefined,
    etag: usableEtag(headers["etag"]),
    bodyAt: at,
    seenTwice: false,
  };
}

function spentBody(known: CachedBody, sign: Sign, entities: number): CachedBody {
  const { malformed, entries, doubt } = known.decoded;
  return {
    ...known,
    length: Math.min(known.length, SPENT.body + SPENT.entity * entities),
    decoded: { ok: true, value: sign, entries, doubt, ...(malformed && { malformed }) },
    isSpent: true,
  };
}

/** From so many characters on, a body is its own fingerprint: comparing costs a tenth of hashing. Only listings are so long. */
const COMPARED = 100_000;

/** Two bodies with the same are the same. */
function fingerprintOf(body: string): string {
  return body.length < COMPARED ? hash("sha256", body, "base64") : body;
}

/**
 * The `If-None-Match` to send; undefined if the whole body is to be requested. A 304 stands only for a body
 * that a poll has seen come again: what is doubted is confirmed by the whole body, never by its tag.
 */
export function conditionOf(
  known: Pick<CachedBody, "seenTwice" | "bodyAt" | "etag"> | undefined,
  now: Instant,
): string | undefined {
  if (known === undefined || !known.seenTwice) return undefined;
  return now - known.bodyAt < WHOLE_BODY_EVERY ? known.etag : undefined;
}

export function usableEtag(header: string | undefined): string | undefined {
  const isTag = header !== undefined && /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(header);
  return isTag && header.length <= LONGEST_ETAG ? header : undefined;
}
