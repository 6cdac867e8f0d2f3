import { SECOND } from "../domain/time.ts";
import type { BacktestResult } from "../io/api/backtest/answer.ts";
import type { Backtest } from "./backtest.ts";
import { differenceOf } from "./difference.ts";
import type { Outcome } from "./outcome.ts";

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
    guards: guardsOf(actual, outcome),
  };
}

function guardsOf(actual: Outcome, would: Outcome): BacktestResult["guards"] {
  const [before, now] = [actual, would].map(({ stopped }) =>
    Map.groupBy(stopped, ({ reason }) => reason),
  );
  const reasons = new Set([...(before?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...reasons].map((reason) => ({
    reason,
    told: before?.get(reason)?.length ?? 0,
    would: now?.get(reason)?.length ?? 0,
  }));
}
