import { describe, expect, it } from "vitest";
import { schedulePatternProblem } from "../../../src/config/settings/schedule.ts";

describe("a schedule", () => {
  it.each(["*/10 * * * * *", "* * * * *", "0 0 9,17 * * *", "0 30 4 * * 1"])(
    "has five or six fields: %s",
    (pattern) => {
      expect(schedulePatternProblem(pattern)).toBeUndefined();
    },
  );

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

  it.each(["0 0 0 30W 2 *", "0 0 0 L-30 2 *", "0 0 0 8-31 * 1#1", "0 0 8-31 * 1#1"])(
    "is refused if no day matches it, though each of its fields is valid: %s",
    (pattern) => {
      expect(schedulePatternProblem(pattern)).toBe(
        "no day matches it: the day of month, the month and the day of week must all match",
      );
    },
  );

  it.each(["0 0 0 29 2 *", "0 0 0 29 2 1#5"])("may be rare: %s", (pattern) => {
    expect(schedulePatternProblem(pattern)).toBeUndefined();
  });

  it("is told every field that is wrong, in words", () => {
    expect(schedulePatternProblem("61 * * 32 * *")).toBe(
      'the second "61" is not valid, the day of month "32" is not valid',
    );
  });

  it.each(["*/70 * * * * *", "0 */60 * * * *", "*/90 * * * *", "0,10/60 * * * * *"])(
    "is refused where its step leads out of its field, as it would come at another pace: %s",
    (pattern) => {
      expect(schedulePatternProblem(pattern)).toContain("has a step too long for its field");
    },
  );

  it.each(["*/59 * * * * *", "0 */45 * * * *", "0 0 */23 * * *", "0 0 0 */30 * *"])(
    "may have a step within its field: %s",
    (pattern) => expect(schedulePatternProblem(pattern)).toBeUndefined(),
  );
});
