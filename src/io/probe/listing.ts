import { isRecord } from "../../domain/values/plain-values.ts";
import type { Json } from "../../domain/result.ts";
import type { Place } from "./body.ts";

/** How a body holds the entries of a listing. */
export type ListingForm =
  /** In a list. */
  | "items"
  /** In an object, by name: `{"ORN-USDT": {…}}`. */
  | "keys"
  /** In an object of objects, by two names: `{"OrionV2": {"ORN-USDT": {…}}}`. */
  | "keys-keys"
  /** In an object of lists: `{"OrionV2": [{…}]}`. */
  | "keys-items";

export type Listing = {
  readonly path: readonly string[];
  readonly form: ListingForm;
  readonly entries: readonly Entry[];
};

/** An entry, and the names of the objects around it that lead to it. */
export type Entry = { readonly value: Json; readonly keys: readonly string[] };

/** Keys that name no entry: they hold the data, or describe it. */
export const AROUND_DATA: ReadonlySet<string> = new Set(
  (
    "data result results payload response body items list entries records content error errors message " +
    "code status success meta exchanges pairs pools swaps orders balances markets"
  ).split(" "),
);

/** The ways to read a place in a body as a listing. */
export function listingsAt({ path, value }: Place): readonly Listing[] {
  if (Array.isArray(value))
    return [
      { path, form: "items", entries: value.map((item: Json) => ({ value: item, keys: [] })) },
    ];
  if (!isRecord(value)) return [];
  const own = Object.entries(value);
  if (own.length === 0 || own.some(([key]) => AROUND_DATA.has(key.toLowerCase()))) return [];
  const listing = (form: ListingForm, entries: readonly Entry[]): Listing => ({
    path,
    form,
    entries,
  });
  const keyed = own.map(([key, one]): Entry => ({ value: one, keys: [key] }));
  if (own.every(([, one]) => isScalar(one)) || own.every(([, one]) => one === true))
    return [listing("keys", keyed)];
  if (own.every(([, one]) => Array.isArray(one))) {
    const items = own.flatMap(([key, one]) =>
      (one as readonly Json[]).map((item): Entry => ({ value: item, keys: [key] })),
    );
    return [listing("keys-items", items)];
  }
  if (!own.every(([, one]) => isRecord(one))) return [];
  const nested = own.flatMap(([key, one]) =>
    Object.entries(one as object).map(([inner, item]: [string, Json]): Entry => ({
      value: item,
      keys: [key, inner],
    })),
  );
  return [listing("keys", keyed), listing("keys-keys", nested)];
}

export function isScalar(value: Json): boolean {
  return typeof value === "number" || typeof value === "string";
}
