import { z } from "zod";
import { formOf, isSection, shapeOf } from "./walk.ts";

/**
 * A section of a config: written with keys in `snake_case`, read as an object with names in `camelCase`
 * that say their unit. `settle_after_start: 30s` is read as `settleAfterStartMs: 30_000`, and
 * `max_size: 5MiB` as `maxBytes: 5_242_880`. So what runs is what the schema gives; nothing is copied.
 */

/** Only in types: the unit that goes into the name of what holds the number. */
declare const unit: unique symbol;
export type DurationMs = number & { readonly [unit]: "Ms" };
export type ByteCount = number & { readonly [unit]: "Bytes" };

type UnitOf<Value> = Value extends { readonly [unit]: infer Unit } ? Unit : "";

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Key;

type NameOf<Key extends string, Unit> = [Unit] extends ["Ms"]
  ? `${CamelCase<Key>}Ms`
  : [Unit] extends ["Bytes"]
    ? Key extends `${infer Head}_size`
      ? `${CamelCase<Head>}Bytes`
      : CamelCase<Key>
    : CamelCase<Key>;

type ReadValue<Value> = Value extends { readonly [unit]: string }
  ? number
  : Value extends ReadonlyArray<infer Item>
    ? readonly Item[]
    : Value;

/** What a section is read as. */
type SectionOf<Written> = {
  readonly [
    Key in keyof Written as NameOf<Key & string, UnitOf<NonNullable<Written[Key]>>>
  ]: ReadValue<Written[Key]>;
};

/** A mapping with exactly these keys. For keys that are names of something, use `z.strictObject`. */
export function section<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
  const names = new Map(
    Object.entries(shape).map(([key, schema]) => [key, sectionName(key, schema)]),
  );
  const object: z.ZodObject<Shape, z.core.$strict> = z.strictObject(shape);
  return object.transform(
    (written): SectionOf<z.output<typeof object>> =>
      Object.fromEntries(
        Object.entries(written).map(([key, value]) => [names.get(key) ?? key, value]),
      ) as SectionOf<z.output<typeof object>>,
  );
}

/** The name by which a section's key is read. */
export function sectionName(key: string, schema: z.ZodType): string {
  const form = formOf(schema);
  const base = form === "size" ? key.replace(/_size$/, "_bytes") : key;
  const name = base.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return form === "duration" ? `${name}Ms` : name;
}

/** A key of a mapping: what is below it, as written and as read. */
export type Member = { readonly key: string; readonly schema: z.ZodType; readonly value: unknown };

/** The keys of a mapping with the value read for each; undefined if the schema is not of a mapping. */
export function membersOf(schema: z.ZodType, value: unknown): readonly Member[] | undefined {
  const shape = shapeOf(schema);
  if (shape === undefined) return undefined;
  const read = typeof value === "object" && value !== null ? value : {};
  return Object.entries(shape).map(([key, inner]) => {
    const name = isSection(schema) ? sectionName(key, inner) : key;
    return { key, schema: inner, value: (read as Record<string, unknown>)[name] };
  });
}
