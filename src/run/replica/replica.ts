import { LEASE_LASTS, type LeaseStore } from "../../io/postgres/lease-store.ts";
import type { LoadedRows, SharedJournal } from "../../io/journal/shared-journal.ts";
import { fail, type Result } from "../../domain/result.ts";
import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";
import type { LaterJournal } from "../commit/loop-journal.ts";
import { settleWithin } from "../../io/process/settle-within.ts";
import { passingClock, type ClockSources } from "../../io/process/clock.ts";
import { createUnitJournal } from "../commit/unit-journal.ts";
import { answeredLeases } from "./answered-leases.ts";
import { createLifeWatch, type LifeWatch } from "./life-watch.ts";
import { createLeaseKeeper, TAKE_EVERY, type LeaseKeeper } from "./lease-keeper.ts";
import type { Lease } from "./lease.ts";

/** One of several that share a journal. It stands by until it gets the lease, and then lives until it loses that. */
export type Replica = Pick<LeaseKeeper, "lease" | "holder" | "problem"> & {
  /** Resolves when it knows for the first time if it has the lease, or that it cannot find out. */
  readonly asked: Promise<void>;
  /** It has read the rows under its lease, and decides. */
  readonly isOwner: () => boolean;
  /** Says, for people, that its work as the owner hangs; undefined if it does not. */
  readonly fault: () => string | undefined;
  /** Says, for people, that its work hung or could not begin, and has not begun again; undefined if it has. */
  readonly hung: () => string | undefined;
  /** Ends its work as the owner in good order, and begins it again from the rows, under another epoch. Never rejects. */
  readonly beginAgain: (why: string) => Promise<void>;
  /** Ends its work as the owner and hands over; what does not end within the length of a lease is dropped. */
  readonly stop: () => Promise<void>;
};

/** Its work as the owner, from the rows that it has read under its lease. */
export type OwnerLife = {
  /** In good order: what was decided is on disk then. */
  readonly stop: () => Promise<void>;
  /** At once, as another has the lease: nothing is decided, committed or sent any more. */
  readonly abandon: () => void;
};

export type Owned = {
  readonly lease: Lease;
  readonly journal: LaterJournal;
  /** To be called whenever something was handled: if that does not come for long, the life is dropped. */
  readonly onTurn: () => void;
  /** To be called if a commit finds another owner. */
  readonly onFenced: (why: string) => void;
  /** To be called if it cannot begin. Another replica perhaps can, so this one does not ask again for a while. */
  readonly onUnable: (why: string) => void;
};

type ReplicaWorld = {
  /** Unlike that of any other process, also of one of the same name before it. */
  readonly owner: string;
  readonly leases: LeaseStore;
  /** How long a lease lasts, as the store has it. */
  readonly lastsMs?: Millis;
  readonly journal: SharedJournal;
  readonly clocks?: ClockSources;
  /** Begins to decide. Whatever was known of the rows before is void. */
  readonly live: (owned: Owned) => OwnerLife;
  /** It stands by again: what it decided under its lease and is not on disk is void. */
  readonly onStandby?: (why: string) => void;
  /** The rows cannot be read; tried again in a second. */
  readonly onUnreadable?: (why: string) => void;
};

/** Rows that could not be read are read again after so long. */
const READ_AGAIN_AFTER: Millis = SECOND;
/** Counted in lengths of the lease. */
const UNANSWERED_AFTER = 2;
/** How many lengths a replica that hung or could not begin waits before it asks again, so that another takes over. */
const STANDS_BACK = 2;

