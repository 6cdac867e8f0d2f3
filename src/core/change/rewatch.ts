import type { WatchListed } from "../../domain/step.ts";
import type { Slices } from "../../domain/slices.ts";
import { put, remove, type Draft } from "../draft.ts";
import { judgeAffected } from "../judge/judge.ts";
import { adoptAggregators } from "./reload.ts";

/**
 * Applies another watch list. Entities that left it end, and so do their alerts. A remediation that was sent is still
 * followed to its end, and ends unverified if its surface is no longer read.
 */
export function* adoptWatchLists(draft: Draft, listed: readonly WatchListed[]): Slices {
  for (const one of listed) remember(draft, one);
  const affected = adoptAggregators(draft, []);
  yield* judgeAffected(draft, affected);
  for (const [index, { aggregator, source, name, entries }] of listed.entries()) {
    draft.findings.push({
      type: "watch",
      aggregator,
      source,
      name,
      entries: entries?.length ?? 0,
      ended: index === 0 ? affected.gone.size : 0,
    });
  }
}

/** Keeps what a source gave last, so that a start without the source does not end what it lists. */
function remember(draft: Draft, { aggregator, source, name, entries }: WatchListed): void {
  const key = listingKey(aggregator, source, name);
  if (entries === undefined) remove(draft, "watch", key);
  else
    put(draft, "watch", key, { type: "listing", aggregator, source, name, entries, at: draft.at });
}

/** No watch kind has a colon, so that no entry has this key. */
export function listingKey(aggregator: string, source: string, name: string): string {
  return `${aggregator}/${source}:${name}`;
}
