import { expect, it } from "vitest";
import { HOME } from "../../../src/domain/lease.ts";
import { LEASE_LASTS } from "../../../src/io/postgres/lease-store.ts";
import { createSimulatedDisk } from "../../../src/simulation/machine/disk.ts";
import { createVirtualTime } from "../../../src/simulation/machine/virtual-time.ts";
import type { DatabaseFaults } from "../../../src/simulation/plan.ts";
import { createSharedDatabase } from "../../../src/simulation/replicas/shared-database.ts";
import { seedRandom } from "../../../src/simulator/model/random.ts";

function world(faults: DatabaseFaults = {}) {
  const time = createVirtualTime(1_000_000);
  const disk = createSimulatedDisk(time.block);
  const opened = disk.open();
  if (!opened.ok) throw new Error(opened.problem);
  const unfenced: string[] = [];
  const database = createSharedDatabase({
    time,
    random: seedRandom(1),
    journalOf: () => opened.value,
    diskOf: () => disk,
    onUnfenced: (_unit, what) => unfenced.push(what),
  });
  database.setFaults(faults);
  const connect = (owner: string) => {
    const machine = time.createMachine(1);
    const written: string[] = [];
    const onWritten = (): number => written.push("written");
    return {
      machine,
      written,
      ...database.connect({ machine, isAlive: () => true, owner, onWritten }, HOME),
    };
  };
  /** What is answered within a minute. */
  const within = async <Value>(asked: Promise<Value>): Promise<Value | undefined> => {
    let answer: Value | undefined;
    void asked.then((given) => (answer = given));
    await time.runUntil(time.now() + 60_000);
    return answer;
  };
  return { time, disk, database, connect, within, unfenced };
}

const record = {
  at: 1,
  changes: [{ table: "counter" as const, key: "x", value: 7 }],
  findings: [],
};
const fence = { epoch: 1, sequence: 1, after: 0 };

it("writes for the epoch of the lease alone", async () => {
  const { connect, within, unfenced } = world();
  const { leases, commit, load } = connect("a");
  expect(await within(leases.take("a"))).toMatchObject({ value: { taken: true, epoch: 1 } });
  expect(await within(commit(record, fence))).toMatchObject({ ok: true });
  const other = connect("b");
  expect(await within(other.leases.take("b"))).toMatchObject({ value: { taken: true, epoch: 2 } });
  const late = await within(commit(record, { epoch: 1, sequence: 2, after: 1 }));
  expect(late).toMatchObject({ ok: false, problem: { kind: "fenced" } });
  expect(await within(load(1))).toMatchObject({ ok: false, problem: { kind: "fenced" } });
  const stamp = { epoch: 2, sequence: 1 };
  expect(await within(other.load(2))).toMatchObject({ value: { rows: record.changes, stamp } });
  expect(unfenced).toEqual([]);
});

it("leaves the number of the last commit as it was if one cannot be written", async () => {
  const { disk, connect, within } = world();
  const { leases, commit, stamp } = connect("a");
  await within(leases.take("a"));
  disk.fail("commit");
  const failed = await within(commit(record, fence));
  expect(failed).toMatchObject({ ok: false, problem: { kind: "unavailable" } });
  expect(await within(stamp())).toEqual({ ok: true, value: { epoch: 1, sequence: 0 } });
  disk.fail(undefined);
  expect(await within(commit(record, fence))).toMatchObject({ ok: true });
});

it("says that an outcome is unknown if the answer is lost, or the commit arrives late", async () => {
  const lost = world({ replyLost: 1 });
  const one = lost.connect("a");
  void one.leases.take("a");
  await lost.time.runUntil(lost.time.now() + 60_000);
  const kind = { ok: false, problem: { kind: "unknown" } };
  expect(await lost.within(one.commit(record, fence))).toMatchObject(kind);
  expect(one.written).toEqual(["written"]);
  const late = world({ late: 1 });
  const other = late.connect("a");
  void other.leases.take("a");
  await late.time.runUntil(late.time.now() + 60_000);
  expect(await late.within(other.commit(record, fence))).toMatchObject(kind);
  expect(other.written).toEqual(["written"]);
});

it("is out of reach for a machine that is cut off, and for no other", async () => {
  const { database, connect, within, time } = world();
  const [cut, other] = [connect("a"), connect("b")];
  database.setPartitioned(cut.machine, true);
  expect(await within(cut.leases.take("a"))).toMatchObject({ ok: false });
  expect(await within(other.leases.take("b"))).toMatchObject({ value: { taken: true } });
  expect(database.leasedUntil(HOME, "b", 1)).toBeLessThanOrEqual(time.now() + LEASE_LASTS);
  expect(database.leasedUntil(HOME, "a", 1)).toBeUndefined();
});

it("has what it had when a copy of it was kept, once that is in its place", async () => {
  const { database, connect, within } = world();
  const { leases, commit, load, stamp } = connect("a");
  await within(leases.take("a"));
  await within(commit(record, fence));
  const until = database.leasedUntil(HOME, "a", 1) ?? 0;
  const promote = database.keep();
  const change = { table: "counter" as const, key: "y", value: 8 };
  await within(commit({ ...record, changes: [change] }, { epoch: 1, sequence: 2, after: 1 }));
  await within(leases.renew("a", 1));
  const other = connect("b");
  expect(await within(other.leases.take("b"))).toMatchObject({ value: { taken: true, epoch: 2 } });
  promote();
  expect(await within(stamp())).toEqual({ ok: true, value: { epoch: 1, sequence: 1 } });
  expect(await within(load(1))).toMatchObject({ value: { rows: record.changes } });
  expect(database.isOwner(HOME, "b", 2)).toBe(false);
  // Who had it may know nothing of that, and goes on for as long as it would have lasted.
  expect(database.leasedUntil(HOME, "b", 2)).toBeGreaterThan(until);
});

it("leaves open what became of a question that was on its way when a copy took its place", async () => {
  const { database, connect, within, time } = world({ delay: { least: 100, most: 100 } });
  const { leases, commit, written } = connect("a");
  await within(leases.take("a"));
  const promote = database.keep();
  const asked = commit(record, fence);
  await time.runUntil(time.now() + 150);
  expect(written).toEqual(["written"]);
  promote();
  expect(await within(asked)).toMatchObject({ ok: false, problem: { kind: "unknown" } });
  // Nobody was told that it was there: it may be asked for again.
  expect(await within(commit(record, { ...fence, sequence: 2 }))).toMatchObject({ ok: true });
});

it("says who commits over an epoch of another, or over less than it was told is there", async () => {
  const { database, connect, within, unfenced } = world();
  const { leases, commit } = connect("a");
  await within(leases.take("a"));
  await within(commit(record, fence));
  const promote = database.keep();
  await within(commit(record, { epoch: 1, sequence: 2, after: 1 }));
  expect(unfenced).toEqual([]);
  promote();
  await within(commit(record, { epoch: 1, sequence: 3, after: 1 }));
  expect(unfenced).toEqual([
    "commit 3 of home in epoch 1 by a is written, and the database lacks a commit that a knows of",
  ]);
  const other = connect("b");
  const late = await within(other.commit(record, { epoch: 1, sequence: 4, after: 3 }));
  expect(late).toMatchObject({ ok: false, problem: { kind: "fenced" } });
});
