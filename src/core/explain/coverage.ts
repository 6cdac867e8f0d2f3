import type { Rule } from "../../domain/rule.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
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
export function* coverageOf(
  policy: Pick<Policy, "rules" | "kinds">,
  state: State,
  aggregator: string,
): Slices<readonly RuleCoverage[]> {
  const covered: RuleCoverage[] = [];
  for (const rule of policy.rules.values())
    if (judges(rule, aggregator))
      covered.push(yield* coverageOfRule(policy, state, aggregator, rule));
  return covered;
}

function* coverageOfRule(
  { kinds }: Pick<Policy, "kinds">,
  { tables, undecided, entitiesByKind }: State,
  aggregator: string,
  rule: Rule,
): Slices<RuleCoverage> {
  const own = undecided.get(rule.alert);
  const lacks: string[] = [];
  const waitsFor: string[] = [];
  let read = 0;
  yield* eachInSlices(entitiesByKind.get(rule.kind) ?? [], (key) => {
    const entity = tables.entity.get(key);
    if (entity?.aggregator !== aggregator || entity.unknownSince !== undefined) return;
    const undecidedBy = own?.get(key);
    const { lacked, follow } = lackedFacts(kinds, rule, entity);
    // What the aggregator does not know, it cannot be expected to show.
    if (entity.facts["missing"] === true && lacked.length > 0) return;
    read += 1;
    if (undecidedBy !== undefined) lacks.push(undecidedBy);
    else if (follow) waitsFor.push(lacked.join(", "));
  });
  return {
    rule: rule.alert,
    kind: rule.kind,
    read,
    undecided: lacks.length,
    lacks: countedFacts(lacks),
    waiting: waitsFor.length,
    waitsFor: countedFacts(waitsFor),
  };
}
