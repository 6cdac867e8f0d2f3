import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Millis } from "../../domain/time.ts";
import type { JournalRecord } from "../../io/journal/journal.ts";
import {
  checkFence,
  type CommitProblem,
  type CommitStamp,
  type Fence,
  type LoadedRows,
  type SharedJournal,
} from "../../io/journal/shared-journal.ts";
import type { Ask, Connected } from "./connection.ts";
import { createKnownCommits, type KnownCommits } from "./known-commits.ts";
import { stampFor, unfencedText, type StoredUnit } from "./stored-unit.ts";

type JournalWorld = {
  readonly readingTakes: () => Millis;
  /** A record is about to be written, and may be. */
  readonly beforeWrite: (record: JournalRecord) => void;
  /** Identifies a commit; never the same twice. */
  readonly nextHead: () => number;
  /** A commit is written that should have been refused. */
  readonly onUnfenced: (what: string) => void;
};

/** The journal of a unit in a simulated database, as one process uses it. */
export function storedJournal(
  stored: StoredUnit,
  ask: Ask,
  { owner, onWritten }: Pick<Connected, "owner" | "onWritten">,
  world: JournalWorld,
): SharedJournal {
  const { journal } = stored;
  const known = createKnownCommits();
  const stampNow = (): CommitStamp => stampFor(stored, owner);

  return {
    load: async (epoch) => {
      const found = await ask<Result<LoadedRows & { readonly head: number }, CommitProblem>>({
        carryOut: () => {
          const stamp = stampNow();
          const { sequence } = stamp;
          const allowed = checkFence(stamp, { epoch, sequence, after: sequence });
          const { head } = stored.lease;
          return allowed.ok ? succeed({ rows: [...journal.rows()], stamp, head }) : allowed;
        },
        takes: world.readingTakes(),
        unanswered: unavailable,
      });
      if (found.ok) known.read(found.value.head);
      return found;
    },
    commit: async (record, fence) => {
      const committed = await ask<Result<void, CommitProblem>>({
        isCommit: true,
        carryOut: () => {
          const written = write({ stored, owner, known, world }, record, fence);
          if (written.ok) onWritten(record);
          return written;
        },
        unanswered: (detail) => fail({ kind: "unknown", detail }),
        refused: unavailable,
      });
      if (committed.ok) known.told(fence.sequence);
      return committed;
    },
    stamp: async () => {
      const found = await ask<Result<CommitStamp, CommitProblem>>({
        carryOut: () => succeed(stampNow()),
        unanswered: unavailable,
      });
      if (found.ok) known.told(found.value.sequence);
      return found;
    },
  };
}

type Writing = {
  readonly stored: StoredUnit;
  readonly owner: string;
  readonly known: KnownCommits;
  readonly world: JournalWorld;
};

function write(
  { stored, owner, known, world }: Writing,
  record: JournalRecord,
  fence: Fence,
): Result<void, CommitProblem> {
  const allowed = checkFence(stampFor(stored, owner), fence);
  if (!allowed.ok) return allowed;
  // `checkFence` is under test here, so the fence is compared once more, without it.
  const unfenced = unfencedText(stored, fence, owner);
  if (unfenced !== undefined) world.onUnfenced(unfenced);
  else if (known.isMissingIn(stored.lease.head))
    world.onUnfenced(lostText(stored.unit, fence, owner));
  world.beforeWrite(record);
  const written = stored.journal.commit(record);
  if (!written.ok) return unavailable(written.problem);
  // The lease is a row of the same transaction: if that fails, the lease stays as it was.
  stored.lease.sequence = fence.sequence;
  stored.lease.head = world.nextHead();
  known.wrote(fence.sequence, stored.lease.head);
  return written;
}

function unavailable(detail: string): Result<never, CommitProblem> {
  return fail({ kind: "unavailable", detail });
}

function lostText(unit: string, { epoch, sequence }: Fence, owner: string): string {
  return `commit ${sequence} of ${unit} in epoch ${epoch} by ${owner} is written, and the database lacks a commit that ${owner} knows of`;
}
