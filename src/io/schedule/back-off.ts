import type { Millis } from "../../domain/time.ts";
import { MINUTE } from "../../domain/time.ts";

/** An aggregator is polled again within this time, even if it has been down for long. */
const LONGEST_PAUSE: Millis = MINUTE;

/**
 * How many slots to skip after so many failed polls in a row: none at first, and then 1, 3, 7 … from
 * the third on. Capped so that a poll still happens each minute, or at each slot if slots are rarer.
 */
export function slotsToSkip(failures: number, intervalMs: Millis): number {
  if (failures < 3) return 0;
  const wanted = 2 ** Math.min(failures - 2, 20) - 1;
  const allowed = Math.max(0, Math.floor(LONGEST_PAUSE / Math.max(1, intervalMs)) - 1);
  return Math.min(wanted, allowed);
}

/** The longest offset of a poller from its slot. */
export const LONGEST_OFFSET: Millis = 250;

/**
 * How long after its slot a poller of an aggregator starts: always the same for the same pair, and
 * spread, so that pollers with the same schedule do not all start in the same millisecond.
 */
export function startOffsetMs(aggregator: string, poller: string): Millis {
  let hash = 0x811c9dc5;
  for (const character of `${aggregator}/${poller}`)
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash % (LONGEST_OFFSET + 1);
}
