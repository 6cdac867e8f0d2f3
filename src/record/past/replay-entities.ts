import { isOfWatching } from "../../core/observe/poller-health.ts";
import { POLLER_KIND } from "../../domain/lease.ts";
import type { Entity, KindDefinition } from "../../domain/entity.ts";
import type { EntityLimits } from "../../domain/limits.ts";
import type { Instant } from "../../domain/time.ts";
import type { EntitiesThen } from "../../io/api/past/moment.ts";
import type { InForce } from "../../io/api/past/in-force.ts";
import { storedPage, type PackedPage } from "../../io/journal/record-pages.ts";
import { gapBefore, rebuild, type Recorded } from "../rebuild.ts";
import { Watching } from "./watching.ts";

export type Kinds = ReadonlyMap<string, KindDefinition>;

type Then = {
  readonly at: Instant;
  readonly kinds: Kinds;
  readonly limits: EntityLimits;
};

/**
 * Makes what was watched at an instant from the pages of the record up to it and, if there is one, the page after it.
 * Undefined if the record has nothing up to that instant.
 */
export function replayEntities(
  pages: Iterable<PackedPage>,
  { at, kinds, limits }: Then,
): EntitiesThen | undefined {
  const watching = new Watching(kinds, limits);
  let gap: EntitiesThen["gap"];
  let inForce: Partial<InForce> = {};
  for (const item of recordedIn(pages, kinds)) {
    if (item.at > at) {
      gap = gapBefore(item);
      break;
    }
    watching.play(item);
    inForce = inForceAfter(inForce, item);
  }
  const { entities, aggregators, polls, since } = watching;
  if (entities === undefined) return undefined;
  return {
    entities: new Map(
      entities
        .entries()
        .filter(([, { kind }]) => isKept(kinds, kind))
        .map(([key, entity]) => [key, withoutRules(entity)]),
    ),
    aggregators,
    polls,
    since,
    gap,
    inForce,
    notKept: [...kinds.keys()].filter((kind) => !isKept(kinds, kind)),
  };
}

/** A chapter begins with all that is known of it. */
function inForceAfter(before: Partial<InForce>, item: Recorded): Partial<InForce> {
  if (item.type === "opened") return item.inForce ?? {};
  return item.type === "in_force" ? { ...before, ...item.inForce } : before;
}

/** What the pages hold, in the order of the record. */
export function recordedIn(pages: Iterable<PackedPage>, kinds: Kinds): Iterable<Recorded> {
  const told = rebuild(Iterator.from(pages).map(storedPage), kinds, () => undefined, "changes");
  return told.filter(({ type }) => type !== "lost");
}

/** Leaves out what rules could not decide, as the rules of that time are not known. */
export function withoutRules(entity: Entity): Entity {
  if (entity.kind !== POLLER_KIND) return entity;
  const { undecided: _undecided, undecided_ratio: _ratio, ...facts } = entity.facts;
  return { ...entity, facts };
}

/** Whether a kind can be rebuilt: not if it follows from a longer past, such as usual durations and repairs. */
export function isKept(kinds: Kinds, kind: string): boolean {
  return isOfWatching(kind) || kinds.get(kind)?.derived !== true;
}
