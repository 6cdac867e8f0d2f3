import { describe, expect, it } from "vitest";
import { wholeEvidence } from "../../../src/simulation/checkers/evidence.ts";
import type { RunEvent } from "../../../src/simulation/run-event.ts";
import { AGGREGATOR } from "../../core/fixtures.ts";
import { inspected, isActing, onStep, repairs, type Tamper } from "./tampered-run.ts";

/** What the aggregator is said to have answered while the reading before the action was under way. */
function answered(...marks: ReadonlyArray<string | undefined>): Tamper {
  return onStep((step) => {
    if (!isActing(step)) return step;
    const served = marks.map((mark): RunEvent => ({
      type: "served",
      at: step.at,
      aggregator: AGGREGATOR,
      endpoint: "disabled",
      mark,
    }));
    return [...served, step];
  });
}

function violationsOf(tamper: Tamper): string[] {
  const { world, violations } = inspected(tamper);
  repairs(world);
  return violations;
}

describe("An action on evidence that", () => {
  it.each(["partial", "contradiction"])("is marked on the wire is caught: %s", (mark) => {
    const [violation = ""] = violationsOf(answered(mark));
    expect(violation).toContain(`${wholeEvidence.invariant}: r1`);
    expect(violation).toContain(`that disabled answered with ${mark}`);
  });

  it("is whole, or of which it is not known which answer was read, violates nothing", () => {
    expect(violationsOf(answered())).toStrictEqual([]);
    expect(violationsOf(answered(undefined))).toStrictEqual([]);
    expect(violationsOf(answered("partial", undefined))).toStrictEqual([]);
  });
});
