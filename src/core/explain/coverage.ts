import type { Entity } from "../../domain/entity.ts";
import type { Policy } from "../../domain/step.ts";
import { countedFacts, lackedFacts, type LackedFacts } from "../judge/coverage.ts";
import { judges } from "../judge/verdict.ts";
import type { State } from "../state.ts";

/** How far a rule can judge what an aggregator has. */
export type RuleCoverage = {
  readonly rule: string;
  readonly kind: string;
  /** Entities of the rule's kind that were read, and of these the ones that it cannot decide on. */
  readonly read: number;
  readonly undecided: number;
  /** Which facts these lack, and how many lack just them; the most common first. */
  readonly lacks: readonly LackedFacts[];
  /** Entities that it does not decide on yet, as a fact of theirs follows from what is not known yet. */
  readonly waiting: number;
  readonly waitsFor: readonly LackedFacts[];
};

/** How far each rule can judge what an aggregator has. Rules that judge nothing of it are left out. */
export function coverageOf(
  policy: Policy,
  { tables, undecided, entitiesByKind }: State,
  aggregator: string,
): readonly RuleCoverage[] {
  const byKind = new Map<string, readonly (readonly [string, Entity])[]>();
  const readOf = (kind: string): readonly (readonly [string, Entity])[] => {
    const known = byKind.get(kind);
    if (known !== undefined) return known;
    const read = [...(entitiesByKind.get(kind) ?? [])].flatMap((key) => {
      const entity = tables.entity.get(key);
      const isOwn = entity?.aggregator === aggregator && entity.unknownSince === undefined;
      return isOwn ? [[key, entity] as const] : [];
    });
    byKind.set(kind, read);
    return read;
  };
  return [...policy.rules.values()]
    .filter((rule) => judges(rule, aggregator))
    .map((rule) => {
      const own = undecided.get(rule.alert);
      const lacks: string[] = [];
      const waitsFor: string[] = [];
      let read = 0;
      for (const [key, entity] of readOf(rule.kind)) {
        const undecidedBy = own?.get(key);
        const { lacked, follow } = lackedFacts(policy.kinds, rule, entity);
        // What the aggregator does not know, it cannot be expected to show.
        if (entity.facts["missing"] === true && lacked.length > 0) continue;
        read += 1;
        if (undecidedBy !== undefined) lacks.push(undecidedBy);
        else if (follow) waitsFor.push(lacked.join(", "));
      }
      return {
        rule: rule.alert,
        kind: rule.kind,
        read,
        undecided: lacks.length,
        lacks: countedFacts(lacks),
        waiting: waitsFor.length,
        waitsFor: countedFacts(waitsFor),
      };
    });
}
