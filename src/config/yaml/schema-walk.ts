import type { z } from "zod";
import type { FieldForm } from "../../schema/fields.ts";
import type { YamlPath } from "./yaml-source.ts";

/** Looks into a zod schema, so that docs, variables and suggestions all follow from it. */

type Definition = {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly defaultValue?: unknown;
};

/** A leaf of a schema: one key that takes a value. `[]` in a path stands for a list's position. */
export type Leaf = {
  readonly path: readonly string[];
  readonly form: FieldForm;
  readonly means: string;
  /** As it is written in YAML; undefined where there is none. */
  readonly defaultValue: unknown;
};

function definitionOf(schema: z.ZodType): Definition {
  const definition: Definition = schema.def;
  return definition;
}

/** Takes off what is around the schema that says the form: defaults, optional, preprocessing. */
function core(schema: z.ZodType): z.ZodType {
  let current = schema;
  for (;;) {
    const definition = definitionOf(current);
    if (definition.innerType !== undefined) current = definition.innerType;
    else if (definition.type === "pipe" && definition.out !== undefined && isObjectLike(definition))
      current = definition.out;
    else return current;
  }
}

/** `preprocess(…, object)`: the shape is on the way out. */
function isObjectLike(definition: Definition): boolean {
  return definition.out !== undefined && definitionOf(definition.out).type !== "transform";
}

export function schemaKeys(schema: z.ZodType | undefined): string[] {
  return schema === undefined ? [] : Object.keys(definitionOf(core(schema)).shape ?? {});
}

/** The schema at a path of values. */
export function schemaAt(schema: z.ZodType, path: YamlPath): z.ZodType | undefined {
  let current: z.ZodType | undefined = schema;
  for (const step of path) {
    if (current === undefined) return undefined;
    const { shape, element, valueType } = definitionOf(core(current));
    current = shape === undefined ? (element ?? valueType) : shape[String(step)];
  }
  return current;
}

/** Every leaf of a schema, in the order in which it is written. */
export function schemaLeaves(schema: z.ZodType, path: readonly string[] = []): Leaf[] {
  const inner = core(schema);
  const { shape, element } = definitionOf(inner);
  const { form, means } = fieldOf(schema);
  if (form !== undefined && shape === undefined)
    return [{ path, form, means, defaultValue: defaultOf(schema) }];
  if (shape !== undefined)
    return Object.entries(shape).flatMap(([key, value]) => schemaLeaves(value, [...path, key]));
  return element === undefined ? [] : schemaLeaves(element, [...path, "[]"]);
}

function fieldOf(schema: z.ZodType): { readonly form?: FieldForm; readonly means: string } {
  let current: z.ZodType | undefined = schema;
  while (current !== undefined) {
    const meta = current.meta() as
      | { readonly form?: FieldForm; readonly description?: string }
      | undefined;
    if (meta?.form !== undefined) return { form: meta.form, means: meta.description ?? "" };
    const definition: Definition = definitionOf(current);
    current = definition.innerType ?? (isObjectLike(definition) ? definition.out : undefined);
  }
  return { means: "" };
}

function defaultOf(schema: z.ZodType): unknown {
  let current: z.ZodType | undefined = schema;
  while (current !== undefined) {
    const definition: Definition = definitionOf(current);
    if (definition.defaultValue !== undefined) return definition.defaultValue;
    current = definition.innerType;
  }
  return undefined;
}
