import type { ActionName } from "../../domain/action.ts";
import type { Remediation } from "../../domain/remediation.ts";
import type { Budget } from "../../domain/rule.ts";
import { formatDuration, type Instant } from "../../domain/time.ts";
import { guardBook, type GuardBook, type Want } from "./acts.ts";
import { createDurableBook } from "./durable-book.ts";

type Spent = {
  readonly at: Instant;
  readonly aggregator: string;
  readonly rule: string;
  readonly action: ActionName;
};

/**
 * Never more actions within a window than the rule's budget allows on one aggregator, and the action's
 * or the global budget over all of them.
 */
export function checkBudgets(): GuardBook {
  const spent = createDurableBook<Spent>();
  const objection: GuardBook["objection"] = (want) =>
    budgetObjection(
      want,
      [...spent.entries()].map(([, one]) => one),
    );
  return guardBook("2 budgets", objection, {
    done: ({ made }) => spent.set(made.id, spentBy(made)),
    // What was decided and could not be committed was never sent, and is counted as if it had been.
    note: ({ result }) => {
      for (const finding of result.findings) {
        if (finding.type !== "remediation" || finding.remediation.state === "requested") continue;
        const { remediation: made } = finding;
        if (spent.get(made.id) === undefined) spent.set(made.id, spentBy(made));
      }
    },
    end: ({ durable }) => {
      if (durable) spent.settle();
    },
    restart: ({ tables }) => {
      spent.restore((id) => {
        const made = tables.remediation.get(id);
        return made === undefined ? undefined : spentBy(made);
      });
    },
  });
}

function spentBy({ requestedAt: at, rule, action, entity }: Remediation): Spent {
  return { at, aggregator: entity.aggregator, rule, action };
}

function budgetObjection(
  { policy, rule, act, entity, at }: Want,
  spent: readonly Spent[],
): string | undefined {
  const { budget, budgetByAction } = policy.acting;
  const limits: ReadonlyArray<readonly [string, Budget | undefined, (one: Spent) => boolean]> = [
    [
      `of ${rule.alert} on ${entity.aggregator}`,
      act.budget,
      (one) => one.rule === rule.alert && one.aggregator === entity.aggregator,
    ],
    [`of ${act.action}`, budgetByAction[act.action], (one) => one.action === act.action],
    ["over all rules", budget, () => true],
  ];
  for (const [name, limit, counts] of limits) {
    if (limit === undefined) continue;
    const within = spent.filter((one) => one.at > at - limit.perMs && counts(one)).length;
    if (within < limit.max) continue;
    return `${within} were sent within ${formatDuration(limit.perMs)} before, and the budget ${name} is ${limit.max}`;
  }
  return undefined;
}
