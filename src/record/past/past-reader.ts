import { Worker } from "node:worker_threads";
import { entityKey, type Entity } from "../../domain/entity.ts";
import type { EntityLimits } from "../../domain/limits.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { formatInstant, HOUR, MINUTE, type Instant } from "../../domain/time.ts";
import type { PastPolls } from "../../io/api/lists/poll-history.ts";
import type { EntityPast, EntitySpan } from "../../io/api/past/entity-past.ts";
import type { EntitiesThen } from "../../io/api/past/moment.ts";
import type { JournalReading, RecordSpan } from "../../io/journal/past.ts";
import { messageOf } from "../../io/process/error-message.ts";
import { ownModule } from "../../io/process/own-files.ts";
import { handOver } from "./hand-over.ts";
import type { Asked, Told } from "./told.ts";

/** Makes what was watched, in a thread of its own: it takes a while, and the loop goes on. */
export type PastReader = {
  /** The problem is why it is not kept, or cannot be read. */
  readonly entitiesAt: (at: Instant) => Promise<Result<EntitiesThen, string>>;
  /** What was known of one entity over a span of time. */
  readonly entityPast: (span: EntitySpan) => Promise<Result<EntityPast, string>>;
  readonly close: () => Promise<void>;
};

type Record = Pick<JournalReading, "recordSpan" | "chapterAt" | "pagesFrom">;

/** At least so much before the instant is read: entities that a restart found anew are then known from before. */
const READ_BEFORE = HOUR;
const MEMORY = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };
/** A thread that nobody asks ends after so long, and gives its memory back. */
const ENDS_AFTER = MINUTE;

/** One question is answered at a time. */
export function createPastReader(record: Record, limits: () => EntityLimits): PastReader {
  const { ask, close } = createThread(record);
  let last: Promise<unknown> = Promise.resolve();

  async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const made = last.then(work);
    last = made;
    return await made;
  }

  return {
    entitiesAt: async (at) =>
      await inTurn(async () => {
        const question = { type: "replay", at, limits: limits() } as const;
        return await ask({ from: at, until: at }, question, entitiesTold);
      }),
    entityPast: async (span) =>
      await inTurn(async () => {
        const question = { type: "entity", ...span, limits: limits() } as const;
        return await ask(span, question, entityTold);
      }),
    close,
  };
}

type Question = Exclude<Asked, { readonly type: "pages" }>;

/** The thread that is asked: it begins with the first question. */
function createThread(record: Record) {
  let worker: Worker | undefined;
  let ending: ReturnType<typeof setTimeout> | undefined;

  async function close(): Promise<void> {
    clearTimeout(ending);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  /** Hands over the record from some time before `from` up to `until`, and then the question. */
  async function ask<Value>(
    { from, until }: Pick<EntitySpan, "from" | "until">,
    question: Question,
    answerOf: (thread: Worker) => Promise<Result<Value, string>>,
  ): Promise<Result<Value, string>> {
    const refused = notKept(await record.recordSpan(), until);
    if (refused !== undefined) return fail(refused);
    clearTimeout(ending);
    worker ??= new Worker(ownModule("record/past/past-thread.ts"), {
      resourceLimits: MEMORY,
      argv: [],
      env: {},
    });
    worker.unref();
    const thread = worker;
    const tell = (asked: Asked, moved: readonly ArrayBuffer[] = []): void =>
      thread.postMessage(asked, [...moved]);
    const answer = answerOf(thread);
    try {
      const problem = await handOver(record, { from: from - READ_BEFORE, until }, (pages, moved) =>
        tell({ type: "pages", pages }, moved),
      );
      if (problem !== undefined) {
        await Promise.allSettled([close(), answer]);
        return fail(problem);
      }
      tell(question);
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

function notKept(span: RecordSpan | undefined, at: Instant): string | undefined {
  if (span === undefined)
    return "not kept: the record is empty, or of several units (journal.shards)";
  if (at >= span.firstAt) return undefined;
  return `not kept: the record looks back to ${formatInstant(span.firstAt)} only`;
}

const NOTHING = fail("not kept: nothing was recorded of it by then");

/** All that was watched at an instant, which is told in parts. */
async function entitiesTold(thread: Worker): Promise<Result<EntitiesThen, string>> {
  const entities = new Map<string, Entity>();
  const polls = new Map<string, PastPolls>();
  return await told(thread, (part) => {
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
        return NOTHING;
    }
  });
}

async function entityTold(thread: Worker): Promise<Result<EntityPast, string>> {
  return await told(thread, (part) => (part.type === "entity" ? succeed(part.past) : NOTHING));
}

/** The first answer that is made of what the thread tells; rejects if it ends before. */
async function told<Value>(
  thread: Worker,
  answerTo: (told: Told) => Result<Value, string> | undefined,
): Promise<Result<Value, string>> {
  const { promise, resolve, reject } = Promise.withResolvers<Result<Value, string>>();
  const onExit = (): void => reject(new Error("its thread ended"));
  const onTold = (part: Told): void => {
    const answer = answerTo(part);
    if (answer !== undefined) resolve(answer);
  };
  thread.on("message", onTold).once("error", reject).once("exit", onExit);
  try {
    return await promise;
  } finally {
    thread.off("message", onTold).off("error", reject).off("exit", onExit);
  }
}
