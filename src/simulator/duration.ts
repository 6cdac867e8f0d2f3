import * as z from "zod";
import { parseDuration } from "../domain/time.ts";

/** A duration as everywhere: `90s`, `5m`. Read as milliseconds. */
export const duration = z.string().transform((text, context) => {
  const length = parseDuration(text);
  if (length !== undefined) return length;
  context.addIssue({ code: "custom", message: "must be a duration such as 500ms, 90s or 1h30m" });
  return z.NEVER;
});

export const longDuration = duration.refine((length) => length >= 100, "must be at least 100ms");
