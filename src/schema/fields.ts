import { z } from "zod";
import { formatDuration, parseDuration, type Millis } from "../domain/time.ts";
import { section, type ByteCount, type DurationMs } from "./section.ts";
import type { FieldForm } from "./walk.ts";

/**
 * The kinds of value that settings and rules consist of. A field declares all that other places need:
 * see `FieldMeta`.
 */

/** Marks a schema with its form and its description. */
export function field<Schema extends z.ZodType>(
  schema: Schema,
  form: FieldForm,
  description: string,
): Schema {
  return schema.meta({ description, form });
}

/** Marks a field that cannot change while aggwatch runs. */
export function needsRestart<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), needsRestart: true });
}

/** Marks a field whose value is not shown. */
export function hidden<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), hidden: true });
}

export const text = (means: string) => field(z.string().min(1, "must not be empty"), "text", means);

/** A name in metrics, logs and keys. */
export const slug = z.string().regex(/^[a-z0-9][a-z0-9_.-]*$/, {
  error: "must be of lower-case letters, digits, dots, dashes and underscores",
});

/** A file or directory; one that is written in a file starts at that file's directory. */
export const path = (means: string) => field(z.string().min(1, "must not be empty"), "path", means);

/** A list of entries of one form. */
export const listOf = <Entry extends z.ZodType>(entry: Entry, means: string) =>
  field(z.array(entry), "list", means);

export const list = (means: string) => listOf(z.string().min(1, "must not be empty"), means);

/** A mapping of names to texts. */
export const textMap = (means: string) => field(z.record(z.string(), z.string()), "map", means);

/** A duration in milliseconds, written `90s` or `1h30m`; if it is not zero, at least the shortest that makes sense. */
export function duration(
  means: string,
  least: "zero" | "positive" = "positive",
  shortest: Millis = 1,
) {
  const schema = z.unknown().transform((value, context): DurationMs => {
    const length = typeof value === "string" || value === 0 ? parseDuration(String(value)) : NaN;
    if (length === undefined || Number.isNaN(length) || (length === 0 && least === "positive")) {
      const message = length === 0 ? "must be longer than 0" : "is not a duration";
      refuse(context, message, 'write "90s", "5m" or "1h30m"');
      return z.NEVER;
    }
    if (length > 0 && length < shortest)
      refuse(context, `must be at least ${formatDuration(shortest)}`);
    return length as DurationMs;
  });
  return field(schema, "duration", means);
}

const SIZE_UNITS: Readonly<Record<string, number>> = { "": 1, KiB: 1_024, MiB: 1_048_576 };

/** A size in bytes, written `5MiB`, `64KiB` or as a number of bytes. */
export function size(means: string) {
  const schema = z.unknown().transform((value, context): ByteCount => {
    const isPlain = typeof value === "string" || typeof value === "number";
    const match = /^(\d{1,12})(KiB|MiB|)$/.exec(isPlain ? String(value) : "");
    const bytes = match === null ? 0 : Number(match[1]) * (SIZE_UNITS[match[2] ?? ""] ?? 0);
    if (bytes > 0) return bytes as ByteCount;
    refuse(context, "is not a size", 'write "5MiB", "64KiB" or a number of bytes');
    return z.NEVER;
  });
  return field(schema, "size", means);
}

export const truth = (means: string) => field(z.boolean(), "truth", means);

export const wholeNumber = (means: string, least: number, most: number) =>
  field(z.number().int().min(least).max(most), "number", means);

export function oneOf<const Words extends readonly [string, ...string[]]>(
  words: Words,
  means: string,
) {
  return field(z.enum(words), "text", means);
}

export function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const timeZone = (means: string) =>
  field(
    soundText((name) =>
      isTimeZone(name) ? [] : [`"${name}" is not a time zone`, "for example Europe/Berlin, or UTC"],
    ),
    "text",
    means,
  );

/** A plain text stands for an entry that has this key alone. */
export const orText = <Schema extends z.ZodType>(key: string, schema: Schema) =>
  z.preprocess((value) => (typeof value === "string" ? { [key]: value } : value), schema);

/** At most `max` actions within any window of `per`. */
export const budgetSchema = section({
  max: wholeNumber("How many actions.", 0, 1_000_000),
  per: duration("Within any window of this length."),
});

/** What is wrong with a value, and what to do about it; empty if nothing is. */
export type Refusal = readonly [message?: string, hint?: string];

/** A text in which nothing is wrong. */
export function soundText(refusalOf: (text: string) => Refusal): z.ZodString {
  return z.string().superRefine((value, context) => {
    const [message, hint] = refusalOf(value);
    if (message !== undefined) refuse(context, message, hint);
  });
}

/** Fails a value with a message and, if there is one, what to do about it. */
export function refuse(
  context: z.core.$RefinementCtx,
  message: string,
  hint?: string,
  path: ReadonlyArray<string | number> = [],
): void {
  context.addIssue({
    code: "custom",
    message,
    path: [...path],
    ...(hint === undefined ? {} : { params: { hint } }),
  });
}
