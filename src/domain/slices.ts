/**
 * Long work in slices: wherever it yields, its caller may do something else first. The result is the
 * same however often it is interrupted, if nothing else touches what it works on.
 */
export type Slices<Value = void> = Generator<void, Value, void>;

/** Runs it to its end at once. */
export function toEnd<Value>(slices: Slices<Value>): Value {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
}

/** Work that is done at once, for what takes slices. */
export function inOneSlice<Given extends readonly unknown[], Value>(
  work: (...given: Given) => Value,
): (...given: Given) => Slices<Value> {
  return function* (...given) {
    yield;
    return work(...given);
  };
}

/** Items in a slice. The costliest kind of item takes a millisecond or two for this many. */
const ITEMS_A_SLICE = 32;

/** Does the same with each item, a few at a time. */
export function* eachInSlices<Item>(items: Iterable<Item>, work: (item: Item) => void): Slices {
  let done = 0;
  for (const item of items) {
    work(item);
    done += 1;
    if (done % ITEMS_A_SLICE === 0) yield;
  }
}

/** Makes another item of each, a few at a time. */
export function* mapInSlices<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item) => Made,
): Slices<Made[]> {
  const made: Made[] = [];
  yield* eachInSlices(items, (item) => void made.push(make(item)));
  return made;
}

/** Counts the items of many short lists, and gives true whenever they fill a slice together. */
export function createSliceCount(): (items: number) => boolean {
  let done = 0;
  return (items) => {
    done += items;
    const isOver = done >= ITEMS_A_SLICE;
    if (isOver) done = 0;
    return isOver;
  };
}
