import { hash } from "node:crypto";
import type { RawReply } from "../../domain/reply.ts";
import { MINUTE, SECOND, type Clock, type Instant } from "../../domain/time.ts";
import { openStore, type RawRepliesSettings, type Store } from "./replies-store.ts";

/**
 * The replies that are kept as they came, in a file beside the journal. No decision depends on it: it may fail, and may
 * be deleted while aggwatch is stopped.
 */
export type RawReplies = {
  /** Keeps the reply if the settings say so, and it differs from the one before. Never throws. */
  readonly note: (reply: RawReply) => void;
  /** Writes the waiting replies. */
  readonly flush: () => void;
  readonly close: () => void;
};

export type RawRepliesDependencies = {
  readonly directory: string;
  readonly clock: Clock;
  /** Called with the reason why replies are lost, once a minute at most. */
  readonly onError: (error: unknown) => void;
};

/** Characters that may wait for the next write. */
const MOST_WAITING = 8_000_000;
/** Requests whose last reply is known; with more, all are forgotten, and each reply is kept once more. */
const MOST_QUESTIONS = 50_000;

export function openRawReplies(
  settings: RawRepliesSettings,
  dependencies: RawRepliesDependencies,
): RawReplies {
  const { clock, directory, onError } = dependencies;
  const isNew = createComparison();
  let store: Store | undefined;
  let waiting: RawReply[] = [];
  let length = 0;
  let quietUntil: Instant = 0;

  const flush = (): void => {
    const replies = waiting;
    waiting = [];
    length = 0;
    if (replies.length === 0 || clock.now() < quietUntil) return;
    try {
      store ??= openStore(directory, settings);
      store.write(replies, clock.now());
    } catch (error) {
      quietUntil = clock.now() + MINUTE;
      store?.close();
      store = undefined;
      onError(error);
    }
  };
  const timer = setInterval(flush, SECOND);
  timer.unref();
  return {
    note: (reply) => {
      if (!isNew(reply)) return;
      if (settings.keep === "failures" && reply.failure === undefined) return;
      waiting.push(reply);
      length += reply.body.length;
      if (length > MOST_WAITING) flush();
    },
    flush,
    close: () => {
      clearInterval(timer);
      flush();
      store?.close();
    },
  };
}

/**
 * Makes a function that returns whether a reply differs from the last one to the same request, or from what could be
 * read of that.
 */
function createComparison(): (reply: RawReply) => boolean {
  const last = new Map<string, string>();
  return ({ aggregator, endpoint, args, status, failure, body }) => {
    const question = `${aggregator} ${endpoint} ${args}`;
    const fingerprint = `${status} ${failure === undefined} ${hash("sha256", body, "base64")}`;
    if (last.get(question) === fingerprint) return false;
    if (last.size >= MOST_QUESTIONS) last.clear();
    last.set(question, fingerprint);
    return true;
  };
}
