import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Change } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { Journal, JournalRecord } from "../../io/journal/journal.ts";
import { LEASE_LASTS, type LeaseStore } from "../../io/journal/lease-store.ts";
import {
  checkFence,
  type CommitProblem,
  type CommitStamp,
  type Fence,
  type LoadedRows,
  type SharedJournal,
} from "../../io/journal/shared-journal.ts";
import type { RandomState } from "../../simulator/model/random.ts";
import type { Machine } from "../machine/machines.ts";
import type { VirtualTime } from "../machine/virtual-time.ts";
import type { DatabaseFaults } from "../plan.ts";
import type { Presence, UnitsReading } from "../../io/postgres/presence.ts";
import { createAsk, type Ask, type Connected } from "./connection.ts";

/** One database that the replicas share: it does one thing after another, each at an instant of its own. */
export type SharedDatabase = {
  /** A connection of a process to a unit, which asks from its machine for as long as it is alive. */
  readonly connect: (
    from: Connected,
    unit: string,
  ) => SharedJournal & { readonly leases: LeaseStore };
  /** Which replicas live and what they own, as one of them asks it. */
  readonly presence: (from: Connected, owner: string) => Presence;
  /** What it does wrong from now on; nothing if left out. */
  readonly setFaults: (faults: DatabaseFaults) => void;
  /** The machine is cut off from it, or is not any more. */
  readonly setPartitioned: (machine: Machine, isPartitioned: boolean) => void;
  /** Until when the replica's lease lasts, by the database's own clock; undefined if it has none of that epoch. */
  readonly leasedUntil: (unit: string, owner: string, epoch: number) => Instant | undefined;
};

export type DatabaseWorld = Pick<Stored, "time"> & {
  readonly random: RandomState;
  /** Where the rows of a unit are. */
  readonly journalOf: (unit: string) => Stored["journal"];
  readonly onUnfenced: (unit: string, fence: Fence, found: CommitStamp) => void;
};

type Stored = {
  readonly time: VirtualTime;
  /** It has written what its fence should have kept out. */
  readonly onUnfenced: (fence: Fence, found: CommitStamp) => void;
  /** Where the rows are: the code of the journal, on a disk that may fail. */
  readonly journal: Pick<Journal, "rows" | "commit">;
  readonly lease: { owner: string | undefined; epoch: number; sequence: number; until: Instant };
};

export function createSharedDatabase(world: DatabaseWorld): SharedDatabase {
  const { time, random, onUnfenced } = world;
  const partitioned = new Set<Machine>();
  let faults: DatabaseFaults = {};
  const units = new Map<string, Stored>();
  const seen = new Map<string, Instant>();
  const storedOf = (unit: string): Stored => {
    const known = units.get(unit);
    if (known !== undefined) return known;
    const made: Stored = {
      time,
      journal: world.journalOf(unit),
      lease: { owner: undefined, epoch: 0, sequence: 0, until: 0 },
      onUnfenced: (...found) => onUnfenced(unit, ...found),
    };
    units.set(unit, made);
    return made;
  };
  const askFrom = (from: Connected): Ask => {
    const isCut = (): boolean => partitioned.has(from.machine);
    return createAsk(from, { time, random, faults: () => faults, isCut });
  };
  return {
    connect: (from, unit) => {
      const ask = askFrom(from);
      const stored = storedOf(unit);
      const readingTakes = (): number => faults.readingTakes ?? 0;
      return { leases: leasesOf(stored, ask), ...journalOf(stored, ask, from, readingTakes) };
    },
    presence: (from, owner) => presenceOf({ time, units, seen }, askFrom(from), owner),
    setFaults: (next) => {
      faults = next;
    },
    setPartitioned: (machine, isPartitioned) => {
      if (isPartitioned) partitioned.add(machine);
      else partitioned.delete(machine);
    },
    leasedUntil: (unit, owner, epoch) => {
      const stored = storedOf(unit);
      return isOf(stored, owner, epoch) ? stored.lease.until : undefined;
    },
  };
}

function isOf({ lease }: Stored, owner: string, epoch: number): boolean {
  return lease.owner === owner && lease.epoch === epoch;
}

