import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Change } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { JournalRecord } from "../../io/journal/journal.ts";
import { LEASE_LASTS, type LeaseStore } from "../../io/postgres/lease-store.ts";
import type { SharedJournal } from "../../io/journal/shared-journal.ts";
import type { Presence, UnitsReading } from "../../io/postgres/presence.ts";
import type { RandomState } from "../../simulator/model/random.ts";
import type { Machine } from "../machine/machines.ts";
import type { VirtualTime } from "../machine/virtual-time.ts";
import type { DatabaseFaults } from "../plan.ts";
import { createAsk, type Ask, type Connected } from "./connection.ts";
import { storedJournal } from "./stored-journal.ts";
import {
  isLeaseOf,
  keepUnit,
  leasedUntil,
  storedUnit,
  type StoredUnit,
  type Unfenced,
} from "./stored-unit.ts";

/** The database that the replicas share: it does one operation at a time, each at an instant of its own. */
export type SharedDatabase = {
  /** A connection of a process to a unit, which asks from its machine as long as it is alive. */
  readonly connect: (
    from: Connected,
    unit: string,
  ) => SharedJournal & { readonly leases: LeaseStore };
  /** Which replicas live and what they own, as one of them reads it. */
  readonly presence: (from: Connected) => Presence;
  /** Its faults from now on. */
  readonly setFaults: (faults: DatabaseFaults) => void;
  /** Cuts a machine off from the database, or connects it again. */
  readonly setPartitioned: (machine: Machine, isPartitioned: boolean) => void;
  /**
   * Until when the replica's lease lasts, by the database's own clock; undefined if it has none of that epoch. A lost
   * lease counts: its owner cannot know.
   */
  readonly leasedUntil: (unit: string, owner: string, epoch: number) => Instant | undefined;
  /** Whether the replica has the lease of that epoch, and so may commit. */
  readonly isOwner: (unit: string, owner: string, epoch: number) => boolean;
  /** Makes a copy of the database; gives a function that puts it in its place. Only the last copy can be used. */
  readonly keep: () => () => void;
  readonly rowsOf: (unit: string) => Iterable<Change>;
  readonly epochOf: (unit: string) => number;
};

type DatabaseWorld = {
  readonly time: VirtualTime;
  readonly random: RandomState;
  /** The rows of a unit. */
  readonly journalOf: (unit: string) => StoredUnit["journal"];
  readonly diskOf: (unit: string) => StoredUnit["disk"];
  readonly onUnfenced: Unfenced;
  /** A lease is about to be taken, or a record is about to be written. */
  readonly beforeTaken?: (unit: string, machine: Machine) => void;
  readonly beforeWrite?: (unit: string, record: JournalRecord) => void;
};

/** The database, as its parts see it. */
type Database = Pick<DatabaseWorld, "time" | "beforeTaken"> & {
  readonly units: ReadonlyMap<string, StoredUnit>;
  readonly seen: Map<string, Seen>;
};

/** When a replica was last seen, and the units that it leaves to the others. */
type Seen = { readonly at: Instant; readonly leaves: readonly string[] };

export function createSharedDatabase(world: DatabaseWorld): SharedDatabase {
  const { time, random } = world;
  const partitioned = new Set<Machine>();
  let faults: DatabaseFaults = {};
  let newest: Copy | undefined;
  let places = 0;
  let heads = 0;
  const units = new Map<string, StoredUnit>();
  const database: Database = { ...world, units, seen: new Map() };
  const storedOf = (unit: string): StoredUnit => {
    const known = units.get(unit);
    if (known !== undefined) return known;
    const made = storedUnit({ unit, journal: world.journalOf(unit), disk: world.diskOf(unit) });
    units.set(unit, made);
    newest?.add(made);
    return made;
  };
  const askFrom = (from: Connected): Ask => {
    const isCut = (): boolean => partitioned.has(from.machine);
    return createAsk(from, { time, random, faults: () => faults, isCut, places: () => places });
  };
  return {
    connect: (from, unit) => {
      const ask = askFrom(from);
      const stored = storedOf(unit);
      const ofJournal = {
        readingTakes: () => faults.readingTakes ?? 0,
        beforeWrite: (record: JournalRecord) => world.beforeWrite?.(unit, record),
        nextHead: () => (heads += 1),
        onUnfenced: (what: string) => world.onUnfenced(unit, what),
      };
      return {
        leases: leasesOf(database, stored, ask, from.machine),
        ...storedJournal(stored, ask, from, ofJournal),
      };
    },
    presence: (from) => presenceOf(database, askFrom(from), from.owner),
    setFaults: (next) => {
      faults = next;
    },
    setPartitioned: (machine, isPartitioned) => {
      if (isPartitioned) partitioned.add(machine);
      else partitioned.delete(machine);
    },
    leasedUntil: (unit, ...of) => leasedUntil(storedOf(unit), ...of),
    isOwner: (unit, ...of) => isLeaseOf(storedOf(unit).lease, ...of),
    keep: () => {
      const copy = copyOf(database);
      newest = copy;
      return () => {
        copy.putBack();
        newest = undefined;
        places += 1;
      };
    },
    rowsOf: (unit) => storedOf(unit).journal.rows(),
    epochOf: (unit) => storedOf(unit).lease.epoch,
  };
}

