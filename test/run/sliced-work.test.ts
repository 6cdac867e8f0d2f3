import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/step.ts";
import type { Slices } from "../../src/domain/slices.ts";
import { openJournal } from "../../src/io/journal/journal.ts";
import type { TimeSlice } from "../../src/io/process/time-slice.ts";
import { createSlicedWork, createTicker } from "../../src/run/sliced-work.ts";
import { exchange, policyOf, repair, rule } from "../core/fixtures.ts";
import { observed, partOf } from "../core/readings.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { loopTest, START, type LoopTest } from "./loop-world.ts";

const NAMES = Array.from({ length: 100 }, (_, index) => `EXCHANGE${index}`);

/** More than three that are bad at once are a storm. */
const STORMY = policyOf([rule({ act: repair({ storm: { max: 3, maxRatio: 1, withinMs: 0 } }) })]);

function listing(names: readonly string[], status: "enabled" | "disabled", at: number): Event {
  const entities = names.map((name) => exchange(name, status));
  return observed("exchanges", [partOf("all", at, entities)]);
}

/** Each slice is over as soon as it may be, and the next one begins when the test says so. */
function manualSlice() {
  let waiting: (() => void) | undefined;
  return {
    slice: {
      begin: () => undefined,
      isOver: () => true,
      next: () =>
        new Promise<void>((resolve) => {
          waiting = resolve;
        }),
    },
    /** The event loop turns once; false if nothing waits for that. */
    turn: async (): Promise<boolean> => {
      const next = waiting;
      waiting = undefined;
      next?.();
      // The work goes on in a microtask.
      await Promise.resolve();
      await Promise.resolve();
      return next !== undefined;
    },
  };
}

function slicedTest(): LoopTest & ReturnType<typeof manualSlice> {
  const manual = manualSlice();
  // The test's own object: its clock and its disk are set later.
  return Object.assign(loopTest(STORMY, { slice: manual.slice }), manual);
}

/** One that has started, and to which two long listings have come. */
async function withTwoListings(): Promise<ReturnType<typeof slicedTest>> {
  const test = slicedTest();
  test.loop.push({ type: "started" });
  await test.loop.idle();
  test.log.length = 0;
  test.loop.push(listing(NAMES, "enabled", START));
  test.loop.push(listing(NAMES, "disabled", START + 1));
  return test;
}

