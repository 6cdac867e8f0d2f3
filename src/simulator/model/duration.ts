import * as z from "zod";
import { parseDuration } from "../../domain/time.ts";

/** A duration as everywhere: `90s`, `5m`, and 0, which YAML makes a number of. Read as milliseconds. */
export const duration = z.union([z.string(), z.literal(0)]).transform((text, context) => {
  const length = parseDuration(String(text));
  if (length !== undefined) return length;
  context.addIssue({ code: "custom", message: "must be a duration such as 500ms, 90s or 1h30m" });
  return z.NEVER;
});

/** How often something may happen: an interval of nothing would never let time go on. */
export const longDuration = duration.refine((length) => length >= 100, "must be at least 100ms");
