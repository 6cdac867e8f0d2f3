import { ACTION_NAMES } from "../../../domain/action.ts";
import type { Instant } from "../../../domain/time.ts";
import { RESOLVED_BECAUSE } from "../../../domain/alert.ts";
import { SUPPRESSION_REASONS } from "../../../core/act/guards/index.ts";
import { REMEDIATION_STATES } from "../../../domain/remediation.ts";
import { alias, entityId } from "../answer-parts.ts";
import {
  boolean,
  documented,
  instant,
  list,
  number,
  object,
  orNull,
  text,
  word,
} from "../codec.ts";
import type { ValueOf } from "../codec.ts";

/** The answer of `/api/v1/backtest`: what rules would have done, beside what was really done. */

const BACKTEST_STATES = ["idle", "running", "done", "failed", "cancelled"] as const;

const alertRun = object({
  rule: text,
  entity: entityId,
  alias,
  severity: text,
  startedAt: instant,
  firedAt: instant,
  resolvedAt: orNull(instant),
  lostAt: documented(orNull(instant), {
    description: "It fires, and nothing is known from this instant on.",
  }),
  because: orNull(word(RESOLVED_BECAUSE)),
  counterfactual: documented(boolean, {
    description: "Of an entity whose recorded past is not what would have happened.",
  }),
});

const actionRun = object({
  at: instant,
  rule: text,
  action: word(ACTION_NAMES),
  entity: entityId,
  alias,
  state: word(REMEDIATION_STATES),
  detail: text,
  counterfactual: boolean,
});

const backtestResult = object({
  since: documented(instant, {
    description: "The start that was asked for, or that of the record.",
  }),
  until: instant,
  polls: documented(number, { description: "Readings that were replayed." }),
  gaps: list(object({ from: instant, until: instant })),
  problems: documented(list(text), {
    description: "The parts of the record that could not be read.",
  }),
  counts: documented(
    object({
      alertsTold: number,
      alertsWould: number,
      alertsMore: number,
      alertsFewer: number,
      alertsMoved: number,
      actionsMore: number,
      actionsFewer: number,
    }),
    { description: "The lists below are the first 200 of each." },
  ),
  alertsMore: documented(list(alertRun), { description: "They would have fired, and did not." }),
  alertsFewer: documented(list(alertRun), { description: "They fired, and would not have." }),
  alertsMoved: documented(list(object({ would: alertRun, told: alertRun })), {
    description: "They would have fired or ended at another time, by more than a second.",
  }),
  actionsMore: list(actionRun),
  actionsFewer: list(actionRun),
  guards: documented(
    list(object({ reason: word(SUPPRESSION_REASONS), told: number, would: number })),
    {
      description: "How often each guard was the first to object.",
    },
  ),
});

export const backtestAnswer = documented(
  object({
    state: word(BACKTEST_STATES),
    since: orNull(instant),
    until: orNull(instant),
    by: orNull(text),
    id: documented(orNull(text), { description: "The `id` that the call gave which began it." }),
    tried: documented(orNull(list(text)), {
      description: "The rules that were given; `null` if it replays those in force.",
    }),
    progress: documented(number, { description: "From 0 to 1." }),
    problem: orNull(text),
    result: orNull(backtestResult),
  }),
  "Backtest",
);

export type BacktestStatus = ValueOf<typeof backtestAnswer>;
export type BacktestResult = ValueOf<typeof backtestResult>;

export type BacktestedTime = {
  /** Chosen by the caller, who knows it again by this. */
  readonly id?: string | undefined;
  readonly since: Instant;
  readonly until: Instant;
  /** Instead of the rules in force: a file that compiles, and the names of its rules. */
  readonly tried?: { readonly text: string; readonly rules: ReadonlySet<string> } | undefined;
};

/**
 * Replays the record with the rules in force, or with others, in a thread of its own. One at a time; nothing is kept or
 * sent.
 */
export type Backtesting = {
  readonly status: () => BacktestStatus;
  /** False if one is running. */
  readonly start: (by: string, asked: BacktestedTime) => boolean;
  readonly cancel: () => void;
};
