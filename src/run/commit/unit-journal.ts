import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Change } from "../../domain/step.ts";
import type { JournalRecord } from "../../io/journal/journal.ts";
import {
  lossText,
  othersText,
  type CommitStamp,
  type LoadedRows,
  type SharedJournal,
} from "../../io/journal/shared-journal.ts";
import type { CommitsLater, Refusal } from "./loop-journal.ts";

/**
 * A shared journal as the loop of its owner commits to it, under the epoch with which its rows were loaded. If the
 * outcome of a commit is unknown, it is found out by reading before anything else is committed. A commit that did not
 * arrive is tried once more: a broken connection must not count as an outage, after which acting grows slowly again.
 */
export function createUnitJournal(
  journal: Pick<SharedJournal, "commit" | "stamp">,
  { rows, stamp: { epoch, sequence } }: LoadedRows,
): CommitsLater & { readonly rows: () => Iterable<Change> } {
  /** The numbers of the last commit, and of the last attempt. */
  let after = sequence;
  let last = sequence;
  let isUnknown = false;
  const late = createLateAttempts();

  async function settle(): Promise<Result<"there" | "missing", Refusal>> {
    const found = await journal.stamp();
    if (!found.ok) return refuse("unavailable", found.problem.detail);
    const { value: stamp } = found;
    const foreign = foreignText(stamp, { epoch, after, last });
    // What was decided here does not rest on what is there: that is read again, under another epoch.
    if (foreign !== undefined) return refuse("fenced", foreign);
    after = stamp.sequence;
    isUnknown = false;
    late.settle(after);
    return succeed(after === last ? "there" : "missing");
  }

  async function attempt(record: JournalRecord): Promise<Result<"there" | "missing", Refusal>> {
    last += 1;
    const rest = late.add(last, after, record);
    const committed = await journal.commit(rest, { epoch, sequence: last, after });
    if (committed.ok) {
      after = last;
      return succeed("there");
    }
    const { kind, detail } = committed.problem;
    if (kind !== "unknown") return refuse(kind, detail);
    isUnknown = true;
    return maybeThere(await settle());
  }

  return {
    rows: () => rows,
    commitLater: async (record) => {
      if (isUnknown) {
        const settled = await settle();
        if (!settled.ok) return settled;
      }
      const first = await attempt(record);
      const committed = isMissing(first) ? maybeThere(await attempt(record)) : first;
      if (!committed.ok) return committed;
      if (isMissing(committed)) return maybeThere(refuse("unavailable", "it was not committed"));
      late.forget();
      return succeed(undefined);
    },
  };
}

type Attempts = { readonly epoch: number; readonly after: number; readonly last: number };

/** Why the newest commit can be none of these; undefined if it can. */
function foreignText(stamp: CommitStamp, { epoch, after, last }: Attempts): string | undefined {
  const loss = lossText(stamp, { epoch, sequence: after });
  if (loss !== undefined) return loss;
  if (stamp.epoch !== epoch) return `the lease has the epoch ${stamp.epoch} now, and had ${epoch}`;
  if (stamp.isOthers === true) return othersText(stamp);
  if (stamp.sequence <= last) return undefined;
  return `another commits under the epoch ${epoch}: its last commit is number ${stamp.sequence}, and ours ${last}`;
}

function refuse(kind: Refusal["kind"], detail: string): Result<never, Refusal> {
  return fail({ kind, detail });
}

/** The same, after an attempt with an unknown outcome: even one that is missing now may arrive later. */
function maybeThere<Value>(outcome: Result<Value, Refusal>): Result<Value, Refusal> {
  return outcome.ok ? outcome : fail({ ...outcome.problem, isUnknown: true });
}

function isMissing(committed: Result<"there" | "missing", Refusal>): boolean {
  return committed.ok && committed.value === "missing";
}

/**
 * Attempts that may be in the database already or arrive later. The next record contains what they wrote: rows are
 * overwritten, but findings and pages are left out, as they would be there twice.
 */
function createLateAttempts() {
  const attempts = new Map<number, { readonly after: number; readonly once: readonly object[] }>();
  const written = new Set<object>();
  return {
    add: (number: number, after: number, record: JournalRecord): JournalRecord => {
      const { findings, pages } = record;
      attempts.set(number, { after, once: [...findings, ...(pages ?? [])] });
      if (written.size === 0) return record;
      const isNew = (one: object): boolean => !written.has(one);
      return {
        ...record,
        findings: findings.filter(isNew),
        ...(pages && { pages: pages.filter(isNew) }),
      };
    },
    /** That is the number of the last commit: only what was to follow it can still arrive. */
    settle: (last: number): void => {
      for (const one of attempts.get(last)?.once ?? []) written.add(one);
      for (const [number, { after }] of attempts) if (after !== last) attempts.delete(number);
    },
    /** All that was given is committed. */
    forget: (): void => {
      attempts.clear();
      written.clear();
    },
  };
}
