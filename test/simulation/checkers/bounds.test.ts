import { describe, expect, it, test } from "vitest";
import type { EntityLimits } from "../../../src/domain/limits.ts";
import { DEFAULT_LIMITS } from "../../../src/domain/limits.ts";
import type { RunEvent } from "../../../src/simulation/run-event.ts";
import { exchange } from "../../core/fixtures.ts";
import { inspected, isActing, repairs, withTable, type Tamper } from "./tampered-run.ts";

/** Shows every policy with other limits than those that were in force. */
function limited(limits: Partial<EntityLimits>): (seen: RunEvent) => RunEvent {
  return (seen) =>
    "policy" in seen
      ? { ...seen, policy: { ...seen.policy, limits: { ...DEFAULT_LIMITS, ...limits } } }
      : seen;
}

const only = (type: RunEvent["type"], tamper: (seen: RunEvent) => RunEvent): Tamper => {
  return (seen) => (seen.type === type ? tamper(seen) : seen);
};

/** Four are seen, of which three vanish, and the process starts again. */
function violationsOf(tamper: Tamper): string[] {
  const { world, violations } = inspected(tamper);
  const seen = (...names: readonly string[]) => names.map((name) => exchange(name, "enabled"));
  world
    .passes("1s")
    .sees("exchanges", seen("A", "B", "C", "D"))
    .passes("1s");
  world.sees("exchanges", seen("A")).passes("1s").sees("exchanges", seen("A")).passes("1s");
  world.restarts().sees("exchanges", seen("A"));
  return violations;
}

describe("Too many entities are caught", () => {
  test.each<[string, RegExp, Tamper]>([
    [
      "when they are made",
      /^11 bounds: 4 entities of bsc exchange after one more, and no more than 3 may be$/,
      limited({ entities: 3 }),
    ],
    [
      "when they have vanished",
      /^11 bounds: 3 entities of bsc exchange are kept that have vanished, and no more than 2/,
      limited({ vanished: 2 }),
    ],
    [
      "when a start reads them",
      /^11 bounds: 4 entities of bsc exchange were read at the start, 0 of which are needed/,
      only("restarted", limited({ entities: 3 })),
    ],
  ])("%s", (_, expected, tamper) => {
    expect(violationsOf(tamper)).toContainEqual(expect.stringMatching(expected));
  });

  it("and as many as may be are not a violation", () => {
    expect(violationsOf(limited({ entities: 4, vanished: 3 }))).toEqual([]);
  });
});

it("An action on a listing that holds more than may be watched is caught", () => {
  const { world, violations } = inspected((seen) => {
    if (seen.type !== "step" || !isActing(seen)) return seen;
    const rows = [...seen.state.tables.entity].filter(([key]) => !key.endsWith("/Z"));
    const shown = { ...seen, state: withTable(seen.state, "entity", new Map(rows)) };
    return limited({ entities: 1 })(shown);
  });
  repairs(world);
  expect(violations).toContainEqual(
    expect.stringMatching(/^1 fresh data: r1 .* rests on a listing that holds more than may be/),
  );
});
