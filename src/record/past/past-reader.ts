import { Worker } from "node:worker_threads";
import { entityKey, type Entity } from "../../domain/entity.ts";
import type { EntityLimits } from "../../domain/limits.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { formatInstant, HOUR, MINUTE, type Instant } from "../../domain/time.ts";
import type { PastPolls } from "../../io/api/lists/poll-history.ts";
import type { EntitiesThen } from "../../io/api/past/moment.ts";
import type { JournalReading, RecordSpan } from "../../io/journal/past.ts";
import { messageOf } from "../../io/process/error-message.ts";
import { ownModule } from "../../io/process/own-files.ts";
import { handOver } from "./hand-over.ts";
import type { Asked, Told } from "./told.ts";

/** Makes what was watched at an instant, in a thread of its own: it takes a while, and the loop goes on. */
export type PastReader = {
  /** The problem is why it is not kept, or cannot be read. */
  readonly entitiesAt: (at: Instant) => Promise<Result<EntitiesThen, string>>;
  readonly close: () => Promise<void>;
};

type Record = Pick<JournalReading, "recordSpan" | "chapterAt" | "pagesFrom">;

/** At least so much before the instant is read: entities that a restart found anew are then known from before. */
const READ_BEFORE = HOUR;
const MEMORY = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };
/** A thread that nobody asks ends after so long, and gives its memory back. */
const ENDS_AFTER = MINUTE;

/** One instant is made at a time. */
export function createPastReader(record: Record, limits: () => EntityLimits): PastReader {
  let last: Promise<unknown> = Promise.resolve();
  let worker: Worker | undefined;
  let ending: ReturnType<typeof setTimeout> | undefined;

  async function end(): Promise<void> {
    clearTimeout(ending);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  async function make(at: Instant): Promise<Result<EntitiesThen, string>> {
    const refused = notKept(await record.recordSpan(), at);
    if (refused !== undefined) return fail(refused);
    clearTimeout(ending);
    worker ??= new Worker(ownModule("record/past/past-thread.ts"), {
      resourceLimits: MEMORY,
      argv: [],
      env: {},
    });
    worker.unref();
    const thread = worker;
    const ask = (asked: Asked, moved: readonly ArrayBuffer[] = []): void =>
      thread.postMessage(asked, [...moved]);
    const answer = answerOf(thread);
    try {
      const problem = await handOver(
        record,
        { from: at - READ_BEFORE, until: at },
        (pages, moved) => ask({ type: "pages", pages }, moved),
      );
      if (problem !== undefined) {
        await Promise.allSettled([end(), answer]);
        return fail(problem);
      }
      ask({ type: "replay", at, limits: limits() });
      return await answer;
    } catch (error) {
      await Promise.allSettled([end(), answer]);
      return fail(`the past cannot be read: ${messageOf(error)}`);
    } finally {
      ending = setTimeout(() => void end(), ENDS_AFTER);
      ending.unref();
    }
  }

  return {
    entitiesAt: async (at) => {
      const made = last.then(() => make(at));
      last = made;
      return await made;
    },
    close: end,
  };
}

function notKept(span: RecordSpan | undefined, at: Instant): string | undefined {
  if (span === undefined)
    return "not kept: the record is empty, or of several units (journal.shards)";
  if (at >= span.firstAt) return undefined;
  return `not kept: the record looks back to ${formatInstant(span.firstAt)} only`;
}

/** What the thread tells, put together; rejects if it ends before it has told all. */
async function answerOf(thread: Worker): Promise<Result<EntitiesThen, string>> {
  const entities = new Map<string, Entity>();
  const polls = new Map<string, PastPolls>();
  const { promise, resolve, reject } = Promise.withResolvers<Result<EntitiesThen, string>>();
  const onExit = (): void => reject(new Error("its thread ended"));
  const onTold = (told: Told): void => {
    switch (told.type) {
      case "entities":
        for (const entity of told.entities) entities.set(entityKey(entity), entity);
        return;
      case "polls":
        polls.set(`${told.aggregator}/${told.poller}`, told.polls);
        return;
      case "nothing":
        return resolve(fail("not kept: nothing was recorded before that instant"));
      case "end": {
        const { type: _type, ...rest } = told;
        const of = (aggregator: string, poller: string): PastPolls =>
          polls.get(`${aggregator}/${poller}`) ?? { recent: [], minutes: [] };
        resolve(succeed({ entities, polls: { of }, ...rest }));
      }
    }
  };
  thread.on("message", onTold).once("error", reject).once("exit", onExit);
  try {
    return await promise;
  } finally {
    thread.off("message", onTold).off("error", reject).off("exit", onExit);
  }
}
