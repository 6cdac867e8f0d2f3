import { expect, it } from "vitest";
import { TAKE_EVERY } from "../../../src/run/replica/lease-keeper.ts";
import { LASTS, USABLE, world } from "./lease-world.ts";

it("takes a lease that is free, and renews it each fifth of its length", async () => {
  const { replica, pass, asked } = world();
  const { keeper, told } = replica("a");
  await keeper.turn();
  expect(told).toEqual(["taken 1"]);
  const lease = keeper.lease();
  expect(lease?.leftMs()).toBe(USABLE);
  pass(LASTS / 5 - 1);
  await keeper.turn();
  expect([asked(), lease?.leftMs()]).toEqual([1, USABLE - LASTS / 5 + 1]);
  pass(1);
  await keeper.turn();
  expect([asked(), lease?.leftMs()]).toEqual([2, USABLE]);
  expect(keeper.lease()).toBe(lease);
});

it("counts what is left from before the renewal was sent, however late its answer comes", async () => {
  const { replica, pass, setLatency } = world();
  const { keeper } = replica("a");
  setLatency(4_000);
  await keeper.turn();
  expect(keeper.lease()?.leftMs()).toBe(USABLE - 4_000);
  // So is the time until the next.
  for (const _ of ["one renewal", "another"]) {
    pass(1_000);
    await keeper.turn();
    expect(keeper.lease()?.leftMs()).toBe(USABLE - 4_000);
  }
});

it("takes over from one that fell silent, once its lease has run out, and that one learns it", async () => {
  const { replica, pass } = world();
  const [a, b] = [replica("a"), replica("b")];
  await a.keeper.turn();
  await b.keeper.turn();
  expect(b.keeper.holder()).toBe("a");
  for (let waited = 0; waited < LASTS; waited += TAKE_EVERY) {
    expect(b.told).toEqual([]);
    pass(TAKE_EVERY);
    await b.keeper.turn();
  }
  expect(b.told).toEqual(["taken 2"]);
  const lease = a.keeper.lease();
  expect([lease?.held(), lease?.leftMs()]).toEqual([true, 0]);
  await a.keeper.turn();
  expect(a.told).toEqual(["taken 1", "lost: another replica has taken it"]);
  expect([lease?.held(), lease?.leftMs(), a.keeper.lease()]).toEqual([false, 0, undefined]);
  // It stands by, and takes over in turn.
  pass(LASTS);
  await a.keeper.turn();
  expect(a.told.at(-1)).toBe("taken 3");
});

it("asks for the lease of another four times a second, and no more often", async () => {
  const { replica, pass, asked } = world();
  const [a, b] = [replica("a"), replica("b")];
  await a.keeper.turn();
  const before = asked();
  for (let waited = 0; waited < 1_000; waited += 50) {
    await b.keeper.turn();
    pass(50);
  }
  expect(asked() - before).toBe(4);
});

it("tries a renewal that failed again as soon, and not when the next would be due", async () => {
  const { replica, pass, asked, setAway } = world();
  const { keeper } = replica("a");
  await keeper.turn();
  pass(LASTS / 5);
  setAway("no route");
  await keeper.turn();
  setAway(undefined);
  pass(TAKE_EVERY - 1);
  await keeper.turn();
  expect(asked()).toBe(2);
  pass(1);
  await keeper.turn();
  expect([asked(), keeper.lease()?.leftMs()]).toEqual([3, USABLE]);
});

it("counts on nothing of a lease that it lost, however long that would have lasted", async () => {
  const { replica, pass } = world();
  const { keeper } = replica("a");
  await keeper.turn();
  const lease = keeper.lease();
  keeper.lose("a commit was refused");
  expect([lease?.held(), lease?.leftMs()]).toEqual([false, 0]);
  pass(LASTS);
  await keeper.turn();
  expect([lease?.held(), lease?.leftMs(), keeper.lease()?.leftMs()]).toEqual([false, 0, USABLE]);
});

it("does not take a renewal that was under way when the lease was lost for a new one", async () => {
  const { replica, pass, setAway, asked } = world();
  const { keeper, told } = replica("a");
  await keeper.turn();
  pass(LASTS / 5);
  setAway("no route");
  const renewing = keeper.turn();
  keeper.lose("a commit was refused");
  await renewing;
  expect([keeper.problem(), keeper.lease(), told.length]).toEqual([undefined, undefined, 2]);
  // Nor does its end say when to ask again.
  pass(TAKE_EVERY);
  await keeper.turn();
  expect(asked()).toBe(3);
});

