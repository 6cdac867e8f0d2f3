import { succeed, type Result } from "../../domain/result.ts";
import type { Slices } from "../../domain/slices.ts";
import type { JournalRecord } from "../../io/journal/journal.ts";
import { createBacklog } from "./backlog.ts";
import { createGroupCommits } from "./group-commits.ts";
import type {
  Commits,
  CommitsAtOnce,
  CommitsWorld,
  DecidedEvent,
  Release,
} from "./loop-journal.ts";
import { createRelease, type Releasing, type ReleaseWorld } from "./release.ts";

export function createCommits(
  world: CommitsWorld & ReleaseWorld,
): Commits & Pick<Releasing, "isWritable"> {
  const { journal } = world;
  const { release, isWritable, reset, abandon: abandonRelease } = createRelease(world);
  const commits =
    "commitLater" in journal
      ? createGroupCommits(journal, release, world)
      : createCommitsAtOnce(journal, release, world);
  const rollBack = (): void => {
    commits.rollBack();
    reset();
  };
  const abandon = (): void => {
    abandonRelease();
    commits.abandon();
  };
  return { ...commits, rollBack, abandon, isWritable };
}

/**
 * Whether it has to be safe from a loss of power before it is released: if something leaves the process, or if it holds
 * more than what an aggregator said. Mere readings may be lost with the power, as if the process had ended earlier:
 * they are read again. The next tick makes them safe, even if it has nothing to write itself.
 */
function mustBeSynced({ event, result }: DecidedEvent): boolean {
  return event.type !== "observed" || result.effects.some(({ type }) => type !== "probe");
}

function createCommitsAtOnce(
  journal: CommitsAtOnce,
  release: Release,
  { recorder }: CommitsWorld,
): Commits {
  const { note, take, settle, noteChanges, dropChanges } = createBacklog(recorder);

  let hasFailed = false;

  /** In this way each event notices a journal that was deleted or replaced, even if it has nothing to write. */
  const check = (isSynced: boolean): Result<void, string> =>
    (isSynced ? journal.sync?.() : journal.inPlace?.()) ?? succeed(undefined);

  function* commit(record: JournalRecord): Slices<Result<void, string>> {
    const committed =
      journal.commitInSlices === undefined
        ? journal.commit(record)
        : yield* journal.commitInSlices(record);
    settle(committed.ok);
    return committed;
  }

  return {
    noteChanges,
    rollBack: dropChanges,
    add: function* (decided) {
      const { result, at, event } = decided;
      yield* note(result, at, event);
      const record = take(at);
      const isSynced = hasFailed || mustBeSynced(decided);
      const committed =
        record === undefined
          ? check(isSynced)
          : yield* commit(isSynced ? record : { ...record, unsynced: true });
      hasFailed = !committed.ok;
      decided.answer(committed.ok ? "durable" : "unrecorded");
      yield* release([decided], committed);
    },
    end: (at) => {
      const record = take(at, "all");
      if (record !== undefined) journal.commit(record);
    },
    abandon: () => undefined,
  };
}
