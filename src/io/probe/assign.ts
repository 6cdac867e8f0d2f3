import type { InstantUnit } from "../../aggregator/decoding/decode.ts";
import { unitOf } from "../../aggregator/decoding/instants.ts";
import { valueAt } from "../../domain/values/plain-values.ts";
import type { Json } from "../../domain/result.ts";
import { distance } from "./alike.ts";
import { leavesOf } from "./body.ts";
import type { Field, FieldKind } from "./target.ts";

/** How a value is converted: a date or seconds to milliseconds, a number to a text. */
type Conversion = "none" | "date" | "seconds" | "text";

/** A field of the default shape, and where an entry has it. */
export type Assignment = {
  readonly field: Field;
  readonly from: readonly string[];
  readonly conversion: Conversion;
};

type Assigned = {
  readonly assignments: readonly Assignment[];
  /** Fields of the default shape that nothing gives. */
  readonly lacks: readonly Field[];
  /** Fields of the entries that give nothing. */
  readonly unused: readonly (readonly string[])[];
  /** How far all of it is from the default names. */
  readonly far: number;
  /** The units that its instants are in. */
  readonly units: readonly InstantUnit[];
};

const MOST_SAMPLES = 200;

/** Assigns fields of the entries to fields of the default shape, the nearest first; each gives one at the most. */
export function assign(
  fields: readonly Field[],
  entries: readonly Json[],
  unit: InstantUnit,
): Assigned {
  const samples = entries.slice(0, MOST_SAMPLES);
  const leaves = leavesOf(samples);
  const possible = fields
    .flatMap((field) =>
      leaves.flatMap((from) => {
        const far = distance(field, from);
        const conversion =
          far === undefined ? undefined : conversionOf(field.kind, samples, from, unit);
        return far === undefined || conversion === undefined
          ? []
          : [{ field, from, conversion, far: far - advantageOf(field, from, samples) }];
      }),
    )
    .toSorted((one, other) => one.far - other.far);
  const assignments: Assignment[] = [];
  const givers = new Set<readonly string[]>();
  const given = new Set<Field>();
  let sum = 0;
  for (const { field, from, conversion, far } of possible) {
    if (given.has(field) || givers.has(from)) continue;
    given.add(field);
    sum += far;
    givers.add(from);
    assignments.push({ field, from, conversion });
  }
  return {
    assignments: fields.flatMap((field) => assignments.filter((one) => one.field === field)),
    lacks: fields.filter((field) => !given.has(field)),
    unused: leaves.filter((leaf) => !givers.has(leaf)),
    far: sum,
    units: [...new Set(assignments.flatMap((one) => unitsOf(one, unit)))],
  };
}

/** What its name says less well than others may still be the likelier one. */
function advantageOf({ path, required }: Field, from: readonly string[], samples: readonly Json[]) {
  const isHexadecimal = (value: Json | undefined): boolean =>
    typeof value === "string" && HEXADECIMAL.test(value);
  const isId = path.at(-1) === "id" && samples.every((one) => isHexadecimal(valueAt(one, from)));
  return (required ? 0.5 : 0) + (isId ? HEXADECIMAL_ID : 0);
}

/** An id of this interface, and not the number of a row. */
const HEXADECIMAL = /^0x[0-9a-f]+$/i;
/** Enough for `orderHash` before `id`, and not for `hash`, which may be that of a transaction. */
const HEXADECIMAL_ID = 3.5;

function unitsOf({ field, conversion }: Assignment, unit: InstantUnit): readonly InstantUnit[] {
  if (field.kind !== "instant") return [];
  return conversion === "date" ? ["iso"] : conversion === "seconds" ? ["seconds"] : [unit];
}

/** The conversion that fits all values at a path; undefined if they need different ones. */
function conversionOf(
  kind: FieldKind,
  entries: readonly Json[],
  path: readonly string[],
  unit: InstantUnit,
): Conversion | undefined {
  const found = entries.flatMap((entry) => {
    const value = valueAt(entry, path);
    return value === undefined || value === null ? [] : [conversionOfValue(kind, value, unit)];
  });
  const [first] = found;
  return found.every((one) => one === first) ? first : undefined;
}

function conversionOfValue(
  kind: FieldKind,
  value: Json,
  unit: InstantUnit,
): Conversion | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  const isNumber = typeof number === "number" && Number.isFinite(number);
  switch (kind) {
    case "text":
      if (typeof value === "number") return "text";
      return typeof value === "string" ? "none" : undefined;
    case "number":
      return isNumber ? "none" : undefined;
    case "flag":
      return typeof value === "boolean" ? "none" : undefined;
    case "instant":
      return conversionOfInstant(value, unit);
  }
}

/** The conversion to milliseconds; none if the value is in the configured unit. */
function conversionOfInstant(value: Json, unit: InstantUnit): Conversion | undefined {
  const own = unitOf(value);
  if (own === unit) return "none";
  if (unit !== "milliseconds") return undefined;
  return own === "iso" ? "date" : own === "seconds" ? "seconds" : undefined;
}
