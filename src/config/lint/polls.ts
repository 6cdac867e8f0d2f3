import { formatDuration, type Millis } from "../../domain/time.ts";
import { clausesOf, type Clause } from "./clauses.ts";
import { conditionsOf } from "./conditions.ts";
import type { LintCheck, LintedRule } from "./lint-check.ts";
import { constantOf } from "../cel/nodes.ts";
import { quantityOf } from "./quantity.ts";
import { pollerOfKind } from "../../pollers/index.ts";
import { judgedBy, pollerSettings } from "./poller-settings.ts";

export const forShorterThanTwoPolls: LintCheck = {
  id: "lint/for-shorter-than-two-polls",
  severity: "warning",
  means: "One bad reading is enough for the alert to fire.",
  why: "A single answer may be stale or wrong. With a `for` of at least two polls, two answers in a row must agree. A rule that compares `age()` of `since` or `first_seen` waits too, and is not reported.",
  mend: "Write a longer `for`, or poll more often.",
  find: (linted, { aggregators }) => {
    const { kind, forMs } = linted.rule;
    const poller = pollerOfKind(kind);
    if (poller === undefined) return [];
    const judged = judgedBy(linted.rule, aggregators);
    const intervals = pollerSettings(judged, poller.name).map((set) => set.intervalMs);
    const twoPolls = 2 * Math.max(0, ...intervals);
    if (forMs >= twoPolls || waitsByItself(linted, twoPolls)) return [];
    return [
      {
        path: forMs === 0 ? ["alert"] : ["for"],
        message: `for: ${formatDuration(forMs)} is shorter than two polls of "${poller.name}", which polls every ${formatDuration(twoPolls / 2)}`,
        hint: `write for: ${formatDuration(twoPolls)} or longer`,
      },
    ];
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
    if (!positive || (node.op !== ">" && node.op !== ">=")) return false;
    const [left, right] = node.args;
    const limit = constantOf(right);
    const quantity = quantityOf(left, language);
    if (quantity === undefined || typeof limit !== "number") return false;
    return aged.has(quantity.name) && limit >= leastMs;
  });
}
