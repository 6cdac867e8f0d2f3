import { eachInSlices, type Slices } from "../slices.ts";

/**
 * Long lists of which little changes. An item that is equal to the one before is the very same object, so that what was
 * made of it need not be made again, and what differs between two lists is found without looking into their items.
 */

/** From so many items on this pays; of shorter lists all is cheap. */
export const LONG_LIST = 100;

/**
 * Makes something of each item once, for as long as the item is kept. `make` is pure: this only spares work. The item
 * itself, which must not be frozen, keeps it, where neither a copy of it nor its JSON has it. A WeakMap of as many items
 * as a listing has would hold up every garbage collection: what it alone leads to is marked while nothing else may run.
 */
export function madeOnce<Item extends object, Made>(
  make: (item: Item) => Made,
): (item: Item) => Made {
  const made: unique symbol = Symbol("made");
  return (item) => {
    const keeper: Item & { readonly [made]?: Made } = item;
    if (made in keeper) return keeper[made];
    const fresh = make(item);
    Object.defineProperty(item, made, { value: fresh });
    return fresh;
  };
}

export type ChangedItems<Item> = {
  /** In the list before alone. */
  readonly gone: readonly Item[];
  /** In the list now alone. */
  readonly fresh: readonly Item[];
};

/** Looking at so many places of two lists takes no time to speak of. */
const PLACES_A_SLICE = 1_000;

/** What differs between two lists, by identity. The order means nothing. */
export function* changedItems<Item>(
  before: readonly Item[],
  now: readonly Item[],
): Slices<ChangedItems<Item>> {
  const gone = new Set<Item>();
  const moved: Item[] = [];
  const length = Math.max(before.length, now.length);
  for (let index = 0; index < length; index += 1) {
    if (index % PLACES_A_SLICE === PLACES_A_SLICE - 1) yield;
    if (before[index] === now[index]) continue;
    if (index < before.length) gone.add(before[index] as Item);
    if (index < now.length) moved.push(now[index] as Item);
  }
  const fresh: Item[] = [];
  yield* eachInSlices(moved, (item) => {
    if (!gone.delete(item)) fresh.push(item);
  });
  return { gone: [...gone], fresh };
}
