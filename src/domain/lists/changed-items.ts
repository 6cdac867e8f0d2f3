import type { Slices } from "../slices.ts";

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

/** Shared by the lists that stand in one place of an answer, one answer after another. */
export type Place = object;

const place: unique symbol = Symbol("place");

export function standsIn(list: readonly unknown[], at: Place): void {
  Object.defineProperty(list, place, { value: at });
}

/**
 * Makes something of a list, given what was made of the list that stood in its place before. `make` may take that apart,
 * as it is not used again, and gives the same with it as without.
 */
export function madeInTurn<Item, Made>(
  make: (list: readonly Item[], before: Made | undefined) => Made,
): (list: readonly Item[]) => Made {
  const made: unique symbol = Symbol("made");
  return (list) => {
    const placed: readonly Item[] & { readonly [place]?: { [made]?: Made | undefined } } = list;
    const at = placed[place];
    if (at === undefined) return make(list, undefined);
    const before = at[made];
    at[made] = undefined;
    return (at[made] = make(list, before));
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

/** So many items that are gone at once, or new, do not put two lists out of step. */
const MOST_AT_ONCE = 8;

export type KeptPlaces = {
  /** For each place of the list now, that of the same item in the list before; -1 if it is not kept. */
  readonly from: Int32Array;
  /** The places of the list before whose items are not kept. What has only moved elsewhere is not kept, but new. */
  readonly left: readonly number[];
};

/** Which items of a list are kept in the next one, by identity. */
export function* keptPlaces(
  before: readonly unknown[],
  now: readonly unknown[],
): Slices<KeptPlaces> {
  const from = new Int32Array(now.length).fill(-1);
  const left: number[] = [];
  let was = 0;
  for (let place = 0; place < now.length; place += 1) {
    if (place % PLACES_A_SLICE === PLACES_A_SLICE - 1) yield;
    if (was < before.length && before[was] !== now[place]) {
      const { gone, fresh } = nextInStep(before, was, now, place);
      for (const end = was + gone; was < end; was += 1) left.push(was);
      place += fresh;
    }
    if (was < before.length && before[was] === now[place]) {
      from[place] = was;
      was += 1;
    }
  }
  for (; was < before.length; was += 1) left.push(was);
  return { from, left };
}

/** How many of each list are to be passed over until both have the same again; one of each if that is far off. */
function nextInStep(
  before: readonly unknown[],
  was: number,
  now: readonly unknown[],
  place: number,
): { readonly gone: number; readonly fresh: number } {
  for (let by = 1; by <= MOST_AT_ONCE; by += 1) {
    if (before[was + by] === now[place]) return { gone: by, fresh: 0 };
    if (before[was] === now[place + by]) return { gone: 0, fresh: by };
  }
  return { gone: 1, fresh: 0 };
}

/** What differs between two lists, by identity. The order means nothing. */
export function* changedItems<Item>(
  before: readonly Item[],
  now: readonly Item[],
): Slices<ChangedItems<Item>> {
  const { from, left } = yield* keptPlaces(before, now);
  const gone = new Set(left.map((place) => before[place] as Item));
  const fresh: Item[] = [];
  for (const [place, item] of now.entries()) {
    if (place % PLACES_A_SLICE === PLACES_A_SLICE - 1) yield;
    if (from[place] === -1 && !gone.delete(item)) fresh.push(item);
  }
  return { gone: [...gone], fresh };
}
