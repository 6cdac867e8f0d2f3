import type { Entity, KindDefinition } from "../../domain/entity.ts";
import { SELF_SURFACE, surfaceKey, tallyOf, type Observation } from "../../domain/observation.ts";
import type { Rule, Verdict } from "../../domain/rule.ts";
import type { Policy } from "../../domain/step.ts";
import type { Draft } from "../draft.ts";
import { newAffected, type Affected } from "../observe/entity-life.ts";
import { learnOfPoller } from "../observe/poller-health.ts";
import type { State } from "../state.ts";

/**
 * Coverage: on how many of the entities that were read a rule could decide. A deployment that gives another
 * status word, or leaves a field out, makes a rule blind while all polls succeed, and nothing else would show it.
 */

/**
 * Keeps which entities a rule cannot judge although they were read, with the facts that are missing. Those that are well
 * so far count too: `active && age > 15m` is false for a young entity, and would be unknown when it matters.
 */
export function noteVerdict(
  draft: Draft,
  rule: Rule,
  key: string,
  entity: Entity,
  verdict: Verdict,
): void {
  const { undecided } = draft.state;
  const own = undecided.get(rule.alert);
  const lacks = verdict.truth !== "bad" ? undecidedBy(draft.policy, rule, entity) : "";
  if (lacks === "") own?.delete(key);
  else if (own === undefined) undecided.set(rule.alert, new Map([[key, lacks]]));
  else own.set(key, lacks);
}

/**
 * The facts that a rule reads, and that the reading of the entity did not give. Empty if it is unknown for another
 * reason: nothing sure was read, the aggregator does not know it, a window is not covered, or what the fact follows
 * from is not known yet.
 */
function undecidedBy({ kinds }: Policy, rule: Rule, entity: Entity): string {
  const { facts, kind, surface, unknownSince } = entity;
  const isRead = kinds.get(kind)?.derived !== true && !surface.endsWith(`/${SELF_SURFACE}`);
  if (!isRead || unknownSince !== undefined || facts["missing"] === true) return "";
  const { lacked, follow } = lackedFacts(kinds, rule, entity);
  return follow ? "" : lacked.join(", ");
}

/** The facts that a rule needs of an entity and that are not known, and whether one follows from something else. */
export function lackedFacts(
  kinds: Policy["kinds"],
  rule: Rule,
  { kind, facts }: Entity,
): { readonly lacked: readonly string[]; readonly follow: boolean } {
  const definitions: KindDefinition["facts"] = kinds.get(kind)?.facts ?? {};
  const lacked = (rule.when.needs ?? rule.when.reads).filter(
    (name) => name in definitions && facts[name] === undefined,
  );
  return { lacked, follow: lacked.some((name) => definitions[name]?.follows !== undefined) };
}

/** Forgets which rules cannot decide on an entity that is gone. */
export function forgetUndecided(state: State, key: string): void {
  for (const own of state.undecided.values()) own.delete(key);
}

/** Forgets what these rules cannot decide on: they are removed, or changed and judge everything again. */
export function forgetUndecidedBy(state: State, rules: Iterable<string>): void {
  for (const rule of rules) state.undecided.delete(rule);
}

/**
 * Notes at the end of a poll which rules are blind to what it has read, as facts of the poller. Call it when what the
 * poll changed was judged; the poller's own rules are to be judged after it.
 */
export function noteCoverage(draft: Draft, observation: Observation): Affected {
  const affected = newAffected();
  const isWhole = observation.ongoing !== true && observation.origin === "poll";
  const { parts, failed } = tallyOf(observation.parts, observation.earlier);
  // A poll that read nothing shows nothing, so all stays as it was.
  if (!isWhole || parts === failed) return affected;
  const blind = undecidedRules(draft, observation);
  const worst = blind.map(({ undecided, read }) => undecided / read);
  const facts = {
    undecided_ratio: Math.max(0, ...worst),
    undecided: blind
      .map(
        ({ rule, read, undecided, lacks }) =>
          `${rule}: ${undecided} of ${read} (${lacks[0]?.facts} is not known)`,
      )
      .join("; "),
  };
  learnOfPoller(draft, observation, facts, affected);
  return affected;
}

/** How many entities lack just these facts. */
export type LackedFacts = { readonly facts: string; readonly entities: number };

/** The most common first. */
export function countedFacts(lacked: readonly string[]): readonly LackedFacts[] {
  return [...Map.groupBy(lacked, (facts) => facts)]
    .map(([facts, own]) => ({ facts, entities: own.length }))
    .toSorted((one, other) => other.entities - one.entities);
}

type PolledCoverage = {
  readonly rule: string;
  /** Entities of the rule's kind that the poller has read, and of these the ones that it cannot decide on. */
  readonly read: number;
  readonly undecided: number;
  readonly lacks: readonly LackedFacts[];
};

/** The rules that cannot decide on some of what a poller has read. */
function undecidedRules(
  draft: Draft,
  { aggregator, poller }: Pick<Observation, "aggregator" | "poller">,
): readonly PolledCoverage[] {
  const { tables, undecided, entitiesByKind } = draft.state;
  const surfaces = surfaceKey(aggregator, poller, "");
  const isOwn = (entity: Entity | undefined): boolean =>
    entity?.unknownSince === undefined && entity?.surface.startsWith(surfaces) === true;
  return [...undecided].flatMap(([name, byEntity]) => {
    const rule = draft.policy.rules.get(name);
    const own = [...byEntity].filter(([key]) => isOwn(tables.entity.get(key)));
    if (rule === undefined || own.length === 0) return [];
    const keys = [...(entitiesByKind.get(rule.kind) ?? [])];
    const read = keys.filter((key) => isOwn(tables.entity.get(key))).length;
    const lacks = countedFacts(own.map(([, facts]) => facts));
    return [{ rule: name, read, undecided: own.length, lacks }];
  });
}
