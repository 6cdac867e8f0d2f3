import { hash } from "node:crypto";
import type { HttpReply } from "../../domain/http.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { HOUR, MINUTE } from "../../domain/time.ts";
import type { Decoded } from "./decode-body.ts";

/**
 * What was read last, so that the same bytes need not be read again: the same body is the same decoded
 * value, and the same values are the same reading (readings.ts), by which the core sees that nothing has changed.
 */

/** What was decoded of a body, and how to recognise that body. */
export type CachedBody = {
  readonly fingerprint: string;
  /** What the decoder gave; the same object for as long as the body is the same. */
  readonly decoded: Decoded<unknown> & { readonly ok: true };
  /** The value is only a sign of the reading that was made of it: it was dropped. */
  readonly isSpent?: true;
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
/** A request that was not made for so long has most likely left the watch list. */
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
  const bodies = new Map<string, { body: CachedBody; length: number; at: Instant }>();
  const unchanged = { sameBody: 0, notModified: 0 };
  // Of the values that may be dropped.
  const keys = new WeakMap<object, string>();
  let total = 0;
  const forget = (key: string): void => {
    total -= bodies.get(key)?.length ?? 0;
    bodies.delete(key);
  };
  return {
    get: (key) => bodies.get(key)?.body,
    recognise: (key, known, { status, headers, body: text, at, isProbe }) => {
      const isNotModified = status === 304;
      if (!isNotModified && known.fingerprint !== fingerprintOf(text)) return false;
      unchanged[isNotModified ? "notModified" : "sameBody"] += 1;
      const length = bodies.get(key)?.length;
      if (length === undefined) return true;
      const body = {
        ...known,
        etag: usableEtag(headers["etag"]) ?? (isNotModified ? known.etag : undefined),
        bodyAt: isNotModified ? known.bodyAt : at,
        seenTwice: known.seenTwice || !isProbe,
      };
      bodies.delete(key);
      bodies.set(key, { body, length, at });
      return true;
    },
    store: (key, decoded, { headers, body: text, at }) => {
      forget(key);
      for (const [oldest, { at: usedAt }] of bodies) {
        if (at - usedAt <= UNUSED) break;
        forget(oldest);
      }
      // What is in use stays: making room for the next of a long round would forget each before its turn.
      if (total + text.length > most) return;
      const etag = usableEtag(headers["etag"]);
      const fingerprint = fingerprintOf(text);
      const body = { fingerprint, decoded, etag, bodyAt: at, seenTwice: false };
      bodies.set(key, { body, length: text.length, at });
      total += text.length;
      const { items, value } = decoded;
      if (items === undefined && typeof value === "object" && value !== null) keys.set(value, key);
    },
    spend: (value, entities) => {
      const key = keys.get(value as object);
      const known = key === undefined ? undefined : bodies.get(key);
      if (key === undefined || known === undefined || known.body.decoded.value !== value)
        return undefined;
      const sign = new Sign();
      const length = Math.min(known.length, SPENT.body + SPENT.entity * entities);
      total += length - known.length;
      const spent = { ...known.body.decoded, value: sign };
      bodies.set(key, { ...known, length, body: { ...known.body, decoded: spent, isSpent: true } });
      return sign;
    },
    unchanged: () => ({ ...unchanged }),
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
export function conditionOf(known: CachedBody | undefined, now: Instant): string | undefined {
  if (known === undefined || !known.seenTwice) return undefined;
  return now - known.bodyAt < WHOLE_BODY_EVERY ? known.etag : undefined;
}

export function usableEtag(header: string | undefined): string | undefined {
  const isTag = header !== undefined && /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(header);
  return isTag && header.length <= LONGEST_ETAG ? header : undefined;
}
