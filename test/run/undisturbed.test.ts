/** Tests src/run/inbox.ts: work that reads the state between two events. */
import { describe, expect, it } from "vitest";
import type { Slices } from "../../src/domain/slices.ts";
import { exchange } from "../core/fixtures.ts";
import { observed, partOf } from "../core/readings.ts";
import { slicedTest, START } from "./loop-world.ts";

describe("work that reads the state", () => {
  it("is done in slices, and what comes meanwhile waits for its end", async () => {
    const { loop } = slicedTest();
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
    const test = slicedTest();
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
    const test = slicedTest();
    const broken = test.loop.undisturbed(function* (): Slices {
      yield;
      throw new Error("broken");
    });
    await expect(broken).rejects.toThrow("broken");
    expect(test.bugs).toEqual([]);
  });

  it("is done all the same if the loop has been abandoned", async () => {
    const { loop } = slicedTest();
    loop.abandon();
    function* work(): Slices<number> {
      yield;
      return 7;
    }
    await expect(loop.undisturbed(work)).resolves.toBe(7);
  });
});
