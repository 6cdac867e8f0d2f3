import { MINUTE, type Instant } from "../domain/time.ts";
import type { RunEvent, Step } from "./run-event.ts";

/** Counts by name, of one run or of several. */
type Counts = Readonly<Record<string, number>>;

/** The counts of a run, for people. */
export type Tally = {
  /** By action and state: `enable_pair verified`. */
  readonly actions: Counts;
  /** Times that a guard objected, by its reason. */
  readonly guards: Counts;
  /** How many alerts fired, by rule. */
  readonly alerts: Counts;
  /** Alerts that fired again within a quarter of an hour of being resolved, by rule. */
  readonly flaps: Counts;
  readonly proposals: number;
  /** Messages that reached the one channel; some hold several alerts. */
  readonly messages: number;
  readonly crashes: number;
};

/** The tally of a run in which nothing happened. */
export const EMPTY_TALLY: Tally = {
  actions: {},
  guards: {},
  alerts: {},
  flaps: {},
  proposals: 0,
  messages: 0,
  crashes: 0,
};

/** The sum of the tallies of several runs; counts are sorted by name. */
export function sumOf(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (sum, one) => ({
      actions: merged(sum.actions, one.actions),
      guards: merged(sum.guards, one.guards),
      alerts: merged(sum.alerts, one.alerts),
      flaps: merged(sum.flaps, one.flaps),
      proposals: sum.proposals + one.proposals,
      messages: sum.messages + one.messages,
      crashes: sum.crashes + one.crashes,
    }),
    EMPTY_TALLY,
  );
}

function merged(one: Counts, other: Counts): Counts {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted();
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

const FLAP = 15 * MINUTE;

export function createTally(): {
  readonly add: (event: RunEvent) => void;
  readonly done: () => Tally;
} {
  const actions = new Map<string, number>();
  const guards = new Map<string, number>();
  const alerts = new Map<string, number>();
  const flaps = new Map<string, number>();
  let proposals = 0;
  let messages = 0;
  let crashes = 0;
  const resolvedAt = new Map<string, Instant>();
  const count = (counts: Map<string, number>, name: string): void =>
    void counts.set(name, (counts.get(name) ?? 0) + 1);
  const addStep = ({ result, at }: Step): void => {
    for (const finding of result.findings) {
      if (finding.type === "remediation") {
        if (finding.corrected === true) continue;
        const { action, state } = finding.remediation;
        count(actions, `${action} ${state}`);
      } else if (finding.type === "suppressed") count(guards, finding.reason);
      else if (finding.type === "proposed") proposals += 1;
      else if (finding.type === "alert") {
        const { key, rule } = finding.alert;
        if (finding.change === "resolved") resolvedAt.set(key, at);
        if (finding.change !== "firing") continue;
        count(alerts, rule);
        if (at - (resolvedAt.get(key) ?? -Infinity) < FLAP) count(flaps, rule);
      }
    }
  };
  return {
    add: (event) => {
      if (event.type === "step") addStep(event);
      else if (event.type === "crashed") crashes += 1;
      else if (event.type === "delivered") messages += 1;
    },
    done: () => ({
      actions: Object.fromEntries(actions),
      guards: Object.fromEntries(guards),
      alerts: Object.fromEntries(alerts),
      flaps: Object.fromEntries(flaps),
      proposals,
      messages,
      crashes,
    }),
  };
}
