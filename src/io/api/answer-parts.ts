import { z } from "@hono/zod-openapi";
import { isTimestamp, type Facts, type KindDefinition } from "../../domain/entity.ts";
import { SUPPRESSION_REASONS } from "../../domain/guard.ts";
import { formatInstant } from "../../domain/time.ts";
import { boolean, documented, list, named, object, plain, text, word } from "./codec.ts";

/** What several answers have in common. */

export const entityId = object({ aggregator: text, kind: text, id: text });

export const factValue = z.union([z.string(), z.number(), z.boolean()]);

/** Facts as they are shown, by `shownFacts`. */
export const facts = documented(plain(z.record(z.string(), factValue)), {
  description: "What the kind's facts are is in docs/rules.md; timestamps are ISO 8601 text.",
});

/** Facts with their timestamps as ISO 8601 text. */
export function shownFacts(
  own: Facts,
  definition: KindDefinition | undefined,
): Record<string, Facts[string]> {
  const shown = Object.entries(own).map(([name, value]) => {
    const isInstant = isTimestamp(definition, name) && typeof value === "number";
    return [name, isInstant ? formatInstant(value) : value] as const;
  });
  return Object.fromEntries(shown);
}

export const guardAnswers = list(
  object({
    reason: named("guard", word(SUPPRESSION_REASONS)),
    objects: boolean,
    detail: text,
  }),
);
