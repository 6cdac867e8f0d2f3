/** Tests src/core/judge: prometheus alerting. */
import { describe, expect, it } from "vitest";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { MINUTE } from "../../../src/domain/time.ts";
import { condition, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

/**
 * What Prometheus's own tests of alerting rules hold (rules/alerting_test.go: TestAlertingRule,
 * TestKeepFiringFor, TestPendingAndKeepFiringFor; rules/manager_test.go: TestForStateRestore,
 * TestStaleness), as facts in our words: a value a minute, and the state of the alert after each
 * evaluation. Where we differ, `ours` says how, and docs/rules.md says why.
 */
type Case = {
  readonly name: string;
  readonly forMs: number;
  readonly keepFiringForMs: number;
  /** One a minute; `_` is a minute without data. */
  readonly values: readonly (number | "_")[];
  readonly prometheus: readonly State[];
  readonly ours?: readonly State[];
};
type State = "-" | "pending" | "firing" | "resolved";

const CASES: readonly Case[] = [
  {
    name: "without `for`, it fires at once and resolves at once",
    forMs: 0,
    keepFiringForMs: 0,
    values: [75, 85, 10, 10],
    prometheus: ["firing", "firing", "resolved", "resolved"],
  },
  {
    name: "with `for`, it is pending until `for` has passed",
    forMs: MINUTE,
    keepFiringForMs: 0,
    values: [10, 75, 75, 75, 10],
    prometheus: ["-", "pending", "firing", "firing", "resolved"],
  },
  {
    name: "a pending alert whose condition ends leaves no trace",
    forMs: 5 * MINUTE,
    keepFiringForMs: 0,
    values: [75, 75, 10, 75, 75],
    prometheus: ["pending", "pending", "-", "pending", "pending"],
  },
  {
    name: "keep_firing_for begins when the condition ends, and ends when it has passed",
    forMs: MINUTE,
    keepFiringForMs: MINUTE,
    values: [75, 85, 70, 70, 10, 10],
    prometheus: ["pending", "firing", "firing", "firing", "firing", "resolved"],
  },
  {
    name: "keep_firing_for is nothing to an alert that never fired",
    forMs: 2 * MINUTE,
    keepFiringForMs: MINUTE,
    values: [75, 10, 10],
    prometheus: ["pending", "-", "-"],
  },
  {
    name: "a condition that comes back within keep_firing_for begins it again",
    forMs: 0,
    keepFiringForMs: 2 * MINUTE,
    values: [75, 10, 75, 10, 10, 10],
    prometheus: ["firing", "firing", "firing", "firing", "firing", "resolved"],
  },
  {
    name: "data that is lost ends an alert there; here it stands still",
    forMs: MINUTE,
    keepFiringForMs: 0,
    values: [75, 75, "_", "_", 75],
    prometheus: ["pending", "firing", "resolved", "resolved", "pending"],
    ours: ["pending", "firing", "firing", "firing", "firing"],
  },
  {
    name: "data that is lost resets `for` there; here it moves it by the length of the gap",
    forMs: 3 * MINUTE,
    keepFiringForMs: 0,
    values: [75, 75, "_", "_", 75, 75, 75],
    prometheus: ["pending", "pending", "-", "-", "pending", "pending", "pending"],
    ours: ["pending", "pending", "pending", "pending", "pending", "firing", "firing"],
  },
  {
    name: "data that is lost runs out keep_firing_for there; here it does not",
    forMs: 0,
    keepFiringForMs: 2 * MINUTE,
    values: [75, 10, "_", "_", 10, 10, 10],
    prometheus: ["firing", "firing", "firing", "resolved", "resolved", "resolved", "resolved"],
    ours: ["firing", "firing", "firing", "firing", "firing", "resolved", "resolved"],
  },
];

const high = condition("pool.base > 50", ({ base }) => Number(base) > 50);

/** Between the minutes it is read too, lest the poller be stale. */
function reads(world: World, value: number | "_"): void {
  if (value === "_") world.fails("pools");
  else world.sees("pools", [pool(value)]);
}

function pool(base: number): SeenEntity {
  return { kind: "pool", id: "OrionV2/ORN-USDT", facts: { base } };
}

describe("the life of an alert, by Prometheus's own cases", () => {
  it.each(CASES)("$name", ({ forMs, keepFiringForMs, values, prometheus, ours }) => {
    const world = scriptedWorld({
      rules: [rule({ alert: "High", kind: "pool", when: high, forMs, keepFiringForMs })],
      probes: "silent",
    });
    const states = values.map((value, minute): State => {
      reads(world.at(`${minute}m`), value);
      const state = world.alert("High", "pool", "OrionV2/ORN-USDT")?.state ?? "-";
      for (const second of [15, 30, 45]) reads(world.at(`${minute}m${second}s`), value);
      return state;
    });
    expect(states).toEqual(ours ?? prometheus);
  });

  it("does not fire at once after a restart, though `for` would have passed meanwhile", () => {
    // TestForStateRestore: an outage shorter than the tolerance keeps the progress of `for`, and never
    // counts as progress. Here no outage counts, however long.
    const when = high;
    const world = scriptedWorld({ rules: [rule({ kind: "pool", when, forMs: 10 * MINUTE })] });
    const minutes = (count: number): void => {
      for (let quarter = 0; quarter < 4 * count; quarter += 1) reads(world.passes("15s"), 75);
    };
    reads(world, 75);
    minutes(8);
    world.restarts("30m");
    reads(world, 75);
    const state = () => world.alert("ExchangeDisabled", "pool", "OrionV2/ORN-USDT")?.state;
    expect(state()).toBe("pending");
    minutes(1);
    expect(state()).toBe("pending");
    minutes(1);
    expect(state()).toBe("firing");
  });
});
