import { counted, inColumns } from "../domain/wording.ts";
import type { EntityId } from "../domain/entity.ts";
import { formatDuration, formatSecond } from "../domain/time.ts";
import type { Backtest } from "./backtest.ts";
import { lostMs } from "./landmarks.ts";
import {
  stopsByReason,
  type ActionRun,
  type AlertRun,
  type Outcome,
  type Stop,
} from "./outcome.ts";

/** A backtest as text for people: its range, its outcome, and its uncertain lines. */

/** Marks each line about an entity whose past is counterfactual. */
export const MARK = "*";

export function renderBacktest(backtest: Backtest, names: { readonly rules: string }): string[] {
  const { outcome, against } = backtest;
  return [
    ...headOf(backtest),
    "",
    ...(against === undefined
      ? outcomeLines(outcome, names.rules)
      : differenceLines(backtest, against)),
    ...openLoopLines(backtest),
  ];
}

function headOf({ since, until, gaps, polls, problems }: Backtest): string[] {
  const lines = [
    `Recorded ${formatSecond(since)} to ${formatSecond(until)} (${formatDuration(until - since)}), ${counted(polls, "reading")}.`,
  ];
  if (gaps.length > 0) {
    lines.push(
      `No observations in ${counted(gaps.length, "gap")}, ${formatDuration(lostMs(gaps, since))} in total.`,
    );
  }
  return [...lines, ...problems.map((problem) => `Left out: ${problem}`)];
}

function outcomeLines(outcome: Outcome, rules: string): string[] {
  const { alerts, actions, stopped } = outcome;
  return [
    ...section(`Alerts by ${rules}`, alerts.map(alertCells)),
    ...section("Actions that would have been sent", actions.map(actionCells)),
    ...section("Actions that guards would have stopped", stopped.map(stopCells)),
    ...countLines(outcome),
  ];
}

function differenceLines(
  { outcome }: Backtest,
  { outcome: other, difference }: NonNullable<Backtest["against"]>,
): string[] {
  const { alerts, actions, moved } = difference;
  const signed = (sign: string, rows: readonly string[][]): string[][] =>
    rows.map((row) => [`${sign}${row[0] === MARK ? MARK : " "}`, ...row.slice(1)]);
  return [
    [
      changeOf("alert", alerts.more.length, alerts.fewer.length, other.alerts.length),
      changeOf("action", actions.more.length, actions.fewer.length, other.actions.length),
    ].join(", "),
    "",
    ...section("Alerts", [
      ...signed("+", alerts.more.map(alertCells)),
      ...signed("-", alerts.fewer.map(alertCells)),
    ]),
    ...section(
      "Alerts that fire or resolve at another time",
      moved.flatMap((pair) => [
        ...signed("-", [alertCells(pair.against)]),
        ...signed("+", [alertCells(pair.rules)]),
      ]),
    ),
    ...section("Actions", [
      ...signed("+", actions.more.map(actionCells)),
      ...signed("-", actions.fewer.map(actionCells)),
    ]),
    ...section(
      "Stopped by guards, before and after",
      stopsByReason(other, outcome).map(([reason, old, now]) => ["", reason, `${old} -> ${now}`]),
    ),
  ];
}

function changeOf(name: string, more: number, fewer: number, before: number): string {
  const parts = [...(more > 0 ? [`+${more}`] : []), ...(fewer > 0 ? [`-${fewer}`] : [])];
  const change = parts.length === 0 ? "no other" : parts.join(" ");
  return `${change} ${more + fewer === 1 ? name : `${name}s`} (of ${before})`;
}

function countLines(outcome: Outcome): string[] {
  const counts = stopsByReason(outcome, outcome).map(([reason, count]) => `${reason} ${count}`);
  return counts.length === 0 ? [] : [`By guard: ${counts.join(", ")}`, ""];
}

function alertCells(run: AlertRun): string[] {
  const { firedAt, rule, entity, resolvedAt, because, badMs, counterfactual } = run;
  const end =
    resolvedAt === undefined
      ? endOf(run)
      : `resolved ${formatSecond(resolvedAt)}${because === "gone" || because === "unwatched" ? ` (${because})` : ""}`;
  const bad = `bad for ${formatDuration(badMs)}`;
  return [counterfactual ? MARK : "", formatSecond(firedAt), rule, nameOf(entity), bad, end];
}

/** Says how an alert ends that is not seen to be resolved. */
export function endOf({ lostAt }: AlertRun): string {
  return lostAt === undefined ? "fires at the end" : `not known from ${formatSecond(lostAt)} on`;
}

function actionCells({ at, action, entity, rule, state, counterfactual }: ActionRun): string[] {
  return [
    counterfactual ? MARK : "",
    formatSecond(at),
    action,
    nameOf(entity),
    `by ${rule}`,
    state,
  ];
}

function stopCells({ at, action, entity, reason, detail, counterfactual }: Stop): string[] {
  return [counterfactual ? MARK : "", formatSecond(at), reason, action, nameOf(entity), detail];
}

const WHY = {
  sent: "these rules act, and nothing was really sent",
  not_sent: "an action was really sent that these rules would not have sent",
} as const;

function openLoopLines({ outcome, against }: Backtest): string[] {
  const diverged = [...outcome.divergences, ...(against?.outcome.divergences ?? [])];
  if (diverged.length === 0) return ["The record and these rules act alike: nothing is made up."];
  const first = new Map(diverged.toReversed().map((one) => [`${one.entity} ${one.why}`, one]));
  return [
    `${MARK} Open loop: from here on the past of these is not what would have happened, as the record cannot know what an action changes.`,
    ...inColumns(
      [...first.values()]
        .toSorted((one, other) => one.at - other.at)
        .map(({ at, entity, why }) => ["", formatSecond(at), entity, WHY[why]]),
    ),
  ];
}

function section(title: string, rows: readonly string[][]): string[] {
  if (rows.length === 0) return [`${title}: none`, ""];
  return [`${title}: ${rows.length}`, ...inColumns(rows), ""];
}

function nameOf({ aggregator, kind, id }: EntityId): string {
  return `${kind} ${id} of ${aggregator}`;
}
