import { describe, expect, it } from "vitest";
import type { Batch, Topic } from "../../../src/domain/notification.ts";
import type { Policy } from "../../../src/domain/step.ts";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { createUnitJournal } from "../../../src/run/commit/unit-journal.ts";
import { channel } from "../../core/tell/channels.ts";
import {
  actingPolicy,
  loopTest,
  reading,
  START,
  upToConfirmation,
  type LoopTest,
} from "../loop-world.ts";
import { parkedJournal } from "./parked-journal.ts";

function notifying(...topics: readonly Topic[]): Policy {
  const channels = [channel("hook", { topics })];
  return {
    ...actingPolicy(),
    notify: { channels, suppressedAfterMs: MINUTE, annotations: "live" },
  };
}

function batchesOf({ effects }: LoopTest): Batch[] {
  return effects.flatMap((effect) => (effect.type === "notify" ? [effect.batch] : []));
}

/** What people read, a list for each message. */
function saidBy(test: LoopTest): string[][] {
  return batchesOf(test).map(({ items }) =>
    items.map(({ notification: one }) => (one.type === "alert" ? one.state : one.word)),
  );
}

describe("people", () => {
  it("read that an action was sent once it is", () => {
    const test = loopTest(notifying("remediations"));
    test.loop.push(upToConfirmation(test));
    expect(test.effects.map(({ type }) => type)).toContain("act");
    expect(saidBy(test)).toEqual([["sent"]]);
  });

  it("do not read that an action was sent if it was not, as its commit failed", () => {
    const test = loopTest(notifying("remediations"));
    const confirming = upToConfirmation(test);
    test.diskProblem = "disk full";
    test.loop.push(confirming);
    test.now += 10 * SECOND;
    test.loop.push({ type: "tick" });
    expect(saidBy(test)).toEqual([["rejected"]]);
  });

  it("nor if that was decided while the commit was not answered", async () => {
    const journal = parkedJournal();
    const unit = createUnitJournal(journal.shared, { rows: [], stamp: journal.stamp });
    const test = loopTest(notifying("alerts", "remediations"), { journal: unit });
    const answerAll = async (): Promise<void> => {
      while (await journal.answer());
    };
    const confirming = upToConfirmation(test);
    await answerAll();
    const [batch] = batchesOf(test);
    if (batch === undefined) throw new Error("nothing was notified");
    test.loop.push(confirming);
    // The channel is free again.
    const delivery = { outcome: "delivered", detail: "", durationMs: 0 } as const;
    test.loop.push({ type: "notified", batch, delivery });
    await journal.answer("refused");
    await answerAll();
    test.now += 10 * SECOND;
    test.loop.push({ type: "tick" });
    await answerAll();
    expect(saidBy(test)).toEqual([["firing"], ["rejected"]]);
  });
});

it("an action counts as rejected if its commit failed like the one before, which held none", async () => {
  const journal = parkedJournal();
  const unit = createUnitJournal(journal.shared, { rows: [], stamp: journal.stamp });
  const test = loopTest(actingPolicy(), { journal: unit });
  test.loop.push(upToConfirmation(test));
  await journal.answer("refused");
  await journal.answer("refused");
  while (await journal.answer());
  expect(test.effects.map(({ type }) => type)).not.toContain("act");
  expect(journal.rows.get("remediation r1")?.value).toMatchObject({ state: "rejected" });
});

/** Everything takes slices, and the shared journal answers when it is told to. */
function slicedTest() {
  const journal = parkedJournal();
  const unit = createUnitJournal(journal.shared, { rows: [], stamp: journal.stamp });
  const waiting: Array<() => void> = [];
  const next = async (): Promise<void> => await new Promise((resolve) => waiting.push(resolve));
  const log: string[] = [];
  const test = loopTest(notifying("alerts"), {
    journal: unit,
    slice: { begin: () => undefined, isOver: () => true, next },
    perform: ({ type }) => void log.push(type),
    publish: function* ({ type }) {
      log.push(`${type} begins to be shown`);
      yield;
      log.push(`${type} is shown`);
    },
  });
  /** The next slice, or the next answer; false if neither waits. */
  const goOn = async (): Promise<boolean> => {
    const turn = waiting.shift();
    turn?.();
    await Promise.resolve();
    await Promise.resolve();
    return turn !== undefined || (await journal.answer());
  };
  const start = async (): Promise<void> => {
    test.loop.push({ type: "started" });
    while (await goOn());
    log.length = 0;
    test.now += SECOND;
    // Both are committed while the commit of the first is under way.
    for (const status of ["enabled", "disabled", "disabled"] as const)
      test.loop.push(reading(status, test.now));
  };
  return { loop: test.loop, log, goOn, start };
}

it("goes on to its end in slices, while the lease is held", async () => {
  const { log, goOn, start } = slicedTest();
  await start();
  while (await goOn());
  expect(log.filter((line) => line === "observed is shown")).toHaveLength(3);
  expect(log).toContain("notify");
});

it("ends with the lease, wherever it is: nothing more is shown or sent", async () => {
  const whole = slicedTest();
  await whole.start();
  while (await whole.goOn());
  for (const cut of whole.log.keys()) {
    const { loop, log, goOn, start } = slicedTest();
    await start();
    while (log.length <= cut) await goOn();
    loop.abandon();
    const before = [...log];
    while (await goOn());
    expect(log, `after ${cut + 1}`).toEqual(before);
  }
});

describe("the cause of a failing journal", () => {
  it("is the newest, since the first, and each change is shown once", () => {
    const test = loopTest();
    const known = () => test.loop.state().tables.kill.get("journal");
    const readWith = (problem: string | undefined): void => {
      test.diskProblem = problem;
      test.now += SECOND;
      test.loop.push(reading("enabled", test.now));
    };
    const since = START + SECOND;
    for (const problem of ["away", "full", "read only"]) {
      readWith(problem);
      readWith(problem);
      expect(known()).toMatchObject({ since, reason: problem });
    }
    expect(test.log.filter((line) => line === "publish journal")).toHaveLength(3);
    // Two that take turns are not told each time.
    for (let turns = 0; turns < 5; turns += 1) for (const problem of ["a", "b"]) readWith(problem);
    expect(known()).toMatchObject({ since, reason: "read only" });
    readWith(undefined);
    expect(known()).toBeUndefined();
  });

  it("that is another at each attempt does not keep the loop busy", () => {
    const test = loopTest();
    let attempts = 0;
    Object.defineProperty(test, "diskProblem", { get: () => `attempt ${(attempts += 1)}` });
    test.loop.push(reading("enabled", test.now));
    expect(attempts).toBeGreaterThan(1);
    expect(attempts).toBeLessThan(10);
  });
});
