import { SECOND } from "../domain/time.ts";
import type { BacktestResult } from "../io/api/backtest/answer.ts";
import type { Backtest } from "./backtest.ts";
import { differenceOf } from "./difference.ts";
import { stopsByReason, type Outcome } from "./outcome.ts";

/** The most entries of each list. */
const MOST = 200;

/** How the outcome of a replay by today's rules differs from the actual outcome. */
export function comparedWith(
  { outcome, since, until, polls, gaps, problems }: Backtest,
  actual: Outcome,
): BacktestResult {
  // A second makes no difference, as the daemon ticks once a second.
  const span = { since, until, slackMs: SECOND };
  const { alerts, actions, moved } = differenceOf(outcome, actual, span);
  return {
    since,
    until,
    polls,
    gaps,
    problems,
    counts: {
      alertsTold: actual.alerts.length,
      alertsWould: outcome.alerts.length,
      alertsMore: alerts.more.length,
      alertsFewer: alerts.fewer.length,
      alertsMoved: moved.length,
      actionsMore: actions.more.length,
      actionsFewer: actions.fewer.length,
    },
    alertsMore: alerts.more.slice(0, MOST),
    alertsFewer: alerts.fewer.slice(0, MOST),
    alertsMoved: moved
      .slice(0, MOST)
      .map(({ rules, against }) => ({ would: rules, told: against })),
    actionsMore: actions.more.slice(0, MOST),
    actionsFewer: actions.fewer.slice(0, MOST),
    guards: stopsByReason(actual, outcome).map(([reason, told, would]) => ({
      reason,
      told,
      would,
    })),
  };
}
