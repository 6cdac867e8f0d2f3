import { standsIn, type Place } from "../../domain/lists/changed-items.ts";
import type { Json } from "../../domain/result.ts";

/** Lists may stand in so many objects: `{ data: { pairs: [] } }`. */
export const DEEPEST_LIST = 3;

/** The objects in the outermost lists of a body, by their texts: the next body mostly has the same ones. */
export type BodyItems = { readonly body: string; readonly lists: readonly ItemList[] };

type ItemList = {
  readonly depth: number;
  /** Where each object begins and ends in the body. */
  readonly starts: number[];
  readonly ends: number[];
  /** The parsed objects; none if the list holds anything else. */
  readonly values: readonly Json[];
  readonly place: Place;
};

/** A list of the body being scanned, and the same list of the body before. */
export type ScannedList = Omit<ItemList, "values"> & {
  readonly before: ItemList | undefined;
  /** Sequences of objects that are the same as in the body before: their place in the rest, and their values. */
  readonly runs: Array<{ readonly at: number; readonly values: readonly Json[] }>;
  /** The place in the rest. The number of the list is the first. */
  at: number;
  /** How far a known object stood behind its place now. */
  shift: number;
  /** So many objects in a row were not known. */
  unknown: number;
};

/** So many objects may come or go at once before the lists are out of step. */
const MOST_AT_ONCE = 8;
const SHIFTS = Array.from({ length: MOST_AT_ONCE }, (_, index) => [index + 1, -index - 1]).flat();
/** If most objects have changed, only the nearest shifts are tried. */
const NEAREST = SHIFTS.slice(0, 2);
const MANY_UNKNOWN = 4 * MOST_AT_ONCE;

export function newList(depth: number, before: ItemList | undefined): ScannedList {
  // What is known is not too deep at the same depth.
  const known = before?.depth === depth && before.values.length > 0 ? before : undefined;
  const place = before?.place ?? {};
  return {
    depth,
    starts: [],
    ends: [],
    before: known,
    place,
    runs: [],
    at: 1,
    shift: 0,
    unknown: 0,
  };
}

/** Notes the run of known objects that begins here, if there is one, and returns its end. */
export function endOfRun(
  list: ScannedList,
  body: string,
  begin: number,
  knownBody: string,
): number {
  const { before, shift, starts: own } = list;
  if (before === undefined) return begin;
  const { starts, ends, values } = before;
  for (const by of [0, ...(list.unknown < MANY_UNKNOWN ? SHIFTS : NEAREST)]) {
    const first = own.length + shift + by;
    let [from, start, end, next] = [begin, starts[first], ends[first], first];
    // Each but the first includes the comma before it.
    while (start !== undefined && end !== undefined) {
      const to = from + end - start;
      if (body.slice(from, to) !== knownBody.slice(start, end)) break;
      own.push(to - end + (starts[next] ?? 0));
      list.ends.push(to);
      next += 1;
      [from, start, end] = [to, end, ends[next]];
    }
    if (next === first) continue;
    list.shift += by;
    list.unknown = 0;
    list.runs.push({ at: list.at, values: values.slice(first, next) });
    return from;
  }
  list.unknown += 1;
  return begin;
}

/** Builds the body without its runs. */
export function createRest(body: string) {
  let text = "";
  let copied = 0;
  const put = (piece: string, from: number, to = from): void => {
    text += body.slice(copied, from) + piece;
    copied = to;
  };
  return {
    /** Puts a number in the place of a run; with blanks, so that it does not join a neighbour. */
    cut: (from: number, to: number): void => put(" 0 ", from, to),
    /** Puts the number of a list before its items, unless it is empty. */
    number: (number: number, at: number): void => {
      NOTHING_MORE.lastIndex = at;
      if (!NOTHING_MORE.test(body)) put(`${number},`, at);
    },
    text: (): string => text + body.slice(copied),
  };
}

const NOTHING_MORE = /\s*\]/y;

/**
 * Puts the known objects into the parsed rest, removes the numbers, and returns the items for the scan of the next
 * body.
 */
export function restoreItems(
  body: string,
  value: Json,
  scanned: readonly ScannedList[],
): BodyItems | undefined {
  if (scanned.length === 0) return undefined;
  const lists = scanned.map(({ depth, starts, ends, place }): ItemList => {
    return { depth, starts, ends, values: [], place };
  });
  const restore = (part: Json, depth: number): void => {
    if (typeof part !== "object" || part === null) return;
    if (Array.isArray(part)) {
      const items = part as Json[];
      const number = Number(items.shift());
      const [list, known] = [lists[number], scanned[number]];
      if (list === undefined || known === undefined) return;
      putBack(items, known.runs);
      standsIn(items, known.place);
      if (items.length === list.starts.length) lists[number] = { ...list, values: [...items] };
    } else if (depth < DEEPEST_LIST) {
      for (const field of Object.values(part)) restore(field, depth + 1);
    }
  };
  restore(value, 0);
  return { body, lists };
}

function putBack(items: Json[], runs: ScannedList["runs"]): void {
  if (runs.length === 0) return;
  const rest = items.splice(0);
  let from = 0;
  // Each place is one too far, because the number of the list stood first.
  for (const { at, values } of [...runs, { at: rest.length + 1, values: [] }]) {
    while (from < at - 1) items.push(rest[from++] as Json);
    for (const value of values) items.push(value);
    from = at;
  }
}
