import { z } from "@hono/zod-openapi";
import { isTimestamp, type Facts, type KindDefinition } from "../../domain/entity.ts";
import { SUPPRESSION_REASONS } from "../../core/act/guards/index.ts";
import { formatInstant } from "../../domain/time.ts";
import {
  boolean,
  documented,
  list,
  named,
  number,
  object,
  orNull,
  plain,
  text,
  word,
  type ValueOf,
} from "./codec.ts";

/** Parts that several answers share. */

export const entityId = object({ aggregator: text, kind: text, id: text });

/** Of a list that is sent in pages. */
export const pageTotal = documented(number, {
  description: "How many the query finds, on all pages.",
});
export const pageNext = documented(orNull(text), {
  description: "The `cursor` of the next page.",
});

/** The alias of the entity that a row is about, from `aliasOf`. */
export const alias = documented(orNull(text), {
  description: "The name that people gave to its entity, if it is watched now.",
});

export const factValue = z.union([z.string(), z.number(), z.boolean()]);

/** Facts as `shownFacts` writes them. */
export const facts = documented(plain(z.record(z.string(), factValue)), {
  description: "docs/rules.md lists the facts of each kind; timestamps are ISO 8601 text.",
});

/** Facts with their timestamps as ISO 8601 text. */
export function shownFacts(
  own: Facts,
  definition: KindDefinition | undefined,
): Record<string, Facts[string]> {
  const shown = Object.entries(own).map(
    ([name, value]) => [name, shownFact(definition, name, value)] as const,
  );
  return Object.fromEntries(shown);
}

/** A fact as it is written: a timestamp is ISO 8601 text. */
export function shownFact(
  definition: KindDefinition | undefined,
  name: string,
  value: Facts[string],
): Facts[string] {
  const isInstant = isTimestamp(definition, name) && typeof value === "number";
  return isInstant ? formatInstant(value) : value;
}

/** The facts that a condition reads, each with its value if that is known. */
export const readFacts = list(object({ name: text, value: orNull(plain(factValue)) }));

export function shownReads(
  read: ValueOf<typeof readFacts>,
  definition: KindDefinition | undefined,
): ValueOf<typeof readFacts> {
  return read.map(({ name, value }) => ({
    name,
    value: value === undefined ? undefined : shownFact(definition, name, value),
  }));
}

export const guardAnswers = list(
  object({
    reason: named("guard", word(SUPPRESSION_REASONS)),
    objects: boolean,
    detail: text,
  }),
);