export function startReplica(world: ReplicaWorld): Replica {
  const { leases, clocks, onStandby, lastsMs = LEASE_LASTS } = world;
  let isStopping = false;
  // A lease runs out while the machine sleeps.
  const steadyNow = passingClock(clocks);
  const watch = createLifeWatch(lastsMs, steadyNow);
  const life = createLife(world, watch, (why, askAfterMs) => keeper.lose(why, askAfterMs));
  const keeper = createLeaseKeeper({
    ...world,
    store: answeredLeases(leases, UNANSWERED_AFTER * lastsMs),
    steadyNow,
    onTaken: (lease) => {
      watch.begin();
      void life.begin(lease, () => !isStopping && lease.held());
    },
    onLost: (why) => {
      watch.end();
      life.drop();
      onStandby?.(why);
    },
  });
  const turn = (): void => {
    const hang = watch.look();
    // Its lease is renewed, so no other could take over. What it decided meanwhile and is not on disk is void.
    if (hang !== undefined && !isStopping) keeper.lose(hang, STANDS_BACK * lastsMs);
    void keeper.turn();
  };
  const turning = setInterval(turn, TAKE_EVERY);
  // The lease is kept until what was decided under it is on disk. If that hangs, no other replica could take over.
  // Says if it was still ours at the end.
  const endLife = async (): Promise<boolean> => {
    const before = keeper.lease();
    const hang = await life.end();
    if (hang !== undefined && before?.held()) keeper.lose(hang, STANDS_BACK * lastsMs);
    return before?.held() === true;
  };
  const { lease, holder, problem } = keeper;
  const { fault, hung } = watch;
  return {
    asked: keeper.turn(),
    lease,
    holder,
    problem,
    isOwner: life.isGoingOn,
    fault,
    hung,
    beginAgain: async (why) => {
      if ((await endLife()) && !isStopping) await keeper.takeAgain(why);
    },
    stop: async () => {
      isStopping = true;
      await endLife();
      clearInterval(turning);
      await keeper.release();
    },
  };
}

/** What it does as the owner, while it is that. */
function createLife(world: ReplicaWorld, watch: LifeWatch, lose: LeaseKeeper["lose"]) {
  const { journal, live, lastsMs = LEASE_LASTS } = world;
  let life: OwnerLife | undefined;
  return {
    isGoingOn: () => life !== undefined,
    begin: async (lease: Lease, isWanted: () => boolean): Promise<void> => {
      const rows = await readRows(world, lease, isWanted);
      if (rows === undefined) return;
      if (!rows.ok) return lose(rows.problem);
      // A life that has ended may still learn of its last commit, and the next one has another lease.
      const end = (why: string, askAfterMs?: Millis): void =>
        lease.held() ? lose(why, askAfterMs) : undefined;
      life = live({
        lease,
        journal: createUnitJournal(journal, rows.value),
        onTurn: watch.turned,
        onFenced: (why) => end(why),
        onUnable: (why) => {
          watch.failed(why);
          end(why, STANDS_BACK * lastsMs);
        },
      });
    },
    drop: (): void => {
      const ended = life;
      life = undefined;
      ended?.abandon();
    },
    /** Says, for people, that it does not end in time. */
    end: async (): Promise<string | undefined> => {
      const ending = life;
      const isEnded = await settleWithin(ending === undefined ? [] : [ending.stop()], lastsMs);
      if (!isEnded) return `what it did as the owner did not end within ${formatDuration(lastsMs)}`;
      // It may have been dropped meanwhile, and the next one have begun.
      if (life === ending) life = undefined;
      return undefined;
    },
  };
}

/** Undefined if they are not wanted any more; a problem if another replica has the lease. */
async function readRows(
  world: Pick<ReplicaWorld, "journal" | "onUnreadable">,
  lease: Lease,
  isWanted: () => boolean,
): Promise<Result<LoadedRows, string> | undefined> {
  const { journal, onUnreadable } = world;
  for (;;) {
    const loaded = await journal.load(lease.epoch);
    if (!isWanted()) return undefined;
    if (loaded.ok) return loaded;
    const { kind, detail } = loaded.problem;
    if (kind === "fenced") return fail(detail);
    onUnreadable?.(detail);
    await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_AFTER));
    if (!isWanted()) return undefined;
  }
}
