import fc from "fast-check";
import { createTask } from "node-cron";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR, SECOND } from "../../../src/domain/time.ts";
import { dailySlots } from "../../../src/io/schedule/daily-slots.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** node-cron's own answer. */
function byNodeCron(cron: string, after: number): number | undefined {
  vi.setSystemTime(after);
  const task = createTask(cron, () => undefined, { timezone: "Etc/UTC" });
  void task.destroy();
  return task.getNextRuns(1)[0]?.getTime();
}

function item(most: number): fc.Arbitrary<string> {
  const value = fc.integer({ min: 0, max: most });
  const step = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined });
  const range = fc.oneof(
    fc.constant("*"),
    // Also those that go past the end, such as `22-3`.
    fc.tuple(value, value).map(([one, other]) => `${one}-${other}`),
  );
  return fc.oneof(
    value.map(String),
    value.map((number) => String(number).padStart(2, "0")),
    fc.tuple(range, step).map(([of, by]) => (by === undefined ? of : `${of}/${by}`)),
  );
}

function field(most: number): fc.Arbitrary<string> {
  return fc.array(item(most), { minLength: 1, maxLength: 3 }).map((items) => items.join(","));
}

const PATTERN = fc
  .tuple(field(59), field(59), field(23))
  .map((fields) => `${fields.join(" ")} * * *`);

/** Also the last second of a day, of a year, and of a leap year's February. */
const INSTANT = fc.oneof(
  fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) }),
  fc
    .tuple(
      fc.constantFrom(Date.UTC(2026, 0, 1), Date.UTC(2028, 1, 29), Date.UTC(2028, 2, 1)),
      fc.integer({ min: -3 * SECOND, max: 3 * SECOND }),
    )
    .map(([midnight, by]) => midnight + by),
);

describe("dailySlots", () => {
  test("finds the slots that node-cron finds", () => {
    fc.assert(
      fc.property(PATTERN, INSTANT, (cron, after) => {
        expect(dailySlots(cron)?.(after)).toBe(byNodeCron(cron, after));
      }),
      { numRuns: 400 },
    );
  });

  test("finds the slots of a range that goes past the end", () => {
    const midnight = Date.UTC(2026, 0, 2);
    const after = dailySlots("0 0 22-3 * * *");
    const hours = [0, 1, 2, 3, 22, 23, 24].map((hour) => midnight + hour * HOUR);
    expect(hours.map((slot) => after?.(slot - 1))).toEqual(hours);
    expect(after?.(midnight + 3 * HOUR)).toBe(midnight + 22 * HOUR);
  });

  test("goes from the last slot of a day to the first of the next", () => {
    const midnight = Date.UTC(2026, 0, 2);
    const after = dailySlots("30,59 15-45/15 6,23 * * *");
    expect(after?.(midnight - DAY)).toBe(midnight - DAY + (6 * 3600 + 15 * 60 + 30) * SECOND);
    expect(after?.(midnight - DAY + (23 * 3600 + 45 * 60 + 59) * SECOND)).toBe(
      midnight + (6 * 3600 + 15 * 60 + 30) * SECOND,
    );
  });

  test.each([
    "0 0 12 1 * *",
    "0 0 12 * 2 *",
    "0 0 12 * * 1-5",
    "0 0 12 * * mon",
    "0 5/10 * * * *",
    "0 */0 * * * *",
    "60 * * * * *",
    "* * * * *",
    "a * * * * *",
  ])("leaves %s to node-cron", (cron) => {
    expect(dailySlots(cron)).toBeUndefined();
  });
});