describe("a long event", () => {
  it("lets the event loop turn, and the others wait until it is decided, committed and shown", async () => {
    const test = slicedTest();
    test.loop.push({ type: "started" });
    await test.loop.idle();
    test.log.length = 0;
    test.loop.push(listing(NAMES, "disabled", START));
    test.loop.push({ type: "tick" });
    expect(test.loop.isBusy()).toBe(true);
    expect(test.log).toEqual([]);
    let turns = 0;
    while (await test.turn()) turns += 1;
    expect(turns).toBeGreaterThan(10);
    expect(test.loop.isBusy()).toBe(false);
    // More than a storm's limit are bad: had it been decided in parts, the first would have been probed.
    expect(test.log).toEqual(["commit", "publish observed", "publish tick"]);
  });

  it("is brought to its end before its state is read, or an operator's command is decided", async () => {
    const test = slicedTest();
    test.loop.push({ type: "started" });
    await test.loop.idle();
    test.loop.push(listing(NAMES, "enabled", START));
    expect(test.loop.stateSoFar().counts.get("bsc/exchange") ?? 0).toBeLessThan(NAMES.length);
    expect(test.loop.state().counts.get("bsc/exchange")).toBe(NAMES.length);
    expect(test.rows.size).toBeGreaterThan(NAMES.length);
    test.loop.push(listing(NAMES, "disabled", START + 1));
    const command = { name: "kill", source: "operator" } as const;
    const answer = test.loop.ask({ type: "command", by: "ann", reason: "drill", command });
    expect(answer).toMatchObject({ kept: "durable" });
    expect(test.log.filter((entry) => entry.startsWith("publish")).slice(-2)).toEqual([
      "publish observed",
      "publish command",
    ]);
    // What waited for its slice finds that nothing is left to do.
    await test.turn();
    expect(test.loop.isBusy()).toBe(false);
  });

  it("alone is brought to its end if the state is read: what waits behind it keeps its slices", async () => {
    const test = await withTwoListings();
    expect(test.loop.state().counts.get("bsc/exchange")).toBe(NAMES.length);
    expect(test.log.filter((entry) => entry.startsWith("publish"))).toEqual(["publish observed"]);
    expect(test.loop.isBusy()).toBe(false);
    let turns = 0;
    while (await test.turn()) turns += 1;
    expect(turns).toBeGreaterThan(10);
    expect(test.log.filter((entry) => entry.startsWith("publish"))).toHaveLength(2);
  });

  it("keeps its slices, and those of what waits behind it, while other watch lists go before them", async () => {
    const test = await withTwoListings();
    expect(test.loop.rewatch(STORMY, [])).toBeDefined();
    const published = (): string[] => test.log.filter((entry) => entry.startsWith("publish"));
    expect(published()).toEqual(["publish observed", "publish watch_changed"]);
    expect(test.loop.isBusy()).toBe(false);
    let turns = 0;
    while (await test.turn()) turns += 1;
    expect(turns).toBeGreaterThan(10);
    expect(published()).toEqual(["publish observed", "publish watch_changed", "publish observed"]);
  });

  it("puts other watch lists in force at once, though a gap is found that goes before them", async () => {
    const gap = { awayMs: undefined as number | undefined };
    const look = (): number | undefined => {
      const { awayMs } = gap;
      gap.awayMs = undefined;
      return awayMs;
    };
    const manual = manualSlice();
    const test = loopTest(STORMY, {
      slice: manual.slice,
      gaps: { look, peek: () => gap.awayMs, noteRunning: () => undefined },
    });
    test.loop.push({ type: "started" });
    await test.loop.idle();
    test.log.length = 0;
    gap.awayMs = 60_000;
    expect(test.loop.rewatch(STORMY, [])).toBeDefined();
    expect(test.log.filter((entry) => entry.startsWith("publish"))).toEqual([
      "publish resumed",
      "publish watch_changed",
    ]);
  });

  it("starves no tick, however many follow each other, and the kill file is looked for before the next", async () => {
    const test = slicedTest();
    test.loop.push({ type: "started" });
    await test.loop.idle();
    test.log.length = 0;
    const tick = createTicker(test.loop, () => test.log.push("before tick"));
    for (let index = 0; index < 4; index += 1)
      test.loop.push(listing(NAMES, index % 2 === 0 ? "enabled" : "disabled", START + index));
    tick();
    tick();
    while (await test.turn());
    expect(test.log.filter((entry) => entry !== "commit" && !entry.startsWith("perform"))).toEqual([
      "publish observed",
      "before tick",
      "publish observed",
      "publish observed",
      "publish observed",
      "publish tick",
    ]);
  });

  it("has a tick waiting for it, also if another had one before", async () => {
    const test = slicedTest();
    test.loop.push({ type: "started" });
    await test.loop.idle();
    const tick = createTicker(test.loop, () => undefined);
    for (let index = 0; index < 2; index += 1) {
      test.log.length = 0;
      test.loop.push(listing(NAMES, index === 0 ? "enabled" : "disabled", START + index));
      tick();
      while (await test.turn());
      expect(test.log).toContain("publish tick");
    }
  });

  it("that takes long is not a gap, in which the process could not run", async () => {
    let noted = 0;
    const gaps = { look: () => undefined, peek: () => undefined, noteRunning: () => (noted += 1) };
    const manual = manualSlice();
    const test = loopTest(STORMY, { slice: manual.slice, gaps });
    test.loop.push({ type: "started" });
    test.loop.push(listing(NAMES, "enabled", START));
    let turns = 0;
    while (await manual.turn()) turns += 1;
    expect(noted).toBe(turns);
    expect(turns).toBeGreaterThan(3);
  });

  it("that fails in a slice is a bug like any other", async () => {
    const test = slicedTest();
    test.loop.push({ type: "started" });
    const entities = NAMES.map((name) => exchange(name, "enabled"));
    const poison = [...entities, { kind: "undeclared", id: "x", facts: {} }];
    test.loop.push(observed("exchanges", [partOf("all", START, poison)]));
    const idle = test.loop.idle();
    while (await test.turn());
    await idle;
    expect(test.bugs).toMatchObject([{ event: "observed", fatal: false }]);
    expect(test.loop.state().counts.get("bsc/exchange")).toBeUndefined();
  });

  it("comes to the same as at once, whatever else arrives meanwhile", async () => {
    const names = fc.uniqueArray(fc.constantFrom(...NAMES.slice(0, 60)), { maxLength: 60 });
    const status = fc.constantFrom("enabled" as const, "disabled" as const);
    const event = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(names, status) },
      { weight: 1, arbitrary: fc.constant("tick" as const) },
    );
    const happening = fc.record({ event, afterTurns: fc.integer({ min: 0, max: 30 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 12 }), async (happenings) => {
        const [sliced, atOnce] = [slicedTest(), loopTest(STORMY)];
        for (const test of [sliced, atOnce]) test.loop.push({ type: "started" });
        for (const [index, happened] of happenings.entries()) {
          const at = START + 1 + index;
          const own: Event =
            happened.event === "tick" ? { type: "tick" } : listing(...happened.event, at);
          for (const test of [sliced, atOnce]) test.loop.push(own);
          for (let turn = 0; turn < happened.afterTurns; turn += 1) await sliced.turn();
        }
        while (await sliced.turn());
        expect(sliced.log).toEqual(atOnce.log);
        expect(sliced.findings).toEqual(atOnce.findings);
        expect([...sliced.rows]).toEqual([...atOnce.rows]);
        expect(sliced.loop.state()).toEqual(atOnce.loop.state());
      }),
      { numRuns: 60 },
    );
  });
});

