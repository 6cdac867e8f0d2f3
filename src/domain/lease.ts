import { entityKey } from "./entity.ts";
import { formatDuration, type Millis } from "./time.ts";

/** What a replica reads of its lease when it wants to act. */
export type LeaseReading = {
  /** Undefined if it does not hold the lease. */
  readonly epoch: number | undefined;
  readonly leftMs: Millis;
  /** How long a request to the aggregator may take: it is to be over before another replica can act. */
  readonly neededMs: Millis;
};

/** Why that is not enough to act; undefined if it is. */
export function leaseProblem({ epoch, leftMs, neededMs }: LeaseReading): string | undefined {
  if (epoch === undefined) return "this replica does not hold the lease";
  if (leftMs > neededMs) return undefined;
  return `the lease, of epoch ${epoch}, lasts ${formatDuration(leftMs)} more, and a request may take ${formatDuration(neededMs)}`;
}

/**
 * A lease is of one unit, and its holder owns that. `home` is all that can act, every listing, commands, budgets and
 * holds. The watched senders may be spread over further units, which alert and never act.
 */
export const HOME = "home";

/** The units of senders, from 1 on. */
export function sendersUnit(number: number): string {
  return `senders/${number}`;
}

/** The names of `count` units of senders, in their order. */
export function sendersUnits(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => sendersUnit(index + 1));
}

/** The number of a unit of senders; undefined if it is `home`. */
export function sendersNumber(unit: string): number | undefined {
  const found = /^senders\/(\d+)$/.exec(unit)?.[1];
  return found === undefined ? undefined : Number(found);
}

/**
 * Which of `count` units a sender belongs to, by its key (`identifierKey`): FNV-1a of 32 bits over the UTF-16 units of
 * the key, mixed as MurmurHash3 does at its end, modulo the count, plus 1. It never changes: where a sender's rows are
 * depends on it.
 */
export function unitOfSender(key: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) % count) + 1;
}

/** The id of a poller's entity; each unit that watches a part of its list has one of its own. */
export function pollerId({
  name,
  unit,
}: {
  readonly name: string;
  readonly unit?: number | undefined;
}): string {
  return unit === undefined ? name : `${name}/${unit}`;
}

export const POLLER_KIND = "poller";

/** The key of a poller's entity. */
export function pollerKey(aggregator: string, poller: Parameters<typeof pollerId>[0]): string {
  return entityKey({ aggregator, kind: POLLER_KIND, id: pollerId(poller) });
}
