import type { Alert } from "../domain/alert.ts";
import { entityKey, type Entity } from "../domain/entity.ts";
import type { Hold } from "../domain/hold.ts";
import { covers } from "../domain/hold.ts";
import { parseSurfaceKey } from "../domain/observation.ts";
import type { OutboxRow } from "../domain/notification.ts";
import { isSettled, type Proposal, type Remediation } from "../domain/remediation.ts";
import { eachInSlices, type Slices } from "../domain/slices.ts";
import type { Change, Policy } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";
import { groupKey } from "./entity-index.ts";
import { MOST_RESOLVED } from "./judge/dropped-alerts.ts";
import { isVanished } from "./observe/entity-life.ts";
import { mostEntities } from "./observe/entity-limits.ts";
import type { Unread } from "./state.ts";
import { lastNotification } from "./tell/outbox.ts";

/**
 * A journal may hold more than the limits allow: it was written under higher ones, or by a version that had
 * none. It is brought within them while it is read, so that a start never needs more memory than running does.
 */

type Row = Change;

/** Given the rows one after another, says if a row exceeds what the limits allow of its kind. */
export function createRowCount(policy: Policy): (row: Row) => boolean {
  const counts = new Map<string, number>();
  const isOver = (name: string, most: number): boolean => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count > most;
  };
  return ({ table, value }) => {
    if (table === "entity") {
      const entity = value as Entity;
      return isOver(`entity ${groupKey(entity)}`, mostOf(policy, entity));
    }
    if (table !== "alert") return false;
    const { entity } = value as Alert;
    const rules = policy.rulesByKind.get(entity.kind)?.length ?? 1;
    return isOver(`alert ${groupKey(entity)}`, policy.limits.entities * rules + MOST_RESOLVED);
  };
}

function mostOf(policy: Policy, { aggregator, surface }: Entity): number {
  return mostEntities(policy, { aggregator, poller: parseSurfaceKey(surface).poller });
}

/** Which rows are kept if there are too many, and how many entities are dropped, by `groupKey`. */
export type Kept = {
  readonly stays: (row: Row) => boolean;
  readonly leftOut: ReadonlyMap<string, number>;
};

/** Reads the rows twice, so that memory holds only those that are kept. */
export function* rowsToKeep(policy: Policy, read: () => Iterable<Row>): Slices<Kept> {
  const needed = yield* neededEntities(read());
  const candidates = new Map<string, Candidates>();
  // An alert is kept even if its entity is gone: one that was notified as firing ends as its rule says.
  const kept = new Set(needed.keys);
  yield* eachInSlices(read(), ({ table, key, value }) => {
    if (table !== "entity") return;
    const entity = value as Entity;
    const group = groupKey(entity);
    const own = candidates.get(group) ?? new Candidates(mostOf(policy, entity));
    candidates.set(group, own);
    if (needed.has(key, entity)) {
      kept.add(key);
      own.places -= 1;
    } else own.add(candidateOf(policy, key, entity, needed.unread.get(entity.surface)));
  });
  for (const one of candidates.values()) for (const key of one.best()) kept.add(key);
  return {
    stays: (row) => stays(row, kept),
    leftOut: new Map([...candidates].map(([group, one]) => [group, one.leftOut])),
  };
}

function stays({ table, key, value }: Row, kept: ReadonlySet<string>): boolean {
  if (table === "entity") return kept.has(key);
  if (table === "alert") return kept.has(entityKey((value as Alert).entity));
  if (table === "proposal") return kept.has(entityKey((value as Proposal).entity));
  return true;
}

function candidateOf(
  policy: Policy,
  key: string,
  entity: Entity,
  unread: Unread | undefined,
): Candidate {
  const { since, unknownSince = unread?.since ?? Infinity, firstSeen } = entity;
  const hasVanished = isVanished(policy, entity);
  return { key, hasVanished, lastSure: hasVanished ? since : unknownSince, firstSeen };
}

type Needed = {
  readonly keys: ReadonlySet<string>;
  readonly has: (key: string, entity: Entity) => boolean;
  readonly unread: ReadonlyMap<string, Unread>;
};

/** Entities with an open remediation, a hold, a quarantine or a notified alert; and the surfaces not yet read. */
function* neededEntities(rows: Iterable<Row>): Slices<Needed> {
  const keys = new Set<string>();
  const holds: Hold[] = [];
  const unread = new Map<string, Unread>();
  yield* eachInSlices(rows, ({ table, key, value }) => {
    if (table === "quarantine") keys.add(key);
    if (table === "unread") unread.set(key, value as Unread);
    if (table === "hold" && (value as Hold).scope.id !== undefined) holds.push(value as Hold);
    if (table === "remediation" && !isSettled(value as Remediation))
      keys.add(entityKey((value as Remediation).entity));
    if (table !== "notification") return;
    const last = lastNotification(value as OutboxRow);
    // Its end is not notified yet.
    if (last?.type === "alert" && last.state === "firing") keys.add(entityKey(last.entity));
  });
  return {
    keys,
    unread,
    has: (key, entity) =>
      keys.has(key) || holds.some(({ scope }) => covers(scope, scope.rule ?? "", entity)),
  };
}

type Candidate = {
  readonly key: string;
  readonly hasVanished: boolean;
  /** When something sure was last known of it; Infinity if it is listed now. */
  readonly lastSure: Instant;
  readonly firstSeen: Instant;
};

/** Picks the best of many, and never holds more than about twice as many as there are places. */
class Candidates {
  places: number;
  private seen = 0;
  private chosen = 0;
  private remembered: Candidate[] = [];

  constructor(places: number) {
    this.places = places;
  }

  get leftOut(): number {
    return this.seen - this.chosen;
  }

  add(candidate: Candidate): void {
    this.seen += 1;
    this.remembered.push(candidate);
    if (this.remembered.length > 2 * Math.max(1, this.places) + 1_000) this.shorten();
  }

  best(): string[] {
    this.shorten();
    this.chosen = this.remembered.length;
    return this.remembered.map(({ key }) => key);
  }

  private shorten(): void {
    this.remembered.sort(byWorth);
    this.remembered.length = Math.min(this.remembered.length, Math.max(0, this.places));
  }
}

/** Vanished entities come last, newer evidence first; among equals, the one known for longest. */
function byWorth(one: Candidate, other: Candidate): number {
  if (one.hasVanished !== other.hasVanished) return one.hasVanished ? 1 : -1;
  if (one.lastSure !== other.lastSure) return one.lastSure > other.lastSure ? -1 : 1;
  return one.firstSeen - other.firstSeen || (one.key < other.key ? -1 : 1);
}
