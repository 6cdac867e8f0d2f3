import { hash } from "node:crypto";
import type { MalformedEntries } from "../../aggregator/decoders/malformed-entries.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { HOUR, MINUTE } from "../../domain/time.ts";

/** What was decoded of a body, and how to know the same body again. */
export type LastAnswer = {
  readonly fingerprint: string;
  /** The value that the decoder gave; the same object for as long as the body is the same. */
  readonly read: { readonly ok: true; readonly value: unknown; readonly odd?: MalformedEntries };
  /** The `ETag` as it was given, where it may be sent back. */
  readonly etag: string | undefined;
  /** When the body itself last came, rather than word that it is the same. */
  readonly bodyAt: Instant;
  /** The body itself has come again with a poll. */
  readonly seenTwice: boolean;
};

/**
 * The last answer to each question that could be read, so that the same bytes need not be read again.
 * The memory is bounded by the length of the bodies, as what is decoded of them grows with it.
 */
export type LastAnswers = {
  readonly get: (question: string) => LastAnswer | undefined;
  /** It was answered again, and stands. */
  readonly renew: (question: string, answer: LastAnswer, at: Instant) => void;
  readonly keep: (question: string, answer: LastAnswer, bodyLength: number, at: Instant) => void;
};

/** All bodies together, in characters: some 30,000 senders with two swaps each. */
export const MOST_REMEMBERED = 32_000_000;
/** What nobody asked for so long has most likely left the watch list. */
const UNASKED: Millis = HOUR;
/**
 * An `ETag` that does not change with what it stands for would hide all that happens, so the whole
 * body is asked for this often, whatever the server says.
 */
export const WHOLE_BODY_EVERY: Millis = 5 * MINUTE;
/** A longer tag is not sent back; servers refuse requests with long headers. */
const LONGEST_ETAG = 200;

export function createLastAnswers(most: number = MOST_REMEMBERED): LastAnswers {
  // In the order of use, the oldest first.
  const answers = new Map<string, { answer: LastAnswer; length: number; at: Instant }>();
  let total = 0;
  const forget = (question: string): void => {
    total -= answers.get(question)?.length ?? 0;
    answers.delete(question);
  };
  return {
    get: (question) => answers.get(question)?.answer,
    renew: (question, answer, at) => {
      const length = answers.get(question)?.length;
      if (length === undefined) return;
      answers.delete(question);
      answers.set(question, { answer, length, at });
    },
    keep: (question, answer, bodyLength, at) => {
      forget(question);
      for (const [oldest, { at: usedAt }] of answers) {
        if (at - usedAt <= UNASKED) break;
        forget(oldest);
      }
      // What is in use stays: to make room for the next of a long round would forget each before its turn.
      if (total + bodyLength > most) return;
      answers.set(question, { answer, length: bodyLength, at });
      total += bodyLength;
    },
  };
}

/** Two bodies with the same are the same. */
export function fingerprintOf(body: string): string {
  return hash("sha256", body, "base64");
}

/**
 * The tag to send back; undefined where the whole body is to be asked for. Word that nothing has changed
 * stands only for a body that a poll has seen come again: what is doubted is confirmed by a second look
 * at the whole of it, never by its tag.
 */
export function conditionOf(known: LastAnswer | undefined, now: Instant): string | undefined {
  if (known === undefined || !known.seenTwice) return undefined;
  return now - known.bodyAt < WHOLE_BODY_EVERY ? known.etag : undefined;
}

export function usableEtag(header: string | undefined): string | undefined {
  const isTag = header !== undefined && /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(header);
  return isTag && header.length <= LONGEST_ETAG ? header : undefined;
}
