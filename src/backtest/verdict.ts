import { counted } from "../domain/wording.ts";
import { entityKey } from "../domain/entity.ts";
import { DAY, formatDuration, MINUTE, type Millis } from "../domain/time.ts";
import type { Rule } from "../domain/rule.ts";
import type { Backtest } from "./backtest.ts";
import { isDifferent } from "./difference.ts";
import { lostMs } from "./landmarks.ts";
import type { AlertRun, Outcome } from "./outcome.ts";

/** A backtest in sentences; the first is the summary. */
export function backtestVerdict(backtest: Backtest, rules: readonly Rule[]): readonly string[] {
  const { outcome } = backtest;
  return [
    sumOf(backtest, rules),
    ...noiseOf(outcome),
    ...actionsOf(outcome),
    ...differenceOf(backtest),
    ...doubtsOf(backtest),
  ];
}

function sumOf({ outcome, unknownMs, since, until }: Backtest, rules: readonly Rule[]): string {
  const { alerts } = outcome;
  const length = until - since;
  const within = `in ${formatDuration(length)}`;
  const all = counted(rules.length, "rule");
  if (alerts.length === 0) return silenceOf(all, length, length - unknownMs);
  const fired = new Set(alerts.map(({ rule }) => rule)).size;
  const rate = length < DAY ? "" : `, ${((alerts.length * DAY) / length).toFixed(1)} a day`;
  const firing = alerts.filter(
    ({ resolvedAt, lostAt }) => (resolvedAt ?? lostAt) === undefined,
  ).length;
  const open =
    firing === 0 ? "" : ` At the end ${firing} still ${firing === 1 ? "fires" : "fire"}.`;
  return `Of ${all}, ${fired} fired: ${counted(alerts.length, "alert")} ${within}${rate}.${open}`;
}

/** No alert may mean that all was well, or that nothing is known. */
function silenceOf(rules: string, lengthMs: Millis, knownMs: Millis): string {
  const length = formatDuration(lengthMs);
  if (knownMs <= 0) return `Nothing is known of these ${length}, so none of ${rules} could fire.`;
  return knownMs === lengthMs
    ? `Quiet: of ${rules}, none fired in ${length}.`
    : `Of ${rules}, none fired in the ${formatDuration(knownMs)} of ${length} of which something is known.`;
}

/** An alert that resolves sooner after firing is too short for a reaction. */
const SHORT: Millis = 5 * MINUTE;
const AGAIN: Millis = 15 * MINUTE;
/** With fewer alerts, a rule is not called noisy or flapping. */
const LEAST_ALERTS = 3;

function noiseOf({ alerts, actions }: Outcome): readonly string[] {
  const repairs = Map.groupBy(
    actions.filter(({ state }) => state === "verified"),
    ({ entity }) => entityKey(entity),
  );
  return [...Map.groupBy(alerts, ({ rule }) => rule)].flatMap(([rule, runs]) => {
    if (runs.length < LEAST_ALERTS) return [];
    const short = runs.filter(
      (run) => run.because === "ok" && lengthOf(run) < SHORT && !isRepaired(run, repairs),
    ).length;
    const again = countAgain(runs);
    return [
      ...(short * 2 >= runs.length
        ? [
            `${rule} is noisy: ${short} of ${runs.length} alerts were over within ${formatDuration(SHORT)} of firing. A longer \`for\` would have kept them quiet.`,
          ]
        : []),
      ...(again * 4 >= runs.length
        ? [
            `${rule} flaps: ${again} of ${runs.length} alerts fired again within ${formatDuration(AGAIN)} of being resolved. \`keep_firing_for\` would make one of them.`,
          ]
        : []),
    ];
  });
}

/** An alert that ended by its repair was no noise: a longer `for` would only have delayed that. */
function isRepaired(
  { entity, firedAt, resolvedAt = Infinity }: AlertRun,
  repairs: ReadonlyMap<string, Outcome["actions"]>,
): boolean {
  const own = repairs.get(entityKey(entity)) ?? [];
  return own.some(({ at }) => at >= firedAt && at <= resolvedAt);
}

function lengthOf({ firedAt, resolvedAt = Infinity }: AlertRun): Millis {
  return resolvedAt - firedAt;
}

function countAgain(runs: readonly AlertRun[]): number {
  const resolved = new Map<string, number>();
  let count = 0;
  for (const { entity, firedAt, resolvedAt } of runs) {
    const key = entityKey(entity);
    if (firedAt - (resolved.get(key) ?? -Infinity) < AGAIN) count += 1;
    resolved.set(key, resolvedAt ?? Infinity);
  }
  return count;
}

function actionsOf({ actions, stopped }: Outcome): readonly string[] {
  const verified = actions.filter(({ state }) => state === "verified").length;
  const [worst] = [...Map.groupBy(stopped, ({ reason }) => reason)].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  const held =
    worst === undefined
      ? ""
      : ` Guards would have held back ${counted(stopped.length, "action")}, most by ${worst[0]} (${worst[1].length}).`;
  if (actions.length === 0) return [`Nothing would have been sent.${held}`];
  return [
    `${counted(actions.length, "action")} would have been sent, of which ${verified} ${verified === 1 ? "is" : "are"} seen to have worked.${held}`,
  ];
}

function differenceOf({ against }: Backtest): readonly string[] {
  if (against === undefined) return [];
  const { alerts, actions, moved } = against.difference;
  if (!isDifferent(against.difference))
    return ["Against the other rules there is no difference, in alerts or actions."];
  const parts = [
    ...(alerts.more.length > 0 ? [`${counted(alerts.more.length, "alert")} more`] : []),
    ...(alerts.fewer.length > 0 ? [`${counted(alerts.fewer.length, "alert")} fewer`] : []),
    ...(moved.length > 0 ? [`${counted(moved.length, "alert")} at another time`] : []),
    ...(actions.more.length > 0 ? [`${counted(actions.more.length, "action")} more`] : []),
    ...(actions.fewer.length > 0 ? [`${counted(actions.fewer.length, "action")} fewer`] : []),
  ];
  return [`Against the other rules: ${parts.join(", ")}.`];
}

function doubtsOf({ outcome, gaps, unknownMs, since, until }: Backtest): readonly string[] {
  const partlyMs = lostMs(gaps, since) - unknownMs;
  const share = Math.round((100 * unknownMs) / Math.max(1, until - since));
  const made = [...outcome.alerts, ...outcome.actions].filter((one) => one.counterfactual).length;
  return [
    ...(unknownMs === 0
      ? []
      : [`Nothing is known of ${formatDuration(unknownMs)} of it (${share} %).`]),
    ...(partlyMs === 0
      ? []
      : [`Of ${formatDuration(partlyMs)} of it, the record of at least one unit is missing.`]),
    ...(made === 0
      ? []
      : [
          `${counted(made, "line")} of it ${made === 1 ? "is" : "are"} uncertain: what an action changes is not in the record.`,
        ]),
  ];
}
