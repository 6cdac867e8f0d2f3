import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RUNS_OUT_AFTER, world } from "./replica-world.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("hands over within a second: the owner ends in order, gives back, and the other reads again", async () => {
  const { start, log } = world();
  const a = start("a");
  await vi.advanceTimersByTimeAsync(10);
  const b = start("b");
  await vi.advanceTimersByTimeAsync(60_000);
  expect([a.replica.isOwner(), b.replica.isOwner()]).toEqual([true, false]);
  await a.replica.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(log).toEqual(["a lives, epoch 1", "a ends", "a releases", "b lives, epoch 2"]);
  await b.replica.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it("begins again from the rows: the work ends in order, and the lease has a new epoch", async () => {
  const { start, log, hangs } = world();
  const a = start("a");
  await vi.advanceTimersByTimeAsync(10);
  const b = start("b");
  await a.replica.beginAgain("a bug");
  await vi.advanceTimersByTimeAsync(60_000);
  const again = ["a lives, epoch 1", "a ends", "a stands by: a bug"];
  expect(log).toEqual([...again, "a releases", "a lives, epoch 2"]);
  expect([a.replica.isOwner(), b.replica.isOwner()]).toEqual([true, false]);
  // One that does not end is left to another.
  hangs.add("a");
  void a.replica.beginAgain("a bug");
  await vi.advanceTimersByTimeAsync(2 * RUNS_OUT_AFTER);
  expect(log.slice(5)).toEqual([
    "a drops all",
    "a stands by: what it did as the owner did not end within 15s",
    "b lives, epoch 3",
  ]);
  hangs.delete("a");
  await Promise.all([a.replica.stop(), b.replica.stop()]);
  expect(vi.getTimerCount()).toBe(0);
});

it("is not dropped by what its last life learns late", async () => {
  const { start, log } = world();
  const { replica, lives } = start("a");
  await vi.advanceTimersByTimeAsync(10);
  await replica.beginAgain("a bug");
  await vi.advanceTimersByTimeAsync(10);
  lives[0]?.onFenced("the lease has the epoch 2 now");
  expect([log.at(-1), replica.isOwner()]).toEqual(["a lives, epoch 2", true]);
  await replica.stop();
});

