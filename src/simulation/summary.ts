import type { Millis } from "../domain/time.ts";
import type { Detection } from "./detection.ts";
import type { Outcome, Violation } from "./outcome.ts";
import { sumOf, type Tally } from "./tally.ts";

/** The outcomes of all runs of a campaign together. */
export type Summary = {
  readonly runs: number;
  readonly steps: number;
  readonly simulatedMs: Millis;
  readonly tally: Tally;
  readonly worstDetection: (Detection & { readonly seed: number }) | undefined;
  /** The first violation of each run. */
  readonly violations: ReadonlyArray<Violation & { readonly seed: number }>;
};

export function summarize(outcomes: readonly Outcome[]): Summary {
  const sum = (count: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  const delays = outcomes.flatMap(({ seed, worstDetection }) =>
    worstDetection === undefined ? [] : [{ ...worstDetection, seed }],
  );
  return {
    runs: outcomes.length,
    steps: sum(({ steps }) => steps),
    simulatedMs: sum(({ simulatedMs }) => simulatedMs),
    tally: sumOf(outcomes.map(({ tally }) => tally)),
    worstDetection: delays.toSorted((one, other) => other.delayMs - one.delayMs)[0],
    violations: outcomes.flatMap(({ seed, violations: [first] }) =>
      first === undefined ? [] : [{ ...first, seed }],
    ),
  };
}
