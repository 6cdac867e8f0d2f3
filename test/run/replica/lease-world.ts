import { fail, succeed, type Result } from "../../../src/domain/result.ts";
import type { LeaseStore } from "../../../src/io/postgres/lease-store.ts";
import { CLOCKS_DIFFER, createLeaseKeeper } from "../../../src/run/replica/lease-keeper.ts";
import type { Lease } from "../../../src/run/replica/lease.ts";

export const LASTS = 15_000;
/** What a replica counts on, as clocks differ. */
export const USABLE = LASTS * (1 - CLOCKS_DIFFER);

/** A store in memory, whose clock is the replica's, and that can be away. */
export function world() {
  let now = 0;
  let away: string | undefined;
  let row = { owner: "", epoch: 0, renewedAt: Number.NEGATIVE_INFINITY };
  /** What its answers take. */
  let latency = 0;
  let asked = 0;
  /** Why the store stops an owner, which it then says of a renewal. */
  let stopped: string | undefined;
  const answer = async <Value>(value: () => Value): Promise<Result<Value, string>> => {
    asked += 1;
    const found = away === undefined ? succeed(value()) : fail(away);
    now += latency;
    return await Promise.resolve(found);
  };
  const isFree = (): boolean => row.owner === "" || now - row.renewedAt >= LASTS;
  const isOf = (owner: string, epoch: number): boolean =>
    row.owner === owner && row.epoch === epoch;
  const store: LeaseStore = {
    take: async (owner, isSparing = false) =>
      await answer(() => {
        const isSpared = isSparing && row.owner !== "";
        if (isFree() && isSpared) return { taken: false, owner: row.owner, isSpared };
        if (!isFree()) return { taken: false, owner: row.owner };
        row = { owner, epoch: row.epoch + 1, renewedAt: now };
        return { taken: true, epoch: row.epoch };
      }),
    renew: async (owner, epoch) =>
      await answer(() => {
        if (stopped !== undefined) return stopped;
        if (isOf(owner, epoch)) row = { ...row, renewedAt: now };
        return isOf(owner, epoch);
      }),
    release: async (owner, epoch) =>
      await answer(() => {
        if (isOf(owner, epoch)) row = { ...row, owner: "" };
      }),
  };
  const replica = (owner: string) => {
    const told: string[] = [];
    const keeper = createLeaseKeeper({
      store,
      owner,
      lastsMs: LASTS,
      steadyNow: () => now,
      onTaken: ({ epoch }: Lease) => told.push(`taken ${epoch}`),
      onLost: (why) => told.push(`lost: ${why}`),
    });
    return { keeper, told };
  };
  return {
    replica,
    asked: () => asked,
    pass: (ms: number) => {
      now += ms;
    },
    setAway: (why: string | undefined) => {
      away = why;
    },
    setStopped: (why: string) => {
      stopped = why;
    },
    setLatency: (ms: number) => {
      latency = ms;
    },
  };
}
