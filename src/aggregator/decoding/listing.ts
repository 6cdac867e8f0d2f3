import { z } from "zod";
import { keptPlaces, LONG_LIST, madeInTurn, madeOnce } from "../../domain/lists/changed-items.ts";
import { createSliceCount, toEnd, type Slices } from "../../domain/slices.ts";

/** The longest listing that is read; a longer one is a mistake, or an attack. */
export const LONGEST_LISTING = 100_000;

/** An item as it was read; or why it cannot be read. */
type ReadItem<Value> = Value | z.ZodError;

/** Remembers items that were read, so that one that stays on the list is read once. */
type ItemReader<Value> = (value: unknown, isKept: boolean) => ReadItem<Value>;

/** What becomes of an exact repetition of an item. It matters where the length of a list says whether it is whole. */
type Repeated = "dropped" | "kept";

/** A list that was read: each item by its key, and, if none is listed twice, at the place that it has in the list. */
type ReadList<Value> = {
  readonly values: readonly unknown[];
  readonly read: Value[];
  readonly seen: Map<string, Value>;
};

/** Where the first item that is wrong stands, and what is expected there. */
type Wrong = { readonly message: string; readonly path: readonly PropertyKey[] };

/** From the schema of a listing to the way its items are read. */
const reader: unique symbol = Symbol("reader");
type ReadsItems = { readonly [reader]?: ItemReader<unknown> };

/** A bounded list in which no two items have the same key and other facts. */
export function listing<Value>(
  item: z.ZodType<Value>,
  means: string,
  keyOf: (value: Value) => string,
  repeated: Repeated = "dropped",
): z.ZodType<Value[]> {
  const readItem = itemReader(item);
  const readInTurn = madeInTurn<unknown, ReadList<Value> | Wrong>((values, before) => {
    const known = before === undefined || "path" in before ? undefined : before;
    return (
      (known && readChanges(values, known, readItem, keyOf)) ??
      readAll(values, readItem, keyOf, repeated)
    );
  });
  const list = z.unknown().transform((values, context): Value[] => {
    const found = Array.isArray(values) ? (bounded(values) ?? readInTurn(values)) : wrong(means);
    if (!("path" in found)) return found.read;
    context.addIssue({ code: "custom", message: found.message, path: [...found.path] });
    return z.NEVER;
  });
  return Object.defineProperty(list, reader, { value: readItem });
}

/**
 * Reads the items of long lists in slices: the list itself, and those in the fields of an object. What is read so is not
 * read again when the whole is decoded, which is one piece; that gives the same with and without this.
 */
export function* readAhead(schema: z.ZodType & ReadsItems, json: unknown): Slices {
  const { [reader]: readItem } = schema;
  if (readItem !== undefined) {
    if (Array.isArray(json) && json.length >= LONG_LIST && bounded(json) === undefined)
      yield* readItems(json, readItem);
  } else if (schema instanceof z.ZodObject && typeof json === "object" && json !== null) {
    const fields = new Map(Object.entries(json));
    for (const [name, field] of Object.entries(schema.shape))
      yield* readAhead(field, fields.get(name));
  }
}

function* readItems(values: readonly unknown[], readItem: ItemReader<unknown>): Slices {
  const isSliceOver = createSliceCount();
  for (const value of values) {
    // Items that are texts are not worth keeping; and a list is not read beyond a refusal.
    if (typeof value !== "object" || readItem(value, true) instanceof z.ZodError) return;
    if (isSliceOver(1)) yield;
  }
}

function bounded({ length }: readonly unknown[]): Wrong | undefined {
  return length > LONGEST_LISTING ? wrong(`at most ${LONGEST_LISTING} items`) : undefined;
}

function wrong(message: string, ...path: readonly PropertyKey[]): Wrong {
  return { message, path };
}

/** An unchanged item of a long list is the same object as before, which was found valid then. */
function itemReader<Value>(item: z.ZodType<Value>): ItemReader<Value> {
  const read = (value: unknown): ReadItem<Value> => {
    const parsed = item.safeParse(value);
    return parsed.success ? parsed.data : parsed.error;
  };
  const readOnce = madeOnce<object, ReadItem<Value>>(read);
  return (value, isKept) => {
    const canKeep = isKept && typeof value === "object" && value !== null;
    return canKeep ? readOnce(value) : read(value);
  };
}

function readAll<Value>(
  values: readonly unknown[],
  readItem: ItemReader<Value>,
  keyOf: (value: Value) => string,
  repeated: Repeated,
): ReadList<Value> | Wrong {
  const seen = new Map<string, Value>();
  const all: Value[] = [];
  const isLong = values.length >= LONG_LIST;
  // Stops at the first item that is wrong, as a hundred thousand issues say no more than one.
  for (const [index, value] of values.entries()) {
    const found = readItem(value, isLong);
    if (found instanceof z.ZodError) {
      const [issue] = found.issues;
      return wrong(issue?.message ?? "another shape", index, ...(issue?.path ?? []));
    }
    const key = keyOf(found);
    const before = seen.get(key);
    if (before === undefined) seen.set(key, found);
    // An exact repetition does no harm.
    else if (JSON.stringify(before) !== JSON.stringify(found))
      return wrong("no item that is listed twice, with other facts", index);
    if (repeated === "kept") all.push(found);
  }
  return { values, read: repeated === "kept" ? all : [...seen.values()], seen };
}

/**
 * Reads only what differs from the list before, as all other items are known to be valid and to have distinct keys.
 * Undefined if that would not be enough, or no less work.
 */
function readChanges<Value>(
  values: readonly unknown[],
  { values: before, read: readBefore, seen }: ReadList<Value>,
  readItem: ItemReader<Value>,
  keyOf: (value: Value) => string,
): ReadList<Value> | undefined {
  const { length } = values;
  if (length < LONG_LIST || seen.size !== before.length) return undefined;
  const { from, left } = toEnd(keptPlaces(before, values));
  if (left.length > before.length / 2) return undefined;
  for (const place of left) seen.delete(keyOf(readBefore[place] as Value));
  const read: Value[] = [];
  for (let place = 0; place < length; place += 1) {
    const was = from[place] ?? -1;
    if (was >= 0) {
      read.push(readBefore[was] as Value);
      continue;
    }
    const found = readItem(values[place], true);
    if (found instanceof z.ZodError) return undefined;
    const key = keyOf(found);
    if (seen.has(key)) return undefined;
    seen.set(key, found);
    read.push(found);
  }
  return { values, read, seen };
}
