import * as z from "zod";
import { parseDuration } from "../../domain/time.ts";

const NO_DURATION = "must be a duration such as 500ms, 90s or 1h30m";

/** A duration as in the config: `90s`, `5m`, and 0, which YAML reads as a number. Its value is in milliseconds. */
export const duration = z
  .union([z.string(), z.literal(0)], NO_DURATION)
  .transform((text, context) => {
    const length = parseDuration(String(text));
    if (length !== undefined) return length;
    context.addIssue({ code: "custom", message: NO_DURATION });
    return z.NEVER;
  });

/** An interval at which something repeats. If it were zero, `advance` would never end. */
export const longDuration = duration.refine((length) => length >= 100, "must be at least 100ms");
