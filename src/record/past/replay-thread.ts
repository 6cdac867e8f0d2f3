import type { Worker } from "node:worker_threads";
import { entityKey, type Entity } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { HOUR, MINUTE } from "../../domain/time.ts";
import type { PastPolls } from "../../io/api/lists/poll-history.ts";
import type { EntityPast, EntitySpan } from "../../io/api/past/entity-past.ts";
import type { EntitiesThen } from "../../io/api/past/moment.ts";
import type { JournalReading } from "../../io/journal/past.ts";
import { messageOf } from "../../domain/error-message.ts";
import { beginThread, type EndableThread } from "../../io/process/endable-thread.ts";
import { ownModule } from "../../io/process/own-files.ts";
import { handOver } from "./hand-over.ts";
import type { ThreadRequest, ThreadReply } from "./thread-messages.ts";

/** At least so much before the instant is read: entities that a restart found again are then known from before. */
const READ_BEFORE = HOUR;
/** An idle thread ends after so long, and frees its memory. */
const ENDS_AFTER = MINUTE;

/** Undefined: the unit recorded nothing of it by then. */
type Answer<Value> = Result<Value | undefined, string>;

type Question = Exclude<ThreadRequest, { readonly type: "pages" }>;

/** The thread that replays what one unit observed. It begins with the first question, and is asked one at a time. */
export function createReplayThread(record: Pick<JournalReading, "chapterAt" | "pagesFrom">) {
  let running: EndableThread | undefined;
  let ending: ReturnType<typeof setTimeout> | undefined;

  async function close(): Promise<void> {
    clearTimeout(ending);
    const ended = running;
    running = undefined;
    await ended?.end();
  }

  /** Hands over a unit's record from some time before `from` up to `until`, and then the question. */
  async function ask<Value>(
    unit: string,
    { from, until }: Pick<EntitySpan, "from" | "until">,
    question: Question,
    answerOf: (thread: Worker) => Promise<Answer<Value>>,
  ): Promise<Answer<Value>> {
    clearTimeout(ending);
    running ??= beginThread(ownModule("record/past/past-thread.ts"));
    const thread = running.worker;
    const post = (asked: ThreadRequest, moved: readonly ArrayBuffer[] = []): void =>
      thread.postMessage(asked, [...moved]);
    const answer = answerOf(thread);
    // It rejects if the thread ends while pages are handed over, before it is awaited below.
    answer.catch(() => undefined);
    try {
      const wanted = { units: [unit], from: from - READ_BEFORE, until };
      const problem = await handOver(record, wanted, (pages, moved) =>
        post({ type: "pages", pages }, moved),
      );
      if (problem !== undefined) {
        await Promise.allSettled([close(), answer]);
        return fail(problem);
      }
      post(question);
      return await answer;
    } catch (error) {
      await Promise.allSettled([close(), answer]);
      return fail(`the past cannot be read: ${messageOf(error)}`);
    } finally {
      ending = setTimeout(() => void close(), ENDS_AFTER);
      ending.unref();
    }
  }

  return { ask, close };
}

/** All that was watched at an instant, which comes in parts. */
export async function entitiesAnswer(thread: Worker): Promise<Answer<EntitiesThen>> {
  const entities = new Map<string, Entity>();
  const polls = new Map<string, PastPolls>();
  return await firstAnswer(thread, (part) => {
    switch (part.type) {
      case "entities":
        for (const entity of part.entities) entities.set(entityKey(entity), entity);
        return undefined;
      case "polls":
        polls.set(`${part.aggregator}/${part.poller}`, part.polls);
        return undefined;
      case "end": {
        const { type: _type, ...rest } = part;
        const of = (aggregator: string, poller: string): PastPolls =>
          polls.get(`${aggregator}/${poller}`) ?? { recent: [], minutes: [] };
        return succeed({ entities, polls: { of }, ...rest });
      }
      case "entity":
      case "nothing":
        return succeed(undefined);
    }
  });
}

export async function entityAnswer(thread: Worker): Promise<Answer<EntityPast>> {
  return await firstAnswer(thread, (part) =>
    succeed(part.type === "entity" ? part.past : undefined),
  );
}

/** The first answer that is made of the thread's messages; rejects if it ends before. */
async function firstAnswer<Value>(
  thread: Worker,
  answerTo: (reply: ThreadReply) => Answer<Value> | undefined,
): Promise<Answer<Value>> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer<Value>>();
  const onExit = (): void => reject(new Error("its thread ended"));
  const onReply = (part: ThreadReply): void => {
    const answer = answerTo(part);
    if (answer !== undefined) resolve(answer);
  };
  thread.on("message", onReply).once("error", reject).once("exit", onExit);
  try {
    return await promise;
  } finally {
    thread.off("message", onReply).off("error", reject).off("exit", onExit);
  }
}