it("says why it was lost in the words of the store, if it has some", async () => {
  const { replica, pass, setStopped } = world();
  const { keeper, told } = replica("a");
  await keeper.turn();
  setStopped("the journal was replaced");
  pass(LASTS / 5);
  await keeper.turn();
  expect(told.at(-1)).toBe("lost: the journal was replaced");
});

it("does not say who has the lease while the store does not answer", async () => {
  const { replica, pass, setAway } = world();
  const [a, b] = [replica("a"), replica("b")];
  await a.keeper.turn();
  await b.keeper.turn();
  setAway("no route");
  pass(TAKE_EVERY);
  await b.keeper.turn();
  expect([b.keeper.holder(), b.keeper.problem()]).toEqual([undefined, "no route"]);
});

it("goes on by itself if the database was away and nobody took the lease", async () => {
  const { replica, pass, setAway } = world();
  const { keeper, told } = replica("a");
  await keeper.turn();
  setAway("no route");
  pass(LASTS / 5);
  await keeper.turn();
  expect(keeper.problem()).toBe("no route");
  pass(LASTS);
  expect(keeper.lease()?.leftMs()).toBe(0);
  setAway(undefined);
  await keeper.turn();
  expect([keeper.lease()?.leftMs(), keeper.problem(), told]).toEqual([
    USABLE,
    undefined,
    ["taken 1"],
  ]);
});

it("gives the lease back at the end, also one that it is just taking, and asks no more", async () => {
  const { replica, asked, pass } = world();
  const [a, b] = [replica("a"), replica("b")];
  const taking = a.keeper.turn();
  await a.keeper.release();
  await taking;
  expect(a.told).toEqual([]);
  await b.keeper.turn();
  expect(b.told).toEqual(["taken 2"]);
  const before = asked();
  pass(2 * LASTS);
  await a.keeper.turn();
  expect(asked()).toBe(before);
});

it("says once that the lease was lost, however often it is learned", async () => {
  const { replica } = world();
  const { keeper, told } = replica("a");
  await keeper.turn();
  keeper.lose("a commit was refused");
  keeper.lose("again");
  expect(told).toEqual(["taken 1", "lost: a commit was refused"]);
});

it("takes its own lease again at once, with a new epoch, though another asks for it all the time", async () => {
  const { replica } = world();
  const [a, b] = [replica("a"), replica("b")];
  await a.keeper.turn();
  const lease = a.keeper.lease();
  await Promise.all([a.keeper.takeAgain("a bug"), b.keeper.turn(), a.keeper.turn()]);
  expect(a.told).toEqual(["taken 1", "lost: a bug", "taken 2"]);
  expect([lease?.held(), a.keeper.lease()?.leftMs(), b.told]).toEqual([false, USABLE, []]);
});

it("does not take again a lease that it lost meanwhile", async () => {
  const { replica, asked } = world();
  const { keeper, told } = replica("a");
  await keeper.turn();
  keeper.lose("a commit was refused");
  const before = asked();
  await keeper.takeAgain("a bug");
  expect([told, asked()]).toEqual([["taken 1", "lost: a commit was refused"], before]);
});

it("gives back what it is taking again at its end, also behind a renewal that is under way", async () => {
  const { replica, pass } = world();
  const [a, b] = [replica("a"), replica("b")];
  await a.keeper.turn();
  pass(LASTS / 5);
  const renewing = a.keeper.turn();
  await Promise.all([a.keeper.takeAgain("a bug"), a.keeper.release(), renewing]);
  await b.keeper.turn();
  expect([a.told, b.told]).toEqual([["taken 1", "lost: a bug"], ["taken 3"]]);
});

it("gives back what it is taking again also if its end comes after that renewal", async () => {
  const { replica, pass } = world();
  const [a, b] = [replica("a"), replica("b")];
  await a.keeper.turn();
  pass(LASTS / 5);
  const renewing = a.keeper.turn();
  const again = a.keeper.takeAgain("a bug");
  await renewing;
  await Promise.all([a.keeper.release(), again]);
  await b.keeper.turn();
  expect([a.told, b.told]).toEqual([["taken 1", "lost: a bug"], ["taken 3"]]);
});

it("asks one question at a time, however often it is called", async () => {
  const { replica, asked } = world();
  const { keeper, told } = replica("a");
  await Promise.all([keeper.turn(), keeper.turn(), keeper.turn()]);
  expect([asked(), told]).toEqual([1, ["taken 1"]]);
});
