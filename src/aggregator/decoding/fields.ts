import { z } from "zod";
import { isUnseen, meant } from "../../domain/shown/lookalike.ts";
import { REDACTED } from "../../domain/wording.ts";

/** The fields that replies are made of. Each message says what is expected, for a mismatch's text. */

const LONGEST_NAME = 200;

/** Text that identifies something: not empty, without control characters, bounded. */
export const name = z
  .string("a text")
  .min(1, "a text that is not empty")
  .max(LONGEST_NAME, "a text of at most 200 characters")
  // The bytes that a replacement character stands for are lost, so two different names may have become one.
  .refine(
    (text) => !isUnseen(text) && !text.includes("\uFFFD"),
    "a text without control characters",
  )
  // So an unseen character is shown, and whoever types what is shown would name another.
  .refine((text) => meant(text) === text, "a text that shows no character as \\u{…}")
  // In the log and the API the secret is hidden, so two such names would look like one.
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
  // A rounded loss may come as -0, which is 0: as another value, it would count as a change, until a journal made it 0.
  if (typeof read === "number" && Number.isFinite(read)) return read + 0;
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
  return z.optional(schema.nullable().transform((value) => value ?? undefined));
}
