import { toEnd, type Slices } from "../../domain/slices.ts";
import type { Draft } from "../draft.ts";
import { addTo, groupKey } from "../entity-index.ts";
import { isNeeded } from "./entity-limits.ts";
import { forget, isVanished, type Affected } from "./entity-life.ts";

/** Vanished entities that are kept. Their number is bounded, as an aggregator can name new ones forever. */

/** Indexes the entities that vanished before the process started, and brings their number within the bound. */
export function indexVanished(draft: Draft, affected: Affected): void {
  const { tables, vanished } = draft.state;
  vanished.clear();
  const found = [...tables.entity].filter(([, entity]) => isVanished(draft.policy, entity));
  found.sort(([oneKey, one], [key, other]) => one.since - other.since || (oneKey < key ? -1 : 1));
  for (const [key, entity] of found) addTo(vanished, groupKey(entity), key);
  for (const { name } of draft.policy.aggregators)
    toEnd(forgetOldestVanished(draft, name, affected));
}

/** Forgets those beyond the bound, the first that vanished first. */
export function* forgetOldestVanished(
  draft: Draft,
  aggregator: string,
  affected: Affected,
): Slices {
  const { tables, vanished } = draft.state;
  const { limits } = draft.policy;
  // Vanished entities take at most half of the limit, and leave room for those that exist.
  const most = Math.min(limits.vanished, Math.floor(limits.entities / 2));
  for (const [group, keys] of vanished) {
    let excess = keys.size - most;
    if (excess <= 0 || !group.startsWith(`${aggregator}/`)) continue;
    let count = 0;
    for (const key of keys) {
      const entity = tables.entity.get(key);
      if (entity === undefined || isNeeded(draft.state, key, entity)) continue;
      forget(draft, key, affected);
      count += 1;
      excess -= 1;
      yield;
      if (excess <= 0) break;
    }
    if (count === 0) continue;
    const kind = group.slice(aggregator.length + 1);
    draft.findings.push({ type: "left_out", aggregator, kind, why: "vanished", count });
  }
}
