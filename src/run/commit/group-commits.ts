import { copyOf } from "./copy.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Slices } from "../../domain/slices.ts";
import type { Event } from "../../domain/step.ts";
import type { JournalRecord } from "../../io/journal/journal.ts";
import { createBacklog, type Backlog } from "./backlog.ts";
import type {
  Commits,
  CommitsLater,
  CommitsWorld,
  DecidedEvent,
  Kept,
  Refusal,
  Release,
} from "./loop-journal.ts";

type Queue = Pick<CommitsWorld, "between" | "onFenced"> & {
  readonly journal: CommitsLater;
  readonly release: Release;
  readonly backlog: Backlog;
  waiting: DecidedEvent[];
  /** Its commit was answered, and it is released as soon as no event is being handled. */
  releasing: { readonly group: readonly DecidedEvent[]; readonly ifAbandoned: Kept } | undefined;
  /** Commands of commits that failed, since the last one that succeeded: the newest `MOST_FORGOTTEN`. */
  unwritten: readonly DecidedEvent[];
  /** Until what the commit under way decides is released. */
  isUnderWay: boolean;
  /** Resolves when the last commit was answered. */
  answered: Promise<void> | undefined;
  isOver: boolean;
  idle: PromiseWithResolvers<void>;
};

/** The most commands that are kept in case that they are never written. */
export const MOST_FORGOTTEN = 1_000;

/** Commits to a journal that answers later: what is decided during a commit is committed together, after it. */
export function createGroupCommits(
  journal: CommitsLater,
  release: Release,
  { recorder, between, onFenced, onForgotten, onDecided }: CommitsWorld,
): Commits {
  const backlog = createBacklog(recorder);
  const now = {
    waiting: [],
    releasing: undefined,
    unwritten: [],
    isUnderWay: false,
    answered: undefined,
    isOver: false,
    idle: Promise.withResolvers<void>(),
  };
  const queue: Queue = { journal, release, between, onFenced, backlog, ...now };
  return {
    noteChanges: backlog.noteChanges,
    add: function* (decided) {
      const { result, at, event } = decided;
      yield* backlog.note(result, at, event);
      if (queue.isOver) return decided.answer("dropped");
      onDecided?.(decided);
      queue.waiting.push(answeredLater(decided));
      if (!queue.isUnderWay) yield* commitWaiting(queue);
    },
    end: async (at) => {
      // What became of one commit may be an event of its own, and so a commit.
      while (queue.isUnderWay && !queue.isOver) {
        queue.idle = Promise.withResolvers();
        await queue.idle.promise;
      }
      const record = queue.isOver ? undefined : backlog.take(at, "all");
      // Nothing is committed beside this one.
      abandon(queue);
      if (record !== undefined) await journal.commitLater(frozen(record));
      // After a bug, one may still be under way, and the lease is given back next.
      await queue.answered;
    },
    abandon: () => {
      abandon(queue);
      onForgotten?.(queue.unwritten);
      queue.unwritten = [];
    },
    // Such a journal can only be read later, and the next life of an owner does that.
    rollBack: () => {
      throw new Error("a shared journal cannot be read again at once");
    },
  };
}

function* commitWaiting(queue: Queue): Slices {
  const { journal, backlog, waiting: group } = queue;
  const last = group.at(-1);
  if (last === undefined) return queue.idle.resolve();
  queue.waiting = [];
  const record = backlog.take(last.at);
  if (record === undefined) {
    yield* settle(queue, group, succeed(undefined));
    return queue.idle.resolve();
  }
  queue.isUnderWay = true;
  queue.answered = journal
    .commitLater(frozen(record))
    .then((committed) => afterCommit(queue, group, last.event, committed));
}

function* settle(
  { release }: Queue,
  group: readonly DecidedEvent[],
  committed: Result<void, string>,
): Slices {
  answerAll(group, committed.ok ? "durable" : "unrecorded");
  yield* release(group, committed);
}

function afterCommit(
  queue: Queue,
  group: readonly DecidedEvent[],
  event: Event,
  committed: Result<void, Refusal>,
): void {
  queue.releasing = { group, ifAbandoned: keptIfAbandoned(committed) };
  const isFenced = !committed.ok && committed.problem.kind === "fenced";
  if (isFenced || queue.isOver) {
    abandon(queue);
    if (isFenced) queue.onFenced?.(committed.problem.detail);
    return;
  }
  queue.between(event, function* () {
    queue.releasing = undefined;
    queue.isUnderWay = false;
    queue.backlog.settle(committed.ok);
    const commands = group.filter(({ event }) => event.type === "command");
    queue.unwritten = committed.ok ? [] : [...queue.unwritten, ...commands].slice(-MOST_FORGOTTEN);
    yield* settle(queue, group, committed.ok ? committed : fail(committed.problem.detail));
    yield* commitWaiting(queue);
  });
}

function abandon(queue: Queue): void {
  queue.isOver = true;
  queue.idle.resolve();
  const { releasing, waiting } = queue;
  queue.releasing = undefined;
  queue.waiting = [];
  if (releasing !== undefined) answerAll(releasing.group, releasing.ifAbandoned);
  answerAll(waiting, "dropped");
}

/** What becomes of a group that is not released any more. The next owner goes on with all that was committed. */
function keptIfAbandoned(committed: Result<void, Refusal>): Kept {
  if (committed.ok) return "durable";
  return committed.problem.isUnknown === true ? "unknown" : "dropped";
}

/** A copy, as later steps change the values of the rows while the commit waits for its answer. */
function frozen(record: JournalRecord): JournalRecord {
  const changes = record.changes.map((change) => ({
    ...change,
    value: copyOf(change.value),
  }));
  return { ...record, changes };
}

function answerAll(group: readonly DecidedEvent[], kept: Kept): void {
  for (const { answer } of group) answer(kept);
}

/** The caller gets its answer at once, as a promise. */
function answeredLater(decided: DecidedEvent): DecidedEvent {
  const { promise, resolve } = Promise.withResolvers<Kept>();
  decided.answer(promise);
  return { ...decided, answer: resolve };
}
