import { hash } from "node:crypto";
import type { HttpReply } from "../../domain/http.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { HOUR, MINUTE } from "../../domain/time.ts";
import type { Decoded } from "./decode-body.ts";

/**
 * Remembers the last replies, so that the same bytes are not decoded again: the same body gives the same decoded value,
 * and the same values give the same reading (readings.ts), by which the core sees that nothing has changed.
 */

/** A decoded body, and how to recognise it. There may be tens of thousands: one object each. */
export type CachedBody = {
  /** The key of the request: the same text object as the map's, so that no second copy is kept. */
  readonly key: string;
  readonly fingerprint: string;
  /** In characters; less if the value was dropped. */
  readonly length: number;
  /** The decoder's result; the same object for as long as the body is the same. */
  readonly decoded: Decoded<unknown> & { readonly ok: true };
  /** The value was dropped, and only a sign of the reading made of it is left. */
  readonly isSpent: true | undefined;
  /** The `ETag` of the reply, if it may be sent back. */
  readonly etag: string | undefined;
  /** When the body itself last came, rather than a 304. */
  readonly bodyAt: Instant;
  /** The body itself has come again with a poll, and since the last probe began. */
  readonly seenTwice: boolean;
};

/** Reads whose body was the same as before. */
export type Unchanged = {
  /** The same bytes came. */
  readonly sameBody: number;
  /** The aggregator answered 304. */
  readonly notModified: number;
};

/**
 * The last body of each request. The length of all bodies is bounded, and with it the memory of their values; the value
 * of a short body is dropped once a reading was made of it, which others mostly hold too.
 */
export type Cache = {
  readonly get: (key: string) => CachedBody | undefined;
  /** Whether the reply is a 304 to the cached body that the request was sent with, or has the same body. */
  readonly recognise: (known: CachedBody, reply: ReadReply) => boolean;
  /**
   * From now on, polls request the whole body until one has brought it again: a probe begins, and 304s that come sooner
   * would make it out of date.
   */
  readonly expectBody: (key: string) => void;
  readonly store: (key: string, decoded: CachedBody["decoded"], reply: ReadReply) => void;
  readonly spend: Spend;
  readonly unchanged: () => Unchanged;
};

/**
 * Called once a reading of so many entities was made of a value. Drops the value of a short body, and returns the sign
 * that stands for it from now on; otherwise returns undefined.
 */
export type Spend = (value: unknown, entities: number) => Sign | undefined;

/**
 * Stands for a value that was dropped, and keeps the reading that was made of it. A WeakMap with ten thousand of them
 * would hold up every garbage collection, which marks what only such a map reaches while nothing else may run.
 */
export class Sign {
  reading: unknown;
}

/** A successful reply to a read. A probe confirms no body: it comes within moments of its poll. */
export type ReadReply = HttpReply & { readonly at: Instant; readonly isProbe: boolean };

/** All bodies together, in characters: some 30,000 senders with two swaps each. */
const MOST_CACHED = 32_000_000;
/** The size that a spent body, and each entity of its reading, counts as, in characters. */
const SPENT = { body: 300, entity: 60 };
/**
 * A request whose body has not come for so long has most likely left the watch list: for others it comes within minutes
 * (`WHOLE_BODY_EVERY`), or with each request.
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
  // The keys of the values that may be dropped.
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
    recognise: (known, { status, headers, body: text, at, isProbe }) => {
      const isNotModified = status === 304;
      if (!isNotModified && known.fingerprint !== fingerprintOf(text)) return false;
      unchanged[isNotModified ? "notModified" : "sameBody"] += 1;
      const kept = bodies.get(known.key);
      if (kept === undefined) return true;
      keep({
        ...known,
        etag: usableEtag(headers["etag"]) ?? (isNotModified ? known.etag : undefined),
        bodyAt: isNotModified ? known.bodyAt : at,
        seenTwice: kept.seenTwice || (!isNotModified && !isProbe),
      });
      return true;
    },
    expectBody: (key) => {
      const known = bodies.get(key);
      if (known?.seenTwice === true) bodies.set(key, { ...known, seenTwice: false });
    },
    store: (key, decoded, reply) => {
      forget(key);
      for (const [oldest, { bodyAt }] of bodies) {
        if (reply.at - bodyAt <= UNUSED) break;
        forget(oldest);
      }
      // Bodies in use stay: making room in a long round would forget each body before its next turn.
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
  const { malformed, entries, doubt, code } = known.decoded;
  return {
    ...known,
    length: Math.min(known.length, SPENT.body + SPENT.entity * entities),
    decoded: { ok: true, value: sign, entries, doubt, code, ...(malformed && { malformed }) },
    isSpent: true,
  };
}

/**
 * Bodies from this length on are their own fingerprint: comparing costs a tenth of hashing. Only listings are so long.
 */
const COMPARED = 100_000;

/** Bodies with the same fingerprint are the same. */
function fingerprintOf(body: string): string {
  return body.length < COMPARED ? hash("sha256", body, "base64") : body;
}

/**
 * The `If-None-Match` to send; undefined if the whole body must be requested. A 304 stands only for a body that came
 * twice with polls: only the whole body confirms a doubt, never its tag.
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
