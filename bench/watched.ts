import { DEFAULT_LIMITS } from "../src/domain/limits.ts";
import { join } from "node:path";
import { actions, actionsByName } from "../src/actions/index.ts";
import { compileRules } from "../src/config/rules/rules.ts";
import { indexRules } from "../src/core/policy.ts";
import { emptyState, type State } from "../src/core/state.ts";
import { step } from "../src/core/step.ts";
import { NO_CHANNELS } from "../src/domain/notification.ts";
import type { Event, Policy } from "../src/domain/step.ts";
import { DAY, HOUR, MINUTE, SECOND, type Instant } from "../src/domain/time.ts";
import { readRuleFiles } from "../src/io/process/files.ts";
import { kinds } from "../src/pollers/kinds.ts";
import { AGGREGATOR, pollsOf, START, type Population } from "./population.ts";

/** The core as the daemon runs it, with the shipped rules, in shadow mode. */
export function shippedPolicy(): Policy {
  const files = readRuleFiles(join(import.meta.dirname, "../rules"));
  if (!files.ok) throw new Error(files.problem);
  const rules = compileRules({ files: files.value, kinds, actions: actionsByName });
  if (!rules.ok) throw new Error("the shipped rules do not compile: run `npm run aggwatch check`");
  const pollers = ["exchanges", "pools", "swaps"].map((name) => ({
    name,
    intervalMs: 10 * SECOND,
    staleAfterMs: HOUR,
  }));
  return {
    aggregators: [{ name: AGGREGATOR, pollers }],
    kinds,
    actions: new Map(actions.map((action) => [action.name, action])),
    ...indexRules(rules.value),
    acting: {
      mode: "shadow",
      budget: { max: 20, perMs: HOUR },
      budgets: {},
      settleAfterStartMs: 30 * SECOND,
      maxAgeMs: MINUTE,
      confirmWithinMs: 10 * SECOND,
      approvalExpiresAfterMs: HOUR,
      undoWindowMs: 1_800_000,
      undoLimit: 2,
      rampIntervalMs: 60_000,
    },
    notify: NO_CHANNELS,
    limits: { ...DEFAULT_LIMITS, entities: 1_000_000 },
    resolvedRetentionMs: 15 * MINUTE,
    remediationRetentionMs: 7 * DAY,
  };
}

export type Watched = {
  readonly policy: Policy;
  readonly state: State;
  /** Steps through the events, a millisecond later each time. */
  readonly take: (events: readonly Event[]) => void;
  readonly now: () => Instant;
};

/** A watchdog that has watched the population for five minutes: what is bad fires. */
export function watch(policy: Policy, population: Population): Watched {
  const state = emptyState();
  let at = START;
  const take = (events: readonly Event[]): void => {
    for (const event of events) {
      at += 1;
      step(policy, state, event, at);
    }
  };
  take([{ type: "started" }]);
  for (let minute = 0; minute < 5; minute += 1) {
    at += MINUTE;
    take([...pollsOf(population, at), { type: "tick" }]);
  }
  return { policy, state, take, now: () => at };
}
