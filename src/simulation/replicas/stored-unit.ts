import type { Instant } from "../../domain/time.ts";
import type { Journal } from "../../io/journal/journal.ts";
import type { CommitStamp, Fence } from "../../io/journal/shared-journal.ts";
import type { SimulatedDisk } from "../machine/disk.ts";

/** A unit in a simulated database: its lease, with the number of the last commit, and its rows. */
export type StoredUnit = {
  readonly unit: string;
  /** The rows: the journal's own code, on a disk that may fail. */
  readonly journal: Pick<Journal, "rows" | "commit">;
  readonly disk: Pick<SimulatedDisk, "keep">;
  lease: StoredLease;
  /** The last lease that was lost with the commits: its owner does not know yet. */
  lost: StoredLease | undefined;
};

type StoredLease = {
  owner: string | undefined;
  epoch: number;
  sequence: number;
  until: Instant;
  /** Identifies the last commit. Unlike `sequence`, it is never used twice. */
  head: number;
};

/** Takes a commit that the database has written but should have refused. */
export type Unfenced = (unit: string, what: string) => void;

const NO_LEASE: StoredLease = { owner: undefined, epoch: 0, sequence: 0, until: 0, head: 0 };

export function storedUnit(given: Pick<StoredUnit, "unit" | "journal" | "disk">): StoredUnit {
  return { ...given, lease: { ...NO_LEASE }, lost: undefined };
}

export function isLeaseOf(
  lease: StoredLease | undefined,
  owner: string,
  epoch: number,
): lease is StoredLease {
  return lease?.owner === owner && lease.epoch === epoch;
}

/** The end of the owner's lease of that epoch; undefined if it has none. A lost lease counts: its owner cannot know. */
export function leasedUntil(
  { lease, lost }: StoredUnit,
  owner: string,
  epoch: number,
): Instant | undefined {
  const own = [lease, lost].flatMap((one) => (isLeaseOf(one, owner, epoch) ? one.until : []));
  return own.length === 0 ? undefined : Math.max(...own);
}

/** The stamp of the last commit, as `asking` finds it. */
export function stampFor({ lease }: StoredUnit, asking: string): CommitStamp {
  const { owner, epoch, sequence } = lease;
  return owner === asking ? { epoch, sequence } : { epoch, sequence, isOthers: true };
}

/** Keeps a copy of the unit; gives a function that puts it back, so that later commits are lost. */
export function keepUnit(stored: StoredUnit): () => void {
  const putBack = stored.disk.keep();
  const lease = { ...stored.lease };
  return () => {
    putBack();
    stored.lost = stored.lease;
    stored.lease = { ...lease };
  };
}

/** Why a commit should have been refused; undefined if it follows the last one, by the owner. */
export function unfencedText(stored: StoredUnit, fence: Fence, asking: string): string | undefined {
  const { unit, lease } = stored;
  const { epoch, sequence, after } = fence;
  const isFound = lease.epoch === epoch && lease.sequence === after && lease.owner === asking;
  if (isFound) return undefined;
  return `commit ${sequence} of ${unit} in epoch ${epoch} by ${asking}, which follows ${after}, is written over ${lease.sequence} of epoch ${lease.epoch}, whose owner is ${lease.owner ?? "none"}`;
}
