import type { Rule } from "../../domain/rule.ts";
import { formatDuration, type Millis } from "../../domain/time.ts";
import { pollerOfKind } from "../../pollers/index.ts";
import type { Poller } from "../../pollers/poller.ts";
import { constantOf } from "../cel/nodes.ts";
import type { AggregatorSettings, PollerSettings } from "../settings/resolve-aggregator.ts";
import { clausesOf, conditionsOf, type Clause } from "./clauses.ts";
import type { LintCheck, LintedRule } from "./lint-check.ts";
import { quantityOf } from "./quantity.ts";

/** Whether a rule fits to how its kind is polled. */

export const forShorterThanTwoPolls: LintCheck = {
  id: "lint/for-shorter-than-two-polls",
  means: "One bad reading is enough for the alert to fire.",
  why: "A single answer may be stale or wrong. With a `for` of at least two polls, two answers in a row must agree. A rule that compares `age()` of `since` or `first_seen` waits too, and is not reported.",
  mend: "Write a longer `for`, or poll more often.",
  find: (linted, { aggregators }) => {
    const { kind, forMs } = linted.rule;
    const poller = pollerOfKind(kind);
    if (poller === undefined) return undefined;
    const judged = judgedBy(linted.rule, aggregators);
    const polled = judged
      .filter((aggregator) => mayWatch(poller, aggregator))
      .flatMap((one) => settingsOf(poller, [one]).map((set) => ({ ...set, of: one.name })));
    const slowest = polled.toSorted((one, other) => other.intervalMs - one.intervalMs)[0];
    const twoPolls = 2 * (slowest?.intervalMs ?? 0);
    const where = judged.length > 1 ? ` of ${slowest?.of}` : "";
    if (forMs >= twoPolls || waitsByItself(linted, twoPolls)) return undefined;
    return {
      path: forMs === 0 ? ["alert"] : ["for"],
      message: `for: ${formatDuration(forMs)} is shorter than two polls of "${poller.name}"${where}, which polls every ${formatDuration(twoPolls / 2)}`,
      hint: `write for: ${formatDuration(twoPolls)} or longer`,
    };
  },
};

/** Whether the condition asks for the age of something in each way of being true, so that `for` need not be long. */
function waitsByItself(linted: LintedRule, leastMs: Millis): boolean {
  const [when] = conditionsOf(linted);
  const clauses = when && clausesOf(when.ast);
  return clauses?.every((clause) => waits(clause, linted, leastMs)) === true;
}

function waits(clause: Clause, { language, rule }: LintedRule, leastMs: Millis): boolean {
  const aged = new Set(["since", "first_seen"].map((fact) => `age(${rule.kind}.${fact})`));
  return clause.some(({ node, positive }) => {
    const { op } = node;
    if (op !== "<" && op !== "<=" && op !== ">" && op !== ">=") return false;
    const [left, right] = node.args;
    const isGreater = op === ">" || op === ">=";
    // `age > limit` may also be written as `limit < age`, or as the opposite of `age <= limit`.
    const [larger, smaller] = isGreater === positive ? [left, right] : [right, left];
    const limit = constantOf(smaller);
    const quantity = quantityOf(larger, language);
    if (quantity === undefined || typeof limit !== "number") return false;
    return aged.has(quantity.name) && limit >= leastMs;
  });
}

export const pollerOff: LintCheck = {
  id: "lint/poller-off",
  means: "A rule judges a kind whose poller is off for every aggregator that the rule judges.",
  why: "The rule is never judged, although a reader believes that something is watched.",
  mend: "Give the poller a schedule in the config, or write `enabled: false` on the rule.",
  find: ({ rule }, { aggregators }) => {
    const { kind } = rule;
    const poller = pollerOfKind(kind);
    const judged = judgedBy(rule, aggregators);
    // lint/watches-nothing reports one that is off until it has a schedule.
    if (poller?.defaultSchedule === undefined || judged.length === 0) return undefined;
    if (settingsOf(poller, judged).length > 0) return undefined;
    const message = `the poller "${poller.name}", which gives ${kind}, is off for every aggregator that the rule judges`;
    return { path: ["each"], message };
  },
};

export const watchesNothing: LintCheck = {
  id: "lint/watches-nothing",
  severity: "note",
  means: "A rule judges a kind, and no entity of that kind is watched.",
  why: "Swaps and liquidation orders are requested one by one, so without a watch list their rules are never judged. This is only a note, since the shipped rules cover all kinds.",
  mend: "List what to watch in the config (`watch.senders`, `watch.liquidations`), give the poller a schedule, or remove the rule.",
  find: ({ rule }, { aggregators }) => {
    const { kind } = rule;
    const poller = pollerOfKind(kind);
    const judged = judgedBy(rule, aggregators);
    if (poller === undefined || judged.length === 0) return undefined;
    const watching = judged.filter((aggregator) => settingsOf(poller, [aggregator]).length > 0);
    const name = `the poller "${poller.name}", which gives ${kind},`;
    if (watching.length === 0)
      return poller.defaultSchedule === undefined
        ? {
            path: ["each"],
            message: `${name} is off until a schedule is given`,
            hint: `write schedules: { ${poller.name}: … } for the aggregator, or enabled: false on the rule`,
          }
        : undefined;
    if (watching.some((aggregator) => mayWatch(poller, aggregator))) return undefined;
    const { list } = poller.watchList ?? { list: undefined };
    return {
      path: ["each"],
      message: `${name} watches nothing`,
      hint: `write what to watch under watch${list === undefined ? "" : `.${list}`}, or enabled: false on the rule`,
    };
  },
};

/** Whether a poller has anything to ask of an aggregator. */
function mayWatch(
  { plan }: Pick<Poller, "plan">,
  { watch, watchSources: { files, http } }: AggregatorSettings,
): boolean {
  // What files and lists over HTTP say may be another thing tomorrow.
  return files.length + http.length > 0 || plan(watch).length > 0;
}

/** The aggregators that a rule judges. */
export function judgedBy(
  rule: Pick<Rule, "aggregators">,
  aggregators: readonly AggregatorSettings[],
): readonly AggregatorSettings[] {
  return aggregators.filter(({ name }) => rule.aggregators?.includes(name) ?? true);
}

/** The settings of a poller, of each aggregator for which it is on. */
function settingsOf(
  { name }: { readonly name: string },
  aggregators: readonly AggregatorSettings[],
): readonly PollerSettings[] {
  return aggregators.flatMap(({ pollers }) => pollers.filter((poller) => poller.name === name));
}
