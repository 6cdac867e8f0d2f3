import { describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/domain/time.ts";
import { longestIntervalMs } from "../../../src/config/settings/cron-interval.ts";

describe("longestIntervalMs", () => {
  test.each([
    ["*/10 * * * * *", 10 * SECOND],
    ["* * * * *", MINUTE],
    ["0,10 * * * * *", 50 * SECOND],
    ["*/7 * * * * *", 7 * SECOND],
    ["0 0 9-17 * * *", 16 * HOUR],
    ["@hourly", HOUR],
    ["0 0 9 * * 1-5", 3 * DAY],
    ["0 0 9-17 * * 1-5", 3 * DAY - 8 * HOUR],
    ["0 0 0 1 * *", 31 * DAY],
    ["0 0 9,17 * * *", 16 * HOUR],
    ["0 30 4 * * *", DAY],
    ["0 0 0 * * 1", 7 * DAY],
    ["0 0 17,9 * * *", 16 * HOUR],
    ["0 30,0 * * * *", 30 * MINUTE],
    ["0 0 22-6 * * *", 16 * HOUR],
    ["*/10,5 * * * * *", 10 * SECOND],
    ["0 0 0 5,1-30 * *", 2 * DAY],
  ])("of %s", (expression, expected) => {
    expect(longestIntervalMs(expression)).toBe(expected);
  });

  test("throws if the text is not a schedule, as the config has checked it before", () => {
    expect(() => longestIntervalMs("every now and then")).toThrow();
  });
});