/** As `presenceOf` of the real database, whose statement this is in other words. */
function presenceOf(
  {
    time,
    units,
    seen,
  }: Pick<Stored, "time"> & {
    readonly units: ReadonlyMap<string, Stored>;
    readonly seen: Map<string, Instant>;
  },
  ask: Ask,
  owner: string,
): Presence {
  const read = (): UnitsReading => {
    const now = time.now();
    seen.set(owner, now);
    const live = [...seen].flatMap(([name, at]) => (now - at < LEASE_LASTS ? name : []));
    const owned = [...units].flatMap(([unit, { lease }]): [string, string][] =>
      lease.owner === undefined || now >= lease.until ? [] : [[unit, lease.owner]],
    );
    return { live: live.toSorted(), owners: new Map(owned) };
  };
  return {
    beat: async () => {
      const carryOut = (): Result<UnitsReading, string> => succeed(read());
      const found = await ask<Result<UnitsReading, string>>({ carryOut, unanswered: fail });
      if (!found.ok) throw new Error(found.problem);
      return found.value;
    },
    end: async () => {
      await ask({ carryOut: () => seen.delete(owner), unanswered: () => false });
    },
  };
}

function leasesOf(stored: Stored, ask: Ask): LeaseStore {
  const { lease, time } = stored;
  const asked = async <Value>(carryOut: () => Value): Promise<Result<Value, string>> =>
    await ask<Result<Value, string>>({ carryOut: () => succeed(carryOut()), unanswered: fail });
  return {
    take: async (owner) =>
      await asked(() => {
        const { until, owner: holder } = lease;
        if (holder !== undefined && time.now() < until) return { taken: false, owner: holder };
        Object.assign(lease, { owner, until: time.now() + LEASE_LASTS, epoch: lease.epoch + 1 });
        return { taken: true, epoch: lease.epoch };
      }),
    renew: async (owner, epoch) =>
      await asked(() => {
        if (isOf(stored, owner, epoch)) lease.until = time.now() + LEASE_LASTS;
        return isOf(stored, owner, epoch);
      }),
    release: async (owner, epoch) =>
      await asked(() => {
        if (isOf(stored, owner, epoch)) lease.owner = undefined;
      }),
  };
}

function journalOf(
  { journal, lease, onUnfenced }: Stored,
  ask: Ask,
  { onWritten }: Connected,
  readingTakes: () => number,
): SharedJournal {
  const stampNow = (): CommitStamp => ({ epoch: lease.epoch, sequence: lease.sequence });
  const unavailable = (detail: string): Result<never, CommitProblem> =>
    fail({ kind: "unavailable", detail });

  function write(record: JournalRecord, fence: Fence): Result<void, CommitProblem> {
    const allowed = checkFence(stampNow(), fence);
    if (!allowed.ok) return allowed;
    const found = stampNow();
    // Whoever checks fences is what is tried here, so this is compared once more, by itself.
    if (fence.epoch !== found.epoch || fence.after !== found.sequence) onUnfenced(fence, found);
    const written = journal.commit(record);
    if (!written.ok) return unavailable(written.problem);
    // It is a row of the same transaction: if that fails, this stays as it was.
    lease.sequence = fence.sequence;
    return written;
  }

  return {
    load: async (epoch) =>
      await ask<Result<LoadedRows, CommitProblem>>({
        carryOut: () => {
          const stamp = stampNow();
          const { sequence } = stamp;
          const allowed = checkFence(stamp, { epoch, sequence, after: sequence });
          return allowed.ok ? succeed({ rows: [...journal.rows()], stamp }) : allowed;
        },
        takes: readingTakes(),
        unanswered: unavailable,
      }),
    commit: async (record, fence) => {
      const copy = frozen(record);
      return await ask<Result<void, CommitProblem>>({
        isCommit: true,
        carryOut: () => {
          const written = write(copy, fence);
          if (written.ok) onWritten(record);
          return written;
        },
        unanswered: (detail) => fail({ kind: "unknown", detail }),
        refused: unavailable,
      });
    },
    stamp: async () =>
      await ask<Result<CommitStamp, CommitProblem>>({
        carryOut: () => succeed(stampNow()),
        unanswered: unavailable,
      }),
  };
}

/** As it is now: the values of its rows change while it is on its way. */
function frozen(record: JournalRecord): JournalRecord {
  const changes = record.changes.map(({ table, key, value }): Change => ({
    table,
    key,
    value: value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown),
  }));
  return { ...record, changes, findings: [...record.findings] };
}