type Copy = { readonly putBack: () => void; readonly add: (unit: StoredUnit) => void };

function copyOf({ units, seen }: Database): Copy {
  const all = [...units.values()].map(keepUnit);
  const seenThen = new Map(seen);
  return {
    putBack: () => {
      for (const putBack of all) putBack();
      seen.clear();
      for (const [owner, one] of seenThen) seen.set(owner, one);
    },
    // A unit that came after the copy is empty in it.
    add: (unit) => void all.push(keepUnit(unit)),
  };
}

/** Does what the statement in `presenceOf` of the real database does. */
function presenceOf({ time, units, seen }: Database, ask: Ask, owner: string): Presence {
  const read = (leaves: readonly string[]): UnitsReading => {
    const now = time.now();
    seen.set(owner, { at: now, leaves });
    const living = [...seen].filter(([, { at }]) => now - at < LEASE_LASTS);
    const live = living.map(([name]) => name);
    const left = living.flatMap(([name, own]) => own.leaves.map((unit) => ({ unit, name })));
    const leftBy = [...Map.groupBy(left, ({ unit }) => unit)];
    const owned = [...units].flatMap(([unit, { lease }]): [string, string][] =>
      lease.owner === undefined || now >= lease.until ? [] : [[unit, lease.owner]],
    );
    return {
      live: live.toSorted(),
      owners: new Map(owned),
      left: new Map(leftBy.map(([unit, by]) => [unit, by.map(({ name }) => name)])),
    };
  };
  return {
    beat: async (leaves = []) => {
      const carryOut = (): Result<UnitsReading, string> => succeed(read(leaves));
      const found = await ask<Result<UnitsReading, string>>({ carryOut, unanswered: fail });
      if (!found.ok) throw new Error(found.problem);
      return found.value;
    },
    end: async () => {
      await ask({ carryOut: () => seen.delete(owner), unanswered: () => false });
    },
  };
}

function leasesOf(
  { time, beforeTaken }: Database,
  stored: StoredUnit,
  ask: Ask,
  machine: Machine,
): LeaseStore {
  const asked = async <Value>(carryOut: () => Value): Promise<Result<Value, string>> =>
    await ask<Result<Value, string>>({ carryOut: () => succeed(carryOut()), unanswered: fail });
  return {
    take: async (owner, isSparing = false) =>
      await asked(() => {
        const { until, owner: holder, epoch } = stored.lease;
        const hasRunOut = time.now() >= until;
        if (holder !== undefined && (isSparing || !hasRunOut))
          return { taken: false, owner: holder, ...(hasRunOut && { isSpared: true }) };
        beforeTaken?.(stored.unit, machine);
        Object.assign(stored.lease, { owner, until: time.now() + LEASE_LASTS, epoch: epoch + 1 });
        return { taken: true, epoch: epoch + 1 };
      }),
    renew: async (owner, epoch) =>
      await asked(() => {
        const isOwn = isLeaseOf(stored.lease, owner, epoch);
        if (isOwn) stored.lease.until = time.now() + LEASE_LASTS;
        return isOwn;
      }),
    release: async (owner, epoch) =>
      await asked(() => {
        if (isLeaseOf(stored.lease, owner, epoch)) stored.lease.owner = undefined;
      }),
  };
}
