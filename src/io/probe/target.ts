import { readEndpoints, type ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import { isRecord } from "../../domain/values/plain-values.ts";
import type { Json } from "../../domain/result.ts";

/** The default shape of an endpoint's reply, taken from its documented example. */

export type FieldKind = "text" | "number" | "flag" | "instant";

/** A field of an entry: `lockOrder.expiration` is two keys. */
export type Field = {
  readonly path: readonly string[];
  readonly kind: FieldKind;
  readonly required: boolean;
  /** The object around it is required, so the field may be at the top instead. */
  readonly inRequired: boolean;
};

export type Target =
  | { readonly type: "names"; readonly field: Field }
  | { readonly type: "records"; readonly fields: readonly Field[] }
  | { readonly type: "record"; readonly fields: readonly Field[] }
  /** An object of lists: an entry is in only one of them. */
  | { readonly type: "lists"; readonly lists: Readonly<Record<string, Target>> };

/** The field that holds the name, if a list of names comes as records. */
const NAMED: Readonly<Partial<Record<string, string>>> = {
  exchanges: "exchange",
  pairs: "pairName",
};

export function targetOf(endpoint: ReadEndpoint): Target {
  const { example, required } = readEndpoints[endpoint].reply;
  return shapeOf(endpoint, example, "", new Set(required));
}

function shapeOf(name: string, example: Json, path: string, required: Set<string>): Target {
  if (Array.isArray(example)) {
    const [first = null] = example as readonly Json[];
    return isRecord(first)
      ? { type: "records", fields: [...fieldsOf(first, `${path}[].`, [], required)] }
      : { type: "names", field: { ...NAME, path: [NAMED[name] ?? "name"] } };
  }
  const record = example as { readonly [key: string]: Json };
  const lists = Object.entries(record).filter(([, value]) => Array.isArray(value));
  if (lists.length === 0)
    return { type: "record", fields: [...fieldsOf(record, path, [], required)] };
  return {
    type: "lists",
    lists: Object.fromEntries(lists.map(([key, one]) => [key, shapeOf(key, one, key, required)])),
  };
}

const NAME = { kind: "text", required: true, inRequired: true } as const;

function* fieldsOf(
  record: { readonly [key: string]: Json },
  prefix: string,
  above: readonly string[],
  required: ReadonlySet<string>,
): Generator<Field> {
  for (const [key, value] of Object.entries(record)) {
    const path = [...above, key];
    // It only repeats the id inside.
    if (key === "orderId" && above.length === 0) continue;
    if (isRecord(value)) yield* fieldsOf(value, prefix, path, required);
    else
      yield {
        path,
        kind: kindOf(value),
        required: required.has(`${prefix}${path.join(".")}`),
        inRequired: above.length === 0 || required.has(`${prefix}${above.join(".")}`),
      };
  }
}

/** Instants are milliseconds since the epoch. */
const LEAST_INSTANT = 1e12;

function kindOf(value: Json): FieldKind {
  if (typeof value === "boolean") return "flag";
  if (typeof value === "number") return value > LEAST_INSTANT ? "instant" : "number";
  return "text";
}
