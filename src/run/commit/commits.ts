import { succeed, type Result } from "../../domain/result.ts";
import type { Slices } from "../../domain/slices.ts";
import type { JournalRecord } from "../../io/journal/journal.ts";
import { createBacklog } from "./backlog.ts";
import { createGroupCommits } from "./group-commits.ts";
import type { Commits, CommitsAtOnce, CommitsWorld, Release } from "./loop-journal.ts";
import { createRelease, type Releasing, type ReleaseWorld } from "./release.ts";

export function createCommits(
  world: CommitsWorld & ReleaseWorld,
): Commits & Pick<Releasing, "isWritable"> {
  const { journal } = world;
  const { release, isWritable, reset } = createRelease(world);
  const commits =
    "commitLater" in journal
      ? createGroupCommits(journal, release, world)
      : createCommitsAtOnce(journal, release, world);
  const rollBack = (): void => {
    commits.rollBack();
    reset();
  };
  return { ...commits, rollBack, isWritable };
}

function createCommitsAtOnce(
  journal: CommitsAtOnce,
  release: Release,
  { recorder }: CommitsWorld,
): Commits {
  const { note, take, settle, noteChanges, dropChanges } = createBacklog(recorder);

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
      // So each tick finds a journal that was deleted or replaced, also if there is nothing to write.
      const committed =
        record === undefined ? (journal.inPlace?.() ?? succeed(undefined)) : yield* commit(record);
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
