import { z } from "zod";
import { LONG_LIST, madeOnce } from "../../domain/lists/changed-items.ts";
import { REDACTED } from "../../domain/wording.ts";

/** The fields that replies are made of. Each message says what is expected, for a mismatch's text. */

/** The longest listing that is read; a longer one is a mistake, or an attack. */
export const LONGEST_LISTING = 100_000;

/**
 * Control characters, and what cannot be seen: formatting, line separators, half surrogates. And the
 * sign for bytes that were no text: what stood there is lost, and two names may have become one.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFD]/u;
const LONGEST_NAME = 200;

/** Whether `name` accepts a text; for checks before decoding. */
export function isName(text: string): boolean {
  return (
    text.length > 0 && text.length <= LONGEST_NAME && !UNSEEN.test(text) && !text.includes(REDACTED)
  );
}

/** Text that identifies something: not empty, without control characters, bounded. */
export const name = z
  .string("a text")
  .min(1, "a text that is not empty")
  .max(LONGEST_NAME, "a text of at most 200 characters")
  .refine((text) => !UNSEEN.test(text), "a text without control characters")
  // Two things whose names repeat secrets would be one.
  .refine((text) => !text.includes(REDACTED), "a text that repeats no secret");

/** The first half of an id such as BINANCE/ORN-USDT: without a slash, so that ids stay distinct. */
export const nameWithoutSlash = name.refine(
  (text) => !text.includes("/"),
  "a name without a slash",
);

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * A number, or a text that is one, as a double. A whole number given as text that a double cannot
 * hold exactly is refused, as is anything that is not finite.
 */
export const amount = z.unknown().transform((value, context): number => {
  const read = typeof value === "string" ? numberOfText(value) : value;
  if (typeof read === "number" && Number.isFinite(read)) return read;
  const message =
    typeof value === "string" && /^[+-]?\d+$/.test(value)
      ? "a whole number of at most 2^53"
      : "a finite number, or a text that is one";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

function numberOfText(text: string): number | undefined {
  if (text.length > 100 || !DECIMAL.test(text)) return undefined;
  const value = Number(text);
  if (/^[+-]?\d+$/.test(text) && !Number.isSafeInteger(value)) return undefined;
  return value;
}

/** Makes a field one that may be absent or null; both mean that nothing is known. */
export function optional<Value>(
  schema: z.ZodType<Value>,
): z.ZodOptional<z.ZodType<Value | undefined>> {
  const present = z.unknown().transform((value, context): Value | undefined => {
    if (value === undefined || value === null) return undefined;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const message = parsed.error.issues[0]?.message ?? "another shape";
    context.addIssue({ code: "custom", message, path: parsed.error.issues[0]?.path ?? [] });
    return z.NEVER;
  });
  return z.optional(present);
}

/** A bounded list in which no two items have the same key and other facts. */
export function listing<Value>(
  item: z.ZodType<Value>,
  means: string,
  keyOf: (value: Value) => string,
): z.ZodType<Value[]> {
  const parse = (value: unknown) => {
    const parsed = item.safeParse(value);
    return parsed.success ? { read: parsed.data, key: keyOf(parsed.data) } : parsed.error;
  };
  const parseOnce = madeOnce<object, ReturnType<typeof parse>>(parse);
  return z
    .array(z.unknown(), means)
    .max(LONGEST_LISTING, `at most ${LONGEST_LISTING} items`)
    .transform((values, context): Value[] => {
      const seen = new Map<string, Value>();
      const isLong = values.length >= LONG_LIST;
      // Stops at the first item that is wrong, as a hundred thousand issues say no more than one.
      for (const [index, value] of values.entries()) {
        // An item of a long list that is as before is the same object, which was found sound then.
        const isKept = isLong && typeof value === "object" && value !== null;
        const parsed = isKept ? parseOnce(value) : parse(value);
        if (parsed instanceof z.ZodError) {
          const [issue] = parsed.issues;
          const path = [index, ...(issue?.path ?? [])];
          context.addIssue({ code: "custom", message: issue?.message ?? "another shape", path });
          return z.NEVER;
        }
        const before = seen.get(parsed.key);
        // The same twice says no more than once.
        if (before !== undefined && JSON.stringify(before) === JSON.stringify(parsed.read))
          continue;
        if (before !== undefined) {
          const message = "no item that is listed twice, with other facts";
          context.addIssue({ code: "custom", message, path: [index] });
          return z.NEVER;
        }
        seen.set(parsed.key, parsed.read);
      }
      return [...seen.values()];
    });
}
