import { formatDuration, type Instant, type Millis } from "../../../domain/time.ts";
import type { LedgerEntry } from "../../state.ts";
import { object, pass, type Guard } from "./guard.ts";

/** The rule's budget is for each aggregator; those of the action and of all rules are over all of them. */
export const budget: Guard = {
  objectsIf: "the rule's, the action's or the global budget is spent",
  ask: ({ state, policy, rule, act, entity, at }) => {
    const ofRule = ({ rule: name, aggregator }: LedgerEntry): boolean =>
      name === rule.alert && aggregator === entity.aggregator;
    const byAction = policy.acting.budgets[act.action];
    const details: Array<() => string> = [];
    for (const [name, limit, counts] of [
      ["rule", act.budget, ofRule],
      ["action", byAction, (entry: LedgerEntry) => entry.action === act.action],
      ["global", policy.acting.budget, () => true],
    ] as const) {
      if (limit === undefined) continue;
      const spent = spentWithin(state.ledger, limit.perMs, at, counts);
      const detail = (): string =>
        `${spent.length} of ${limit.max} per ${formatDuration(limit.perMs)} spent (${name} budget)`;
      if (spent.length >= limit.max) {
        // A budget of zero never becomes free.
        const frees = spent[limit.max - 1];
        return object(detail, frees === undefined ? "event" : () => frees.at + limit.perMs);
      }
      details.push(detail);
    }
    return pass(() => details.map((detail) => detail()).join(", "), "event");
  },
};

/** What was sent that counts within the window that ends now, newest first. */
export function spentWithin(
  ledger: readonly LedgerEntry[],
  perMs: Millis,
  at: Instant,
  counts: (entry: LedgerEntry) => boolean,
): readonly LedgerEntry[] {
  const spent: LedgerEntry[] = [];
  for (let index = ledger.length - 1; index >= 0; index -= 1) {
    const entry = ledger[index];
    if (entry === undefined || entry.at <= at - perMs) break;
    if (counts(entry)) spent.push(entry);
  }
  return spent;
}
