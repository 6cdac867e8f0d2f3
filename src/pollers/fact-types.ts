import type { FactDefinition } from "../domain/entity.ts";

/** What facts are made of. A fact that an answer does not show is left out (unknown). */

export const text = (means: string): FactDefinition => ({ type: "string", means });
export const words = (values: readonly string[], means: string): FactDefinition => ({
  type: "string",
  means,
  values,
});
/** An amount, a price or a count: it is never below zero. */
export const number = (means: string): FactDefinition => ({ type: "double", means, least: 0 });
export const flag = (means: string): FactDefinition => ({ type: "bool", means });
/** What `enrich` adds by entities of another kind: it may be unknown though the entity was read whole. */
export const following = (kind: string, fact: FactDefinition): FactDefinition => ({
  ...fact,
  follows: kind,
});
/** Unknown if an entry of the default shape lacks this field. */
export const from = <Fact extends FactDefinition>(field: string, fact: Fact): Fact => ({
  ...fact,
  field,
});
/** What the status word of an entry says, by the words of a setting. */
export const meantBy = (words: "statuses" | "swap_statuses", means: string): FactDefinition => ({
  ...from("status", flag(means)),
  words,
});
/** Every kind that is watched by id has it. */
export const MISSING = flag(
  "Whether the aggregator answers 404 for the watched id; if so, only the facts that name it are known.",
);
export const instant = (means: string): FactDefinition => ({ type: "timestamp", means });

/** A number that follows from others, each of them finite; undefined if it is beyond every number that JSON can hold. */
export const finite = (value: number): number | undefined =>
  Number.isFinite(value) ? value : undefined;
