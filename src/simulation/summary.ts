import type { Millis } from "../domain/time.ts";
import type { Detection } from "./detection.ts";
import type { Outcome, Violation } from "./outcome.ts";
import type { Tally } from "./tally.ts";

/** What came out of all runs of a campaign together. */
export type Summary = {
  readonly runs: number;
  readonly steps: number;
  readonly simulatedMs: Millis;
  readonly tally: Tally;
  readonly worstDetection: (Detection & { readonly seed: number }) | undefined;
  /** The first of each run. */
  readonly violations: ReadonlyArray<Violation & { readonly seed: number }>;
};

export function summarize(outcomes: readonly Outcome[]): Summary {
  const tallies = outcomes.map(({ tally }) => tally);
  const sum = (count: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  const delays = outcomes.flatMap(({ seed, worstDetection }) =>
    worstDetection === undefined ? [] : [{ ...worstDetection, seed }],
  );
  return {
    runs: outcomes.length,
    steps: sum(({ steps }) => steps),
    simulatedMs: sum(({ simulatedMs }) => simulatedMs),
    tally: {
      actions: total(tallies.map(({ actions }) => actions)),
      guards: total(tallies.map(({ guards }) => guards)),
      alerts: total(tallies.map(({ alerts }) => alerts)),
      flaps: total(tallies.map(({ flaps }) => flaps)),
      proposals: sum(({ tally }) => tally.proposals),
      messages: sum(({ tally }) => tally.messages),
      crashes: sum(({ tally }) => tally.crashes),
    },
    worstDetection: delays.toSorted((one, other) => other.delayMs - one.delayMs)[0],
    violations: outcomes.flatMap(({ seed, violations: [first] }) =>
      first === undefined ? [] : [{ ...first, seed }],
    ),
  };
}

function total(counts: ReadonlyArray<Readonly<Record<string, number>>>): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [name, count] of counts.flatMap((one) => Object.entries(one)))
    sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries([...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
