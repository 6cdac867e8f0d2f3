import { fail, succeed } from "../../../src/domain/result.ts";
import type { LeaseStore } from "../../../src/io/postgres/lease-store.ts";
import type { CommitProblem, SharedJournal } from "../../../src/io/journal/shared-journal.ts";
import { startReplica, type Owned } from "../../../src/run/replica/replica.ts";

export const RUNS_OUT_AFTER = 15_000;

/** A database with one lease, and rows that say which epochs have read them. */
export function world() {
  const row = { owner: "", epoch: 0, renewedAt: Number.NEGATIVE_INFINITY };
  const log: string[] = [];
  const unreadable: { why: CommitProblem | undefined; hangs?: boolean } = { why: undefined };
  /** What the database waits for before it reads the rows, or renews a lease. */
  const until: { read?: Promise<void>; renewed?: Promise<void> } = {};
  const leases: LeaseStore = {
    take: async (owner) => {
      const isFree = row.owner === "" || Date.now() - row.renewedAt >= RUNS_OUT_AFTER;
      if (!isFree) return succeed({ taken: false, owner: row.owner });
      Object.assign(row, { owner, epoch: row.epoch + 1, renewedAt: Date.now() });
      return await Promise.resolve(succeed({ taken: true, epoch: row.epoch }));
    },
    renew: async (owner, epoch) => {
      await until.renewed;
      const isOurs = row.owner === owner && row.epoch === epoch;
      if (isOurs) row.renewedAt = Date.now();
      return await Promise.resolve(succeed(isOurs));
    },
    release: async (owner) => {
      if (row.owner === owner) row.owner = "";
      log.push(`${owner} releases`);
      return await Promise.resolve(succeed(undefined));
    },
  };
  const journal: SharedJournal = {
    load: async (epoch) => {
      await (unreadable.hangs === true ? new Promise(() => undefined) : until.read);
      if (unreadable.why !== undefined) return fail(unreadable.why);
      return succeed({ rows: [], stamp: { epoch, sequence: 5 } });
    },
    commit: async () => await Promise.resolve(succeed(undefined)),
    stamp: async () => await Promise.resolve(succeed({ epoch: row.epoch, sequence: 5 })),
  };
  const hangs = new Set<string>();
  /** Ends those that hang after all. */
  const ends: Array<() => void> = [];
  const start = (owner: string) => {
    const lives: Owned[] = [];
    const replica = startReplica({
      owner,
      leases,
      journal,
      clocks: { wall: () => Date.now(), steady: () => Date.now() },
      live: (owned) => {
        lives.push(owned);
        log.push(`${owner} lives, epoch ${owned.lease.epoch}`);
        return {
          stop: () =>
            hangs.has(owner)
              ? new Promise<void>((resolve) => void ends.push(resolve))
              : Promise.resolve(void log.push(`${owner} ends`)),
          abandon: () => void log.push(`${owner} drops all`),
        };
      },
      onStandby: (why) => void log.push(`${owner} stands by: ${why}`),
      onUnreadable: (why) => void log.push(`${owner} cannot read: ${why}`),
    });
    return { replica, lives };
  };
  return { start, row, log, unreadable, until, hangs, ends };
}
