import { sameFacts, type Facts, type FactValue, type SeenEntity } from "../domain/entity.ts";
import { changedItems, LONG_LIST } from "../domain/lists/changed-items.ts";
import { eachInSlices, type Slices } from "../domain/slices.ts";
import type { EntityChange, SurfaceChange } from "./entry.ts";

/** A listing by the keys of its entities, and what differs between two of them. */
export type Listing = Map<string, SeenEntity>;

/** If an entity is listed twice, the last entry counts. */
export function listingOf(listed: readonly SeenEntity[]): Listing {
  return new Map(listed.map((one) => [keyOf(one.kind, one.id), one]));
}

type ListingChange = Required<Pick<SurfaceChange, "listed" | "absent">>;

/**
 * Brings `known` up to what is listed now, and gives what differed; undefined if nothing did. The
 * order within a listing has no meaning, and is not part of it. `before`: what was listed last.
 */
export function* takeDifference(
  known: Listing,
  listed: readonly SeenEntity[],
  before: readonly SeenEntity[] = [],
): Slices<ListingChange | undefined> {
  const changes: EntityChange[] = [];
  const absent: Array<readonly [string, string]> = [];
  const difference = yield* differing(known, listed, before);
  const { gone, fresh } = difference ?? { gone: known, fresh: listed };
  const missing = new Map<string, SeenEntity>();
  yield* eachInSlices(gone, ([key, one]) => missing.set(key, one));
  yield* eachInSlices(fresh, (entity) => {
    const key = keyOf(entity.kind, entity.id);
    missing.delete(key);
    const before = known.get(key);
    if (before !== undefined && isSame(before, entity)) return;
    const isOther = before === undefined || !sameParent(before, entity);
    if (isOther && before !== undefined) absent.push([entity.kind, entity.id]);
    changes.push(isOther ? whole(entity) : changed(entity, before.facts));
    known.set(key, entity);
  });
  yield* eachInSlices(missing, ([key, { kind, id }]) => {
    known.delete(key);
    absent.push([kind, id]);
  });
  return changes.length + absent.length === 0 ? undefined : { listed: changes, absent };
}

/** What part of a listing is much of it: one of so many. */
const MUCH = 4;

/** The entries that must be compared: in a long listing nearly all are the very same objects as before. */
function* differing(
  known: Listing,
  listed: readonly SeenEntity[],
  before: readonly SeenEntity[],
): Slices<{ readonly gone: Listing; readonly fresh: readonly SeenEntity[] } | undefined> {
  if (listed.length < LONG_LIST || before.length !== known.size) return undefined;
  const changes = yield* changedItems(before, listed);
  // If so much differs, to look into all of it takes less time than what follows.
  if (changes.fresh.length > listed.length / MUCH) return undefined;
  const left = new Set<string>();
  yield* eachInSlices(changes.gone, ({ kind, id }) => left.add(keyOf(kind, id)));
  const keys = new Set<string>();
  let isKnown = false;
  yield* eachInSlices(changes.fresh, ({ kind, id }) => {
    const key = keyOf(kind, id);
    keys.add(key);
    // What only differs is gone and fresh at once.
    isKnown ||= !left.delete(key) && known.has(key);
  });
  // If something is listed twice, what is said last counts, so that all is to be looked into.
  if (isKnown || keys.size !== changes.fresh.length) return undefined;
  // In the order in which they would be found to be missing from the whole of it.
  const gone: Listing = new Map();
  yield* eachInSlices(left.size === 0 ? [] : known, ([key, one]) => {
    if (left.has(key)) gone.set(key, one);
  });
  return { gone, fresh: changes.fresh };
}

/** The inverse: brings `known` up to what was listed then. */
export function applyDifference(known: Listing, change: Partial<ListingChange>): void {
  for (const [kind, id] of change.absent ?? []) known.delete(keyOf(kind, id));
  for (const [kind, id, facts, without = [], parent] of change.listed ?? []) {
    const key = keyOf(kind, id);
    const before = known.get(key);
    const merged: Record<string, FactValue> = { ...before?.facts, ...facts };
    for (const name of without) Reflect.deleteProperty(merged, name);
    const above = before?.parent ?? (parent && { kind: parent[0], id: parent[1] });
    known.set(key, { kind, id, facts: merged, ...(above === undefined ? {} : { parent: above }) });
  }
}

/** A kind's name holds no slash. */
function keyOf(kind: string, id: string): string {
  return `${kind}/${id}`;
}

function whole({ kind, id, facts, parent }: SeenEntity): EntityChange {
  return parent === undefined ? [kind, id, facts] : [kind, id, facts, [], [parent.kind, parent.id]];
}

function changed({ kind, id, facts }: SeenEntity, before: Facts): EntityChange {
  const differing = Object.entries(facts).filter(
    ([name, value]) => !Object.is(before[name], value),
  );
  const without = Object.keys(before).filter((name) => facts[name] === undefined);
  const now = Object.fromEntries(differing);
  return without.length === 0 ? [kind, id, now] : [kind, id, now, without];
}

function isSame(one: SeenEntity, other: SeenEntity): boolean {
  return sameParent(one, other) && sameFacts(one.facts, other.facts);
}

function sameParent({ parent: one }: SeenEntity, { parent: other }: SeenEntity): boolean {
  return one?.kind === other?.kind && one?.id === other?.id;
}
