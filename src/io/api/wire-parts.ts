import { z } from "@hono/zod-openapi";
import { formatInstant, type Instant } from "../../domain/time.ts";

/** What the API's schemas have in common. */

export const instant = z.string().openapi({ example: "2026-01-31T12:00:00.000Z" });

export const facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).openapi({
  description: "What the kind's facts are is in docs/rules.md; timestamps are ISO 8601 text.",
});

export const entityId = z.object({ aggregator: z.string(), kind: z.string(), id: z.string() });

export function optional(at: Instant | undefined): string | null {
  return at === undefined ? null : formatInstant(at);
}
