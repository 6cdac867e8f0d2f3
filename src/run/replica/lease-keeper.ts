import type { Millis } from "../../domain/time.ts";
import { LEASE_LASTS, type LeaseStore } from "../../io/postgres/lease-store.ts";
import type { Lease } from "./lease.ts";
import { createSparing } from "./sparing.ts";

/** Takes the lease of a unit whenever it can be had, and renews it for as long as it is ours. */
export type LeaseKeeper = {
  /** To be called often: asks the store what is due. Resolves when that is answered; never rejects. */
  readonly turn: () => Promise<void>;
  /** The lease while it is ours, as far as is known. The same object until it is lost. */
  readonly lease: () => Lease | undefined;
  /** Who had it when it was last asked for; undefined if it is ours, or not known. */
  readonly holder: () => string | undefined;
  /** Why the store could not be asked, the last time that it was; undefined if it could. */
  readonly problem: () => string | undefined;
  /** It is not ours any more: what was decided under it is void. It is asked for again, perhaps later. */
  readonly lose: (why: string, askAfterMs?: Millis) => void;
  /** Gives it back and takes it again, with a new epoch, unless another is quicker. Never rejects. */
  readonly takeAgain: (why: string) => Promise<void>;
  /** Gives it back, so that another can take it at once, and asks for it no more. Never rejects. */
  readonly release: () => Promise<void>;
};

type LeaseKeeperWorld = {
  readonly store: LeaseStore;
  /** Unlike that of any other process, also of one of the same name before it. */
  readonly owner: string;
  readonly lastsMs?: Millis;
  /** A clock that only counts up. */
  readonly steadyNow: () => Millis;
  readonly onTaken: (lease: Lease) => void;
  readonly onLost: (why: string) => void;
};

/**
 * How often a lease that another has is asked for, so that one that is given back is taken within a second; and how soon
 * a renewal that failed is tried again.
 */
export const TAKE_EVERY: Millis = 250;
/**
 * It is renewed so often while it lasts. If all goes well, four fifths of it are always left: more than the ten seconds
 * that a request may take by default.
 */
const RENEWALS = 5;
/** Our clock and the database's are assumed to run at most one per cent fast or slow. */
export const CLOCKS_DIFFER = 0.02;

export function createLeaseKeeper(world: LeaseKeeperWorld): LeaseKeeper {
  const { store, owner, steadyNow, onTaken, onLost, lastsMs = LEASE_LASTS } = world;
  const ours = createOwnLease(lastsMs * (1 - CLOCKS_DIFFER), steadyNow);
  const { take, renew, isDue, askIn, holder, problem } = createLeaseQuestions(world, ours);
  let asking: Promise<void> | undefined;
  let isReleased = false;

  function lose(why: string, askAfterMs: Millis = TAKE_EVERY): void {
    if (ours.end() === undefined) return;
    askIn(askAfterMs);
    onLost(why);
  }

  const ask = async (lease = ours.lease()): Promise<void> => {
    const taken = lease === undefined ? await take() : undefined;
    if (taken !== undefined && !isReleased) onTaken(taken);
    const lost = lease && (await renew(lease));
    if (lost !== undefined) lose(lost);
  };

  /** It is under way until its end, or until something follows it. */
  async function underWay(work: Promise<void>): Promise<void> {
    asking = work;
    await work;
    if (asking === work) asking = undefined;
  }

  return {
    holder,
    problem,
    turn: async () =>
      !isReleased && (asking !== undefined || isDue())
        ? await (asking ?? underWay(ask()))
        : undefined,
    lease: ours.lease,
    lose,
    takeAgain: async (why) => {
      const before = ours.lease();
      if (before === undefined) return;
      lose(why);
      // The answer of a renewal under way is ignored. Nothing else may be asked before the end.
      const again = async (renewing = asking): Promise<void> => {
        await renewing;
        await store.release(owner, before.epoch);
        await ask();
      };
      await underWay(again());
    },
    release: async () => {
      isReleased = true;
      // One that is just being taken, or taken again, is given back too.
      await asking;
      const releasing = ours.end();
      if (releasing !== undefined) await store.release(owner, releasing.epoch);
    },
  };
}

/** Asks the store, and knows what it said last, and when it is to be asked again. */
function createLeaseQuestions(
  { store, owner, steadyNow, lastsMs = LEASE_LASTS }: LeaseKeeperWorld,
  ours: ReturnType<typeof createOwnLease>,
) {
  let holder: string | undefined;
  let problem: string | undefined;
  let dueAt: Millis = Number.NEGATIVE_INFINITY;
  // So much of it is left to an owner whose renewals all succeeded.
  const sparing = createSparing(lastsMs * (1 - 1 / RENEWALS), steadyNow);
  const askIn = (ms: Millis): void => {
    dueAt = steadyNow() + ms;
  };
  return {
    askIn,
    isDue: () => steadyNow() >= dueAt,
    holder: () => holder,
    problem: () => problem,
    /** Undefined if it could not be had. */
    take: async (): Promise<Lease | undefined> => {
      const sentAt = steadyNow();
      const taken = await store.take(owner, sparing.isSparing());
      askIn(TAKE_EVERY);
      sparing.note(sentAt, taken, taken.ok && !taken.value.taken && taken.value.isSpared);
      problem = taken.ok ? undefined : taken.problem;
      holder = taken.ok && !taken.value.taken ? taken.value.owner : undefined;
      if (!taken.ok || !taken.value.taken) return undefined;
      dueAt = sentAt + lastsMs / RENEWALS;
      return ours.begin(taken.value.epoch, sentAt);
    },
    /** Why it is not ours any more; undefined if that is not known. */
    renew: async (lease: Lease): Promise<string | undefined> => {
      const sentAt = steadyNow();
      const renewed = await store.renew(owner, lease.epoch);
      sparing.note(sentAt, renewed);
      if (!lease.held()) return undefined;
      problem = renewed.ok ? undefined : renewed.problem;
      dueAt = renewed.ok ? sentAt + lastsMs / RENEWALS : steadyNow() + TAKE_EVERY;
      if (!renewed.ok) return undefined;
      if (renewed.value !== true) return renewed.value || "another replica has taken it";
      ours.renew(sentAt);
      return undefined;
    },
  };
}

/** The lease that is ours, if one is, and until when. */
function createOwnLease(usableMs: Millis, steadyNow: () => Millis) {
  let ours: Lease | undefined;
  let until: Millis = 0;
  return {
    lease: () => ours,
    begin: (epoch: number, sentAt: Millis): Lease => {
      const held = (): boolean => ours === lease;
      const leftMs = (): Millis => (held() ? Math.max(0, until - steadyNow()) : 0);
      const lease: Lease = { epoch, held, leftMs };
      ours = lease;
      until = sentAt + usableMs;
      return lease;
    },
    renew: (sentAt: Millis): void => {
      until = sentAt + usableMs;
    },
    /** Returns the lease that was ours. */
    end: (): Lease | undefined => {
      const ended = ours;
      ours = undefined;
      return ended;
    },
  };
}
