import { describe, expect, it } from "vitest";
import { longestGapMs, schedulePatternProblem } from "../../src/config/schedule.ts";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";

describe("a schedule", () => {
  it.each([
    ["*/10 * * * * *", 10_000],
    ["*/7 * * * * *", 7_000],
    ["0 * * * * *", MINUTE],
    ["* * * * *", MINUTE],
    ["0 0 * * * *", HOUR],
    ["0 0 9,17 * * *", 16 * HOUR],
    ["0 30 4 * * *", DAY],
  ])("has a longest gap: %s", (pattern, gap) => {
    expect(schedulePatternProblem(pattern)).toBeUndefined();
    expect(longestGapMs(pattern)).toBe(gap);
  });

  it("may be rare, and is then not taken to be stale too soon", () => {
    expect(longestGapMs("0 0 0 * * 1")).toBeGreaterThanOrEqual(7 * DAY);
  });

  it.each([
    "",
    "* * * *",
    "* * * * * * *",
    "99 * * * * *",
    "@every 5m",
    "5/10 * * * * *",
    "a b c d e f",
  ])("is refused where it is none: %j", (pattern) => {
    expect(schedulePatternProblem(pattern)).toEqual(expect.any(String));
  });
});
