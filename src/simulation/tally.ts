import type { SuppressionReason } from "../domain/guard.ts";
import type { RunEvent } from "./run-event.ts";

/** What is counted of a run, for people. */
export type Tally = {
  /** By action, and by what became of it. */
  readonly actions: Readonly<Record<string, number>>;
  /** Times that a guard said no, by its reason. */
  readonly guards: Readonly<Partial<Record<SuppressionReason, number>>>;
  /** By rule, how often one fired. */
  readonly alerts: Readonly<Record<string, number>>;
  /** Alerts that fired again within a quarter of an hour of being resolved, by rule. */
  readonly flaps: Readonly<Record<string, number>>;
  readonly proposals: number;
  /** Messages that reached the one channel; some hold several alerts. */
  readonly messages: number;
  readonly crashes: number;
};

export function createTally(): {
  readonly add: (seen: RunEvent) => void;
  readonly done: () => Tally;
} {
  const actions = new Counts();
  const guards = new Counts();
  const alerts = new Counts();
  const flaps = new Counts();
  const resolvedAt = new Map<string, number>();
  let proposals = 0;
  let crashes = 0;
  let messages = 0;
  const addStep = (seen: Extract<RunEvent, { type: "step" }>): void => {
    for (const finding of seen.result.findings) {
      if (finding.type === "remediation") {
        const { action, state } = finding.remediation;
        actions.add(`${action} ${state}`);
      } else if (finding.type === "suppressed") guards.add(finding.reason);
      else if (finding.type === "proposed") proposals += 1;
      else if (finding.type === "alert") {
        const { key, rule } = finding.alert;
        if (finding.change === "resolved") resolvedAt.set(key, seen.at);
        if (finding.change !== "firing") continue;
        alerts.add(rule);
        if (seen.at - (resolvedAt.get(key) ?? -Infinity) < FLAP) flaps.add(rule);
      }
    }
  };
  return {
    add: (seen) => {
      if (seen.type === "step") addStep(seen);
      else if (seen.type === "crashed") crashes += 1;
      else if (seen.type === "delivered") messages += 1;
    },
    done: () => ({
      actions: actions.all(),
      guards: guards.all(),
      alerts: alerts.all(),
      flaps: flaps.all(),
      proposals,
      messages,
      crashes,
    }),
  };
}

const FLAP = 15 * 60_000;

class Counts {
  private readonly counts = new Map<string, number>();
  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
  all(): Record<string, number> {
    return Object.fromEntries(
      [...this.counts].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  }
}
