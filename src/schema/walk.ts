import type { z } from "zod";

/** Reads a zod schema, so that docs, variables, suggestions and comparisons all follow from it. */

/** How a value is written, for the table in the docs and for reading it from an environment variable. */
export type FieldForm =
  | "text"
  | "path"
  | "number"
  | "duration"
  | "size"
  | "truth"
  | "list"
  | "numbers"
  | "map"
  | "schedule"
  | "expression";

/** What a field declares; everything else about a key follows from the schema. */
export type FieldMeta = {
  readonly form: FieldForm;
  readonly description: string;
  /** It is fixed while the process runs, so a reload that would change it is refused. */
  readonly needsRestart?: true;
  /** It may hold a secret, so only a digest of it is shown. */
  readonly hidden?: true;
};

type Definition = {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly defaultValue?: unknown;
  readonly entries?: Readonly<Record<string, unknown>>;
};

/** A leaf of a schema: one key that takes a value. `[]` in a path stands for a list's position. */
export type Leaf = FieldMeta & {
  readonly path: readonly string[];
  /** As it is written in YAML; undefined if there is none. */
  readonly defaultValue: unknown;
  /** The words that it may have; none if it takes other values. */
  readonly words: readonly unknown[];
};

function definitionOf(schema: z.ZodType): Definition {
  const definition: Definition = schema.def;
  return definition;
}

/** The schema below one layer: a default, optional, or what comes before or after a transform. */
function below(schema: z.ZodType): z.ZodType | undefined {
  const { type, innerType, in: before, out: after } = definitionOf(schema);
  if (type !== "pipe" || after === undefined) return innerType;
  return definitionOf(after).type === "transform" ? before : after;
}

/** A schema and what is below it, from the outside in. */
function* layersOf(schema: z.ZodType): Generator<z.ZodType> {
  for (let layer: z.ZodType | undefined = schema; layer !== undefined; layer = below(layer))
    yield layer;
}

/** The definition that says what a value is made of. */
function coreOf(schema: z.ZodType): Definition {
  return definitionOf([...layersOf(schema)].at(-1) ?? schema);
}

/** Whether a plain text may stand for an entry with one key. */
export function takesPlainText(schema: z.ZodType): boolean {
  const { type, in: before } = definitionOf(schema);
  return type === "pipe" && before !== undefined && definitionOf(before).type === "transform";
}

/** The entry that a plain text stands for; undefined if it may not stand for one. */
export function entryOfText(schema: z.ZodType, text: string): unknown {
  const layer = [...layersOf(schema)].find(takesPlainText);
  return layer && definitionOf(layer).in?.parse(text);
}

/** A mapping whose keys have other names once it is read. */
export function isSection(schema: z.ZodType): boolean {
  const isTransformed = (layer: z.ZodType): boolean => {
    const { out } = definitionOf(layer);
    return out !== undefined && definitionOf(out).type === "transform";
  };
  return shapeOf(schema) !== undefined && [...layersOf(schema)].some(isTransformed);
}

/** The keys of a mapping, each with its schema; undefined if the schema is not of a mapping. */
export function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  return coreOf(schema).shape;
}

export function schemaKeys(schema: z.ZodType | undefined): string[] {
  return schema === undefined ? [] : Object.keys(shapeOf(schema) ?? {});
}

/** The words that a key may have; none if it takes other values. */
export function wordsOf(schema: z.ZodType): readonly unknown[] {
  return Object.values(coreOf(schema).entries ?? {});
}

/** The schema of a list's entries, or of a mapping's values; undefined if it is neither. */
export function elementOf(schema: z.ZodType): z.ZodType | undefined {
  const { element, valueType } = coreOf(schema);
  return element ?? valueType;
}

/** The schema at a path of values. */
export function schemaAt(
  schema: z.ZodType,
  path: ReadonlyArray<string | number>,
): z.ZodType | undefined {
  let current: z.ZodType | undefined = schema;
  for (const step of path) {
    if (current === undefined) return undefined;
    const shape = shapeOf(current);
    current = shape === undefined ? elementOf(current) : shape[String(step)];
  }
  return current;
}

/** A mapping of a schema; that at the top has an empty path, and `[]` stands for a list's position. */
export type Mapping = { readonly path: readonly string[]; readonly keys: readonly string[] };

/** Every mapping of a schema, from the outside in. */
export function mappingsOf(schema: z.ZodType, path: readonly string[] = []): Mapping[] {
  const shape = shapeOf(schema);
  const { element } = coreOf(schema);
  if (shape === undefined) return element === undefined ? [] : mappingsOf(element, [...path, "[]"]);
  const inside = Object.entries(shape).flatMap(([key, value]) => mappingsOf(value, [...path, key]));
  return [{ path, keys: Object.keys(shape) }, ...inside];
}

/** Every leaf of a schema, in the order in which it is written. */
export function schemaLeaves(schema: z.ZodType, path: readonly string[] = []): Leaf[] {
  const shape = shapeOf(schema);
  if (shape !== undefined)
    return Object.entries(shape).flatMap(([key, value]) => schemaLeaves(value, [...path, key]));
  const meta = fieldOf(schema);
  if (meta !== undefined)
    return [{ ...meta, path, defaultValue: defaultOf(schema), words: wordsOf(schema) }];
  const { element } = coreOf(schema);
  return element === undefined ? [] : schemaLeaves(element, [...path, "[]"]);
}

/** What a field declares; undefined if the schema is not a field. */
export function fieldOf(schema: z.ZodType): FieldMeta | undefined {
  for (const layer of layersOf(schema)) {
    const meta = layer.meta() as Partial<FieldMeta> | undefined;
    if (meta?.form !== undefined)
      return { ...meta, form: meta.form, description: meta.description ?? "" };
  }
  return undefined;
}

export function formOf(schema: z.ZodType): FieldForm | undefined {
  return fieldOf(schema)?.form;
}

function defaultOf(schema: z.ZodType): unknown {
  for (const layer of layersOf(schema)) {
    const { defaultValue } = definitionOf(layer);
    if (defaultValue !== undefined) return defaultValue;
  }
  return undefined;
}
