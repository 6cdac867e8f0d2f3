import type { Millis } from "../../domain/time.ts";
import { LEASE_LASTS, type LeaseStore } from "../../io/journal/lease-store.ts";
import type { Lease } from "./lease.ts";

/** Takes the lease of a unit whenever it can be had, and renews it for as long as it is ours. */
export type LeaseKeeper = {
  /** To be called often: asks the store what is due. Resolves when that is answered; never rejects. */
  readonly turn: () => Promise<void>;
  /** The lease while it is ours, as far as is known. The same object until it is lost. */
  readonly lease: () => Lease | undefined;
  /** Who had it when it was last asked for; undefined if it is ours, or nobody said. */
  readonly holder: () => string | undefined;
  /** Why the store could not be asked, the last time that it was; undefined if it could. */
  readonly problem: () => string | undefined;
  /** Another has it: what was decided under it is void. It is asked for again. */
  readonly lose: (why: string) => void;
  /** Gives it back, so that another can take it at once, and asks for it no more. Never rejects. */
  readonly release: () => Promise<void>;
};

export type LeaseKeeperWorld = {
  readonly store: LeaseStore;
  /** Told apart from every other process, also from one of the same name before it. */
  readonly owner: string;
  readonly lastsMs?: Millis;
  /** A clock that only counts up. */
  readonly steadyNow: () => Millis;
  readonly onTaken: (lease: Lease) => void;
  readonly onLost: (why: string) => void;
};

/** It is asked for so often while another has it, so that one that is given back is taken within a second. */
export const TAKE_EVERY: Millis = 500;
/** A renewal that failed is tried again this soon. */
const RETRY_AFTER: Millis = 1_000;

export function createLeaseKeeper(world: LeaseKeeperWorld): LeaseKeeper {
  const { store, owner, steadyNow, onTaken, onLost } = world;
  const { lastsMs = LEASE_LASTS } = world;
  let ours: { readonly lease: Lease; until: Millis } | undefined;
  let holder: string | undefined;
  let problem: string | undefined;
  let dueAt: Millis = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  let isReleased = false;

  async function take(): Promise<void> {
    const sentAt = steadyNow();
    const taken = await store.take(owner);
    dueAt = steadyNow() + TAKE_EVERY;
    problem = taken.ok ? undefined : taken.problem;
    if (!taken.ok) return;
    if (!taken.value.taken) {
      holder = taken.value.owner;
      return;
    }
    const { epoch } = taken.value;
    const isOurs = (): boolean => ours?.lease === lease;
    const lease: Lease = {
      epoch,
      held: isOurs,
      leftMs: () => (ours?.lease === lease ? Math.max(0, ours.until - steadyNow()) : 0),
    };
    ours = { lease, until: sentAt + lastsMs };
    holder = undefined;
    dueAt = sentAt + lastsMs / 3;
    if (!isReleased) onTaken(lease);
  }

  async function renew(): Promise<void> {
    const renewing = ours;
    if (renewing === undefined) return;
    const sentAt = steadyNow();
    const renewed = await store.renew(owner, renewing.lease.epoch);
    if (ours !== renewing) return;
    problem = renewed.ok ? undefined : renewed.problem;
    dueAt = renewed.ok ? sentAt + lastsMs / 3 : steadyNow() + RETRY_AFTER;
    if (!renewed.ok) return;
    if (renewed.value) renewing.until = sentAt + lastsMs;
    else lose("another replica has taken it");
  }

  function lose(why: string): void {
    if (ours === undefined) return;
    ours = undefined;
    dueAt = steadyNow() + TAKE_EVERY;
    onLost(why);
  }

  async function ask(): Promise<void> {
    await (ours === undefined ? take() : renew());
    asking = undefined;
  }

  return {
    turn: async () => {
      if (isReleased || (asking === undefined && steadyNow() < dueAt)) return;
      await (asking ??= ask());
    },
    lease: () => ours?.lease,
    holder: () => holder,
    problem: () => problem,
    lose,
    release: async () => {
      isReleased = true;
      // One that is just being taken is given back too.
      await asking;
      const releasing = ours;
      ours = undefined;
      if (releasing !== undefined) await store.release(owner, releasing.lease.epoch);
    },
  };
}
