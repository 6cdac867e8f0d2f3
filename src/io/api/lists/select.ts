/** One page of a list that is sorted by a value of each item, and by its key if values are equal. */

/** The value that an item is sorted by; an item without one is last in both directions. */
export type SortValue = string | number | undefined;

/** The last item of the page before. */
type Cursor = { readonly value: SortValue; readonly key: string };

/** What is given in pages: a cursor of one means nothing in another. */
export type PagedList = "alerts" | "entities" | "remediations" | "timeline";

export type Paging = {
  readonly list: PagedList;
  readonly limit: number;
  readonly isDescending: boolean;
  readonly after?: Cursor | undefined;
};

export type Sorted<Item> = Cursor & { readonly item: Item };

/** Collects the first items after the cursor; items may be added in any order. It sorts only one page of them. */
export function createPage<Item>({ list, limit, isDescending, after }: Paging) {
  const first: Array<Sorted<Item>> = [];
  let total = 0;
  return {
    add: (one: Sorted<Item>): void => {
      total += 1;
      if (after !== undefined && compare(one, after, isDescending) <= 0) return;
      const last = first[limit];
      if (last !== undefined && compare(one, last, isDescending) >= 0) return;
      first.splice(placeOf(one, first, isDescending), 0, one);
      if (first.length > limit + 1) first.pop();
    },
    /** `total`: how many were added. `next`: the cursor of the page's last item, if there are more. */
    end: () => {
      const page = first.slice(0, limit);
      const last = first.length > limit ? page.at(-1) : undefined;
      return { total, page: page.map(({ item }) => item), next: last && writeCursor(list, last) };
    },
  };
}

function placeOf(one: Cursor, sorted: readonly Cursor[], isDescending: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = sorted[middle];
    if (other !== undefined && compare(other, one, isDescending) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Numbers come before texts, because a fact may be either. Two items are never equal, because their keys differ. */
function compare(one: Cursor, other: Cursor, isDescending: boolean): number {
  const byValue = compareValues(one.value, other.value, isDescending);
  return byValue === 0 ? compareTexts(one.key, other.key) : byValue;
}

function compareValues(one: SortValue, other: SortValue, isDescending: boolean): number {
  if (one === other) return 0;
  if (one === undefined) return 1;
  if (other === undefined) return -1;
  const upwards =
    typeof one === "number" && typeof other === "number"
      ? one - other
      : typeof one === "string" && typeof other === "string"
        ? compareTexts(one, other)
        : typeof one === "number"
          ? -1
          : 1;
  return isDescending ? -upwards : upwards;
}

function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** A cursor as opaque text for the caller. */
export function writeCursor(list: PagedList, { value, key }: Cursor): string {
  const written = value === undefined ? [list, key] : [list, key, value];
  return Buffer.from(JSON.stringify(written)).toString("base64url");
}

/** Undefined if the text is not a cursor of the list. */
export function readCursor(list: PagedList, text: string): Cursor | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (!Array.isArray(read)) return undefined;
    const [of, key, value] = read as readonly unknown[];
    if (of !== list || typeof key !== "string") return undefined;
    if (value !== undefined && typeof value !== "string" && typeof value !== "number")
      return undefined;
    return { key, value };
  } catch {
    return undefined;
  }
}

export const NOT_OF_LIST = "must be the `next` of an answer of this list";
