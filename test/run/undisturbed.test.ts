/** Tests src/run/inbox.ts: work that reads the state between two events. */
import { describe, expect, it } from "vitest";
import type { Slices } from "../../src/domain/slices.ts";
import type { Event } from "../../src/domain/step.ts";
import { exchange } from "../core/fixtures.ts";
import { observed, partOf } from "../core/readings.ts";
import { actingPolicy, loopTest, START, type LoopTest } from "./loop-world.ts";

/** A loop whose slices are over at once, and whose event loop turns as often as the test waits. */
function sliced(): LoopTest {
  const test = loopTest(actingPolicy(), {
    slice: { begin: () => undefined, isOver: () => true, next: () => Promise.resolve() },
  });
  test.loop.push({ type: "started" });
  return test;
}

describe("work that reads the state", () => {
  it("is done in slices, and what comes meanwhile waits for its end", async () => {
    const { loop } = sliced();
    await loop.caughtUp();
    const seen: number[] = [];
    function* work(): Slices<string> {
      for (let slice = 0; slice < 5; slice += 1) {
        seen.push(loop.stateSoFar().tables.entity.size);
        if (slice === 1)
          loop.push(observed("exchanges", [partOf("all", START, [exchange("A", "enabled")])]));
        yield;
      }
      return "read";
    }
    const before = loop.state().tables.entity.size;
    await expect(loop.undisturbed(work)).resolves.toBe("read");
    await loop.caughtUp();
    expect(seen).toEqual(Array.from({ length: 5 }, () => before));
    expect(loop.state().tables.entity.size).toBe(before + 1);
  });

  it("goes before what waits, and not into the middle of what has begun", async () => {
    const test = sliced();
    await test.loop.caughtUp();
    test.log.length = 0;
    const names = Array.from({ length: 100 }, (_, index) => exchange(`E${index}`, "enabled"));
    test.loop.push(observed("exchanges", [partOf("all", START, names)]));
    test.loop.push({ type: "tick" });
    function* work(): Slices {
      test.log.push("read");
      yield;
    }
    await test.loop.undisturbed(work);
    await test.loop.caughtUp();
    expect(test.log.filter((entry) => entry !== "commit")).toEqual([
      "publish observed",
      "read",
      "publish tick",
    ]);
  });

  it("says what was thrown, and the loop goes on without a bug", async () => {
    const test = sliced();
    const broken = test.loop.undisturbed(function* (): Slices {
      yield;
      throw new Error("broken");
    });
    await expect(broken).rejects.toThrow("broken");
    expect(test.bugs).toEqual([]);
  });

  it("is done all the same if the loop has been abandoned", async () => {
    const { loop } = sliced();
    loop.abandon();
    function* work(): Slices<number> {
      yield;
      return 7;
    }
    await expect(loop.undisturbed(work)).resolves.toBe(7);
  });
});

describe("a command that is asked in slices", () => {
  const listing = (names: number, prefix: string) => {
    const listed = Array.from({ length: names }, (_, index) =>
      exchange(`${prefix}${index}`, "enabled"),
    );
    return observed("exchanges", [partOf("all", START, listed)]);
  };
  const command = (name: "kill" | "unkill"): Event => ({
    type: "command",
    by: "ann",
    reason: "",
    command: { name, source: "operator" },
  });

  it("goes before all that waits, and ends no event at once", async () => {
    const test = sliced();
    await test.loop.caughtUp();
    test.log.length = 0;
    test.loop.push(listing(100, "A"));
    test.loop.push(listing(100, "B"));
    const answer = test.loop.askInSlices(command("kill"));
    expect(test.loop.isBusy()).toBe(true);
    expect(test.loop.stateSoFar().tables.kill.size).toBe(0);
    expect((await answer)?.result.findings).toMatchObject([
      { type: "kill", on: true },
      { type: "command", accepted: true },
    ]);
    await test.loop.caughtUp();
    expect(test.log.filter((entry) => entry !== "commit")).toEqual([
      "publish observed",
      "publish command",
      "publish observed",
    ]);
  });

  it("is answered after a gap too, which is handled before it", async () => {
    const gaps = {
      look: () => (looks++ === 1 ? 60_000 : undefined),
      peek: () => undefined,
      noteRunning: () => undefined,
    };
    let looks = 0;
    const { loop, log } = loopTest(actingPolicy(), { gaps });
    loop.push({ type: "started" });
    const answer = await loop.askInSlices(command("kill"));
    expect(answer?.kept).toBe("durable");
    expect(log.filter((entry) => entry !== "commit")).toEqual([
      "publish started",
      "publish resumed",
      "publish command",
    ]);
  });

  it("has no answer if a bug came between, or if the loop has another owner", async () => {
    const test = sliced();
    await test.loop.caughtUp();
    test.loop.push(listing(100, "A"));
    const dropped = test.loop.askInSlices(command("kill"));
    test.loop.abandon();
    expect(await dropped).toBeUndefined();
    expect(await test.loop.askInSlices(command("unkill"))).toBeUndefined();
    const broken = loopTest(actingPolicy());
    broken.loop.push({ type: "started" });
    const wrong = { ...command("kill"), command: undefined } as unknown as Event;
    expect(await broken.loop.askInSlices(wrong)).toBeUndefined();
    expect(broken.bugs).toHaveLength(1);
    expect(await broken.loop.askInSlices(command("unkill"))).toBeDefined();
  });
});
