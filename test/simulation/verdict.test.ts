/** Tests src/simulation/verdict.ts. */
import { expect, it } from "vitest";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import type { Summary } from "../../src/simulation/summary.ts";
import { EMPTY_TALLY } from "../../src/simulation/tally.ts";
import { simulationVerdict } from "../../src/simulation/verdict.ts";

const SUMMARY: Summary = {
  runs: 2,
  steps: 10,
  simulatedMs: 2 * HOUR,
  tally: {
    ...EMPTY_TALLY,
    alerts: { Down: 8, Thin: 4 },
    flaps: { Down: 2 },
    actions: { "enable_exchange requested": 5, "enable_exchange verified": 4 },
    guards: { cooldown: 3, budget: 7 },
    messages: 5,
  },
  worstDetection: { rule: "Down", entity: "bsc/exchange/OKX", delayMs: 3 * MINUTE, seed: 2 },
  violations: [],
};

it("says in sentences how the rules did", () => {
  expect(simulationVerdict(SUMMARY, ["Down", "Thin", "Lost"])).toEqual([
    "Held: no invariant was violated in 2 runs (2h of simulated time).",
    "1 of 3 rules never fired: Lost. What they look for did not happen here, or nothing that they need is watched.",
    "Down flaps: 2 of 8 alerts fired again within a quarter of an hour. `keep_firing_for` would make one of them.",
    "enable_exchange worked 4 of 5 times. Guards objected most by budget (7).",
    "People got 2.5 messages an hour, while everything was going wrong on purpose.",
    "The slowest alert was Down, 3m after bsc/exchange/OKX went bad (seed 2).",
  ]);
});

it("says first that an invariant was violated", () => {
  const violations = [{ at: 1, invariant: "2 budgets", text: "too many", seed: 1 }];
  const [sum, second] = simulationVerdict({ ...SUMMARY, violations }, ["Down", "Thin"]);
  expect(sum).toBe("Broken: an invariant was violated in 1 of 2 runs (2h of simulated time).");
  expect(second).toBe("Every one of 2 rules fired at least once.");
});
