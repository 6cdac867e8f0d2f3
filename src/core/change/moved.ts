import { giveUpMoved } from "../act/settle.ts";
import { withdraw } from "../act/propose.ts";
import { put, type Draft } from "../draft.ts";

/** Notes where the aggregators are; gives those that were somewhere else before, also before a restart. */
export function noteAddresses(draft: Draft): string[] {
  return draft.policy.aggregators.flatMap(({ name, address }) => {
    const key = `address ${name}`;
    const before = draft.state.tables.counter.get(key);
    if (address === undefined || address === before) return [];
    put(draft, "counter", key, address);
    return before === undefined ? [] : [name];
  });
}

/** What was sent to the old address cannot be verified at the new one, nor is what was proposed there wanted here. */
export function leaveMoved(draft: Draft, moved: readonly string[]): void {
  giveUpMoved(draft, moved);
  for (const [key, { entity, denial }] of draft.state.tables.proposal) {
    if (denial !== undefined || !moved.includes(entity.aggregator)) continue;
    withdraw(draft, key, "base_url was changed");
  }
}
