import { toEnd } from "../../domain/slices.ts";
import { coverageOf, type RuleCoverage } from "../../core/explain/coverage.ts";
import { verdictOf } from "../../core/judge/verdict.ts";
import { emptyState, type State } from "../../core/state.ts";
import { step } from "../../core/step.ts";
import type { Observation } from "../../domain/observation.ts";
import type { Rule } from "../../domain/rule.ts";
import type { Instant } from "../../domain/time.ts";
import { pollerOfKind } from "../../pollers/index.ts";
import type { ProbedPoller, ProbeInput } from "./observe-once.ts";
import { lackingFacts, type LackingFact } from "./lacking-facts.ts";

/** Whether the enabled rules can judge what was read, decided by the daemon's own code. */

/**
 * `judged`: all entities that were read. `blind`: it cannot judge some of them. `waits`: a fact follows from later
 * readings. `not_read`: its poller could not read. `not_tried`: no entity of its kind exists now, or is asked for.
 */
type RuleVerdict = "judged" | "blind" | "waits" | "not_read" | "not_tried";

export type ProbedRule = RuleCoverage & {
  readonly verdict: RuleVerdict;
  /** For people; empty if it is judged. */
  readonly why: string;
};

export type Judged = {
  readonly rules: readonly ProbedRule[];
  /** Facts that rules lack, and facts that no entity gave. */
  readonly facts: readonly LackingFact[];
};

type JudgeInput = Pick<ProbeInput, "policy" | "aggregator" | "watch"> & {
  /** The enabled pollers. */
  readonly pollers: readonly ProbedPoller[];
  readonly observations: readonly Observation[];
  readonly at: Instant;
};

export function judgeOnce({ pollers, observations, at, ...input }: JudgeInput): Judged {
  const { policy, aggregator } = input;
  const state = emptyState();
  step(policy, state, { type: "started" }, at);
  // Twice, because facts of one poller may follow from those of the next.
  for (const observation of [...observations, ...observations])
    step(policy, state, { type: "observed", observation }, at);
  const coverage = toEnd(coverageOf(policy, state, aggregator));
  const rules = coverage
    // Kinds without a poller are aggwatch's own: a deployment cannot lack their facts.
    .filter(({ kind }) => pollerOfKind(kind) !== undefined)
    .map((one): ProbedRule => {
      const poller = pollerOfKind(one.kind)?.name ?? "";
      const rule = policy.rules.get(one.rule);
      const reasons = rule === undefined ? [] : unknownWithAllFacts(rule, one, state, at);
      const own = pollers.find(({ name }) => name === poller);
      const off = sourcesOf(one, policy.kinds).find(
        (name) => !pollers.some((a) => a.name === name),
      );
      return { ...one, ...verdictOn(one, reasons, poller, own, off) };
    });
  return { rules, facts: lackingFacts(input, state, rules) };
}

function verdictOn(
  { read, undecided, lacks, waiting, waitsFor, kind }: RuleCoverage,
  reasons: readonly string[],
  poller: string,
  own: ProbedPoller | undefined,
  off: string | undefined,
): Pick<ProbedRule, "verdict" | "why"> {
  const [reason] = reasons;
  if (undecided > 0) {
    const said = lacks.map(({ facts, entities }) => `${facts} (${entities} of ${read})`);
    return { verdict: "blind", why: `not known: ${said.join("; ")}` };
  }
  if (reason !== undefined)
    return { verdict: "blind", why: `unknown of ${reasons.length} of ${read}: ${reason}` };
  if (own === undefined) return { verdict: "not_tried", why: isOff(poller) };
  if (!own.ok) return { verdict: "not_read", why: `the poller ${poller} cannot read` };
  if (own.entities === undefined)
    return { verdict: "not_tried", why: `the poller ${poller} has nothing to ask` };
  if (read === 0) return { verdict: "not_tried", why: `there is no ${kind} now` };
  if (waiting === 0) return { verdict: "judged", why: "" };
  if (off !== undefined) return { verdict: "not_tried", why: isOff(off) };
  const said = waitsFor.map(({ facts, entities }) => `${facts} (${entities} of ${read})`);
  return { verdict: "waits", why: `follows from what is not known yet: ${said.join("; ")}` };
}

function isOff(poller: string): string {
  return `the poller ${poller} is off: schedules.${poller} turns it on`;
}

/** The pollers that give what the facts follow from for which a rule waits. */
function sourcesOf(
  { kind, waitsFor }: RuleCoverage,
  kinds: JudgeInput["policy"]["kinds"],
): readonly string[] {
  const definitions = kinds.get(kind)?.facts ?? {};
  return waitsFor
    .flatMap(({ facts }) => facts.split(", "))
    .flatMap((fact) => definitions[fact]?.follows ?? [])
    .flatMap((source) => pollerOfKind(source)?.name ?? []);
}

/**
 * Why a condition is unknown although all facts are known: its expression fails. Rules with a window are left out: one
 * reading never fills a window.
 */
function unknownWithAllFacts(
  rule: Rule,
  { undecided, waiting, kind }: RuleCoverage,
  { tables, entitiesByKind }: State,
  at: Instant,
): readonly string[] {
  if (rule.windows.length > 0 || undecided + waiting > 0) return [];
  return [...(entitiesByKind.get(kind) ?? [])].flatMap((key) => {
    const entity = tables.entity.get(key);
    if (entity === undefined || entity.unknownSince !== undefined) return [];
    if (entity.facts["missing"] === true) return [];
    // The empty state has no doubts about the reading: those are reported with the poller.
    const { truth, reason = "" } = verdictOf(emptyState(), rule, entity, at);
    return truth === "unknown" ? [reason] : [];
  });
}
