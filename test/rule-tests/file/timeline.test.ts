import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTimeline, sampleAt } from "../../../src/rule-tests/file/timeline.ts";
import type { FactType } from "../../../src/domain/entity.ts";
import { MINUTE } from "../../../src/domain/time.ts";

/** The first observations of a timeline: values, `_` for missing, and `gone`. */
function shown(source: unknown, type: FactType, count: number): unknown[] {
  const parsed = parseTimeline(source, type);
  if (!parsed.ok) return [parsed.problem.message];
  return Array.from({ length: count }, (_, index) => {
    const { sample } = sampleAt(parsed.value, index);
    if (sample.is === "value") return sample.value;
    return sample.is === "missing" ? "_" : "gone";
  });
}

describe("a timeline", () => {
  it.each<[unknown, FactType, unknown[]]>([
    ["enabled x2, disabled", "string", ["enabled", "enabled", "disabled", "disabled"]],
    ["enabled x 2", "string", ["enabled x 2", "enabled x 2"]],
    ['"a, b" x2, "_", "gone"', "string", ["a, b", "a, b", "_", "gone"]],
    [["a x2", "b"], "string", ["a", "a", "b"]],
    ["one two x2, three", "string", ["one two", "one two", "three"]],
    ["_ x2, NEW, gone", "string", ["_", "_", "NEW", "gone", "gone"]],
    ["gonex2, a", "string", ["gone", "gone", "a"]],
    ['"maxx3" x2, 0x35', "string", ["maxx3", "maxx3", "0x35"]],
    ["_x2, 5", "double", ["_", "_", 5]],
    ["100+10x3", "double", [100, 110, 120, 120]],
    ["100-10 x3, 5", "double", [100, 90, 80, 5]],
    ["-1.5e3 x2, 0", "double", [-1500, -1500, 0]],
    [0, "double", [0, 0]],
    [[1, "2 x2", 3], "double", [1, 2, 2, 3]],
    [true, "bool", [true, true]],
    ["true x2, false", "bool", [true, true, false]],
    ["20m", "timestamp", [20 * MINUTE]],
    ["-5m x2, +1h", "timestamp", [-5 * MINUTE, -5 * MINUTE, 60 * MINUTE]],
    ["0s+1m x3", "timestamp", [0, MINUTE, 2 * MINUTE, 2 * MINUTE]],
  ])("%j as %s shows %j", (source, type, expected) => {
    expect(shown(source, type, expected.length)).toEqual(expected);
  });

  it.each<[unknown, FactType, string]>([
    ["yes", "bool", '"yes" is not true or false'],
    ["1 x2", "bool", '"1 x2" is not true or false'],
    [1, "bool", '"1" is not true or false'],
    ["ten", "double", '"ten" is not a number'],
    ["1+x5", "double", '"1+x5" is not a number'],
    [true, "double", '"true" is not a number'],
    [true, "string", '"true" is not a text'],
    [5, "string", '"5" is not a text'],
    [5, "timestamp", '"5" is not a time since the start of the test'],
    ["5x", "timestamp", '"5x" is not a time since the start of the test'],
    ["5 minutes", "timestamp", '"5 minutes" is not a time since the start of the test'],
    ["NEWx3, FILLED", "string", '"NEWx3" has no space before its number of observations'],
    ["a x0", "string", "x0: a run has 1 to 100000 observations"],
    ["a x100001", "string", "x100001: a run has 1 to 100000 observations"],
    ["", "string", "there is no value"],
    [[], "double", "there is no value"],
    ["a,, b", "string", ""],
  ])("%j as %s is refused: %s", (source, type, message) => {
    const parsed = parseTimeline(source, type);
    expect(parsed.ok ? "" : parsed.problem.message).toBe(message);
  });

  it("never throws, and holds its last value on", () => {
    const types = fc.constantFrom<FactType>("string", "double", "bool", "timestamp");
    const text = fc.string({ unit: fc.constantFrom(...'_xgone,"+- 5m1etru') });
    fc.assert(
      fc.property(text, types, (source, type) => {
        const parsed = parseTimeline(source, type);
        if (!parsed.ok) return;
        const length = parsed.value.reduce((sum, run) => sum + run.count, 0);
        const last = sampleAt(parsed.value, length - 1);
        expect(sampleAt(parsed.value, length + 1_000)).toEqual(last);
      }),
    );
  });
});