it("does not begin again if it is to end meanwhile", async () => {
  const { start, log } = world();
  const { replica } = start("a");
  await vi.advanceTimersByTimeAsync(10);
  await Promise.all([replica.beginAgain("a bug"), replica.stop()]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(log.filter((line) => line.includes("lives"))).toEqual(["a lives, epoch 1"]);
  expect([replica.isOwner(), vi.getTimerCount()]).toEqual([false, 0]);
});

it.each([
  ["ends late", (ends: ReadonlyArray<() => void>) => ends[0]?.()],
  ["never ends", () => undefined],
])("keeps its next life if the one that was to begin again was dropped and %s", async (_, end) => {
  const { start, row, log, hangs, ends } = world();
  hangs.add("a");
  const { replica, lives } = start("a");
  await vi.advanceTimersByTimeAsync(10);
  const again = replica.beginAgain("a bug");
  hangs.delete("a");
  row.owner = "";
  lives[0]?.onFenced("the lease was given back");
  await vi.advanceTimersByTimeAsync(1_000);
  end(ends);
  await vi.advanceTimersByTimeAsync(RUNS_OUT_AFTER);
  await again;
  const dropped = ["a lives, epoch 1", "a drops all", "a stands by: the lease was given back"];
  expect(log).toEqual([...dropped, "a lives, epoch 2"]);
  expect(replica.isOwner()).toBe(true);
  await replica.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it("begins nothing if it is to end while it reads the rows and renews its lease", async () => {
  const { start, log, until } = world();
  const [rows, renewal] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  Object.assign(until, { read: rows.promise, renewed: renewal.promise });
  const { replica } = start("a");
  await vi.advanceTimersByTimeAsync(RUNS_OUT_AFTER / 5 + 250);
  const stopped = replica.stop();
  rows.resolve();
  await vi.advanceTimersByTimeAsync(10);
  renewal.resolve();
  await stopped;
  expect([log, replica.isOwner(), vi.getTimerCount()]).toEqual([["a releases"], false, 0]);
});

it("drops everything if it cannot end within the length of its lease, and another takes over", async () => {
  const { start, log, hangs } = world();
  hangs.add("a");
  const a = start("a");
  await vi.advanceTimersByTimeAsync(10);
  const b = start("b");
  const stopped = a.replica.stop();
  await vi.advanceTimersByTimeAsync(RUNS_OUT_AFTER);
  await stopped;
  expect(log).toEqual([
    "a lives, epoch 1",
    "a drops all",
    "a stands by: what it did as the owner did not end within 15s",
  ]);
  // Its lease is not given back, and runs out.
  await vi.advanceTimersByTimeAsync(RUNS_OUT_AFTER);
  expect(log.at(-1)).toBe("b lives, epoch 2");
  await b.replica.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it("says that the owner hangs, drops its work, and another takes over", async () => {
  const { start, log } = world();
  const a = start("a");
  await vi.advanceTimersByTimeAsync(10);
  const b = start("b");
  const turning = setInterval(() => a.lives.at(-1)?.onTurn(), 1_000);
  await vi.advanceTimersByTimeAsync(300_000);
  expect([log, a.replica.fault()]).toEqual([["a lives, epoch 1"], undefined]);
  clearInterval(turning);
  await vi.advanceTimersByTimeAsync(45_000);
  expect(a.replica.fault()).toBe("what it does as the owner has done nothing for 45s");
  expect([log, a.replica.isOwner()]).toEqual([["a lives, epoch 1"], true]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(log.slice(1)).toEqual([
    "a drops all",
    "a stands by: what it does as the owner has done nothing for 1m",
  ]);
  expect(a.replica.fault()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(RUNS_OUT_AFTER);
  expect(log.at(-1)).toBe("b lives, epoch 2");
  await Promise.all([a.replica.stop(), b.replica.stop()]);
  expect(vi.getTimerCount()).toBe(0);
});

it("drops a lease under which the rows are never read, after longer", async () => {
  const { start, log, unreadable } = world();
  unreadable.hangs = true;
  const { replica } = start("a");
  await vi.advanceTimersByTimeAsync(100_000);
  expect(replica.fault()).toBe("what it does as the owner has not begun for 1m40s");
  expect(log).toEqual([]);
  unreadable.hangs = false;
  await vi.advanceTimersByTimeAsync(85_000 + 2 * RUNS_OUT_AFTER);
  expect(log).toEqual([
    "a stands by: what it does as the owner has not begun for 3m",
    "a lives, epoch 2",
  ]);
  await replica.stop();
});

it("is not taken to hang while the process stands still", async () => {
  const { start, log } = world();
  const { replica, lives } = start("a");
  await vi.advanceTimersByTimeAsync(10);
  lives[0]?.onTurn();
  vi.setSystemTime(Date.now() + 3_600_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([log, replica.fault()]).toEqual([["a lives, epoch 1"], undefined]);
  await replica.stop();
});

it("drops everything if a commit finds another owner, and stands by", async () => {
  const { start, row, log } = world();
  const { replica, lives } = start("a");
  await vi.advanceTimersByTimeAsync(10);
  Object.assign(row, { owner: "b", epoch: 2, renewedAt: Date.now() });
  lives[0]?.onFenced("the lease has the epoch 2 now");
  expect(log.slice(1)).toEqual(["a drops all", "a stands by: the lease has the epoch 2 now"]);
  expect([replica.isOwner(), lives[0]?.lease.held()]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(RUNS_OUT_AFTER + 1_000);
  // It takes over in turn, and begins from the rows again.
  expect([log.at(-1), lives.length]).toEqual(["a lives, epoch 3", 2]);
  await replica.stop();
});

it("leaves the lease to another if it cannot begin, and asks for it again later", async () => {
  const { start, log } = world();
  const a = start("a");
  await vi.advanceTimersByTimeAsync(10);
  const b = start("b");
  a.lives[0]?.onUnable("no space");
  await vi.advanceTimersByTimeAsync(RUNS_OUT_AFTER + 1_000);
  expect(log.slice(1)).toEqual(["a drops all", "a stands by: no space", "b lives, epoch 2"]);
  await b.replica.stop();
  await vi.advanceTimersByTimeAsync(2 * RUNS_OUT_AFTER);
  expect([log.at(-1), a.replica.hung()]).toEqual(["a lives, epoch 3", undefined]);
  await a.replica.stop();
});

it("does nothing as the owner before it has read the rows, and tries that each second", async () => {
  const { start, log, unreadable } = world();
  unreadable.why = { kind: "unavailable", detail: "no route" };
  const { replica } = start("a");
  await vi.advanceTimersByTimeAsync(1_500);
  expect(log).toEqual(["a cannot read: no route", "a cannot read: no route"]);
  expect(replica.isOwner()).toBe(false);
  unreadable.why = undefined;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(log.at(-1)).toBe("a lives, epoch 1");
  await replica.stop();
});

it("begins nothing if it lost the lease while it read the rows", async () => {
  const { start, log, unreadable } = world();
  unreadable.why = { kind: "fenced", detail: "the lease has the epoch 2 now" };
  const { replica } = start("a");
  await vi.advanceTimersByTimeAsync(10);
  expect(log).toEqual(["a stands by: the lease has the epoch 2 now"]);
  await replica.stop();
});

it("begins nothing under a lease that it lost while it read the rows, though they were read", async () => {
  const { start, row, log, until } = world();
  const rows = Promise.withResolvers<void>();
  until.read = rows.promise;
  const { replica } = start("a");
  await vi.advanceTimersByTimeAsync(10);
  Object.assign(row, { owner: "b", epoch: 2, renewedAt: Date.now() });
  await vi.advanceTimersByTimeAsync(RUNS_OUT_AFTER / 5 + 250);
  rows.resolve();
  await vi.advanceTimersByTimeAsync(10);
  expect(log).toEqual(["a stands by: another replica has taken it"]);
  await replica.stop();
});
