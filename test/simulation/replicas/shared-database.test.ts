import { expect, it } from "vitest";
import { HOME } from "../../../src/domain/lease.ts";
import { LEASE_LASTS } from "../../../src/io/journal/lease-store.ts";
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
  const database = createSharedDatabase({
    time,
    random: seedRandom(1),
    journalOf: () => opened.value,
    onUnfenced: () => expect.unreachable("it is fenced"),
  });
  database.setFaults(faults);
  const connect = () => {
    const machine = time.createMachine(1);
    const written: string[] = [];
    const onWritten = (): number => written.push("written");
    return {
      machine,
      written,
      ...database.connect({ machine, isAlive: () => true, onWritten }, HOME),
    };
  };
  /** What is answered within a minute. */
  const within = async <Value>(asked: Promise<Value>): Promise<Value | undefined> => {
    let answer: Value | undefined;
    void asked.then((given) => (answer = given));
    await time.runUntil(time.now() + 60_000);
    return answer;
  };
  return { time, disk, database, connect, within };
}

const record = {
  at: 1,
  changes: [{ table: "counter" as const, key: "x", value: 7 }],
  findings: [],
};
const fence = { epoch: 1, sequence: 1, after: 0 };

it("writes for the epoch of the lease alone", async () => {
  const { connect, within } = world();
  const { leases, commit, load } = connect();
  expect(await within(leases.take("a"))).toMatchObject({ value: { taken: true, epoch: 1 } });
  expect(await within(commit(record, fence))).toMatchObject({ ok: true });
  const other = connect();
  expect(await within(other.leases.take("b"))).toMatchObject({ value: { taken: true, epoch: 2 } });
  const late = await within(commit(record, { epoch: 1, sequence: 2, after: 1 }));
  expect(late).toMatchObject({ ok: false, problem: { kind: "fenced" } });
  expect(await within(load(1))).toMatchObject({ ok: false, problem: { kind: "fenced" } });
  const stamp = { epoch: 2, sequence: 1 };
  expect(await within(other.load(2))).toMatchObject({ value: { rows: record.changes, stamp } });
});

it("leaves the number of the last commit as it was if one cannot be written", async () => {
  const { disk, connect, within } = world();
  const { leases, commit, stamp } = connect();
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
  const one = lost.connect();
  void one.leases.take("a");
  await lost.time.runUntil(lost.time.now() + 60_000);
  const kind = { ok: false, problem: { kind: "unknown" } };
  expect(await lost.within(one.commit(record, fence))).toMatchObject(kind);
  expect(one.written).toEqual(["written"]);
  const late = world({ late: 1 });
  const other = late.connect();
  void other.leases.take("a");
  await late.time.runUntil(late.time.now() + 60_000);
  expect(await late.within(other.commit(record, fence))).toMatchObject(kind);
  expect(other.written).toEqual(["written"]);
});

it("is out of reach for a machine that is cut off, and for no other", async () => {
  const { database, connect, within, time } = world();
  const [cut, other] = [connect(), connect()];
  database.setPartitioned(cut.machine, true);
  expect(await within(cut.leases.take("a"))).toMatchObject({ ok: false });
  expect(await within(other.leases.take("b"))).toMatchObject({ value: { taken: true } });
  expect(database.leasedUntil(HOME, "b", 1)).toBeLessThanOrEqual(time.now() + LEASE_LASTS);
  expect(database.leasedUntil(HOME, "a", 1)).toBeUndefined();
});