describe("a commit in slices", () => {
  it("leaves nothing if the process ends before its end, and all after it", () => {
    const { path, remove } = temporaryDirectory();
    const changes = NAMES.map((key) => ({ table: "counter" as const, key, value: 1 }));
    const record = { at: START, changes, findings: [] };
    const open = () => {
      const opened = openJournal(path);
      if (!opened.ok) throw new Error(opened.problem);
      return opened.value;
    };
    const first = open();
    const slices = first.commitInSlices(record);
    slices.next();
    slices.next();
    first.close();
    const second = open();
    expect([...second.rows()]).toEqual([]);
    const whole = second.commitInSlices(record);
    while (whole.next().done !== true);
    second.close();
    const third = open();
    expect([...third.rows()]).toHaveLength(NAMES.length);
    third.close();
    remove();
  });

  it("writes nothing more to a journal that is found damaged meanwhile", () => {
    const { path, remove } = temporaryDirectory();
    const opened = openJournal(path);
    if (!opened.ok) throw new Error(opened.problem);
    const journal = opened.value;
    const changes = NAMES.map((key) => ({ table: "counter" as const, key, value: 1 }));
    const slices = journal.commitInSlices({ at: START, changes, findings: [] });
    slices.next();
    journal.condemn("page 7 is damaged");
    let last = slices.next();
    while (last.done !== true) last = slices.next();
    expect(last.value).toEqual({ ok: false, problem: "page 7 is damaged" });
    expect([...journal.rows()]).toEqual([]);
    journal.close();
    remove();
  });
});

/** Work of two slices each, with what was done of it. */
function piecesOf(names: readonly string[], slice?: TimeSlice) {
  const done: string[] = [];
  const waiting = [...names];
  function* piece(name: string): Slices {
    done.push(`${name} begins`);
    yield;
    done.push(`${name} ends`);
  }
  const next = (): Slices | undefined => {
    const name = waiting.shift();
    return name === undefined ? undefined : piece(name);
  };
  return { done, waiting, work: createSlicedWork(next, slice) };
}

describe("work in slices", () => {
  it("is idle at once if there is none", async () => {
    await createSlicedWork(() => undefined, undefined).idle();
  });

  it("is done to its end at once if it must be, though somebody waits for the end of a piece", async () => {
    const { done, work } = piecesOf(["one", "two"], manualSlice().slice);
    work.start();
    const idle = work.idle();
    work.finish();
    expect(done).toEqual(["one begins", "one ends", "two begins", "two ends"]);
    await idle;
  });

  it("goes on by itself after the turn of those that waited for the end of a piece", async () => {
    const { slice, turn } = manualSlice();
    const { done, work } = piecesOf(["one", "two"], slice);
    work.start();
    const seen = work.idle().then(() => [...done]);
    while (await turn());
    expect(await seen).toEqual(["one begins", "one ends"]);
    expect(done).toEqual(["one begins", "one ends", "two begins", "two ends"]);
  });

  it("waits for its next slice, whatever more comes meanwhile", async () => {
    const { slice, turn } = manualSlice();
    const { done, waiting, work } = piecesOf(["one"], slice);
    work.start();
    waiting.push("two");
    work.start();
    expect(done).toEqual(["one begins"]);
    while (await turn());
    expect(done).toHaveLength(4);
  });

  it("has one slice in a turn of the event loop, though a piece was brought to its end meanwhile", async () => {
    const asked: Array<() => void> = [];
    const next = (): Promise<void> => new Promise((resolve) => void asked.push(resolve));
    const slice = { begin: () => undefined, isOver: () => true, next };
    const { work } = piecesOf(["one", "two", "three"], slice);
    work.start();
    work.finishCurrent();
    work.finishNext();
    expect(asked).toHaveLength(1);
  });

  it("begins a slice of its own when there is more to do", () => {
    let isOver = true;
    const begin = (): void => void (isOver = false);
    const next = async (): Promise<void> => await new Promise(() => undefined);
    const { done, work } = piecesOf(["one"], { begin, isOver: () => isOver, next });
    work.start();
    expect(done).toEqual(["one begins", "one ends"]);
  });
});
