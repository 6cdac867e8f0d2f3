import { alertKey, parseAlertKey } from "../../domain/alert.ts";
import { entityKey, type Entity } from "../../domain/entity.ts";
import { alertOf } from "../../domain/finding.ts";
import { failureText } from "../../domain/http.ts";
import type { Judgement } from "../../domain/judgement.ts";
import type { Slices } from "../../domain/slices.ts";
import type { Policy } from "../../domain/step.ts";
import type { Rule } from "../../domain/rule.ts";
import type { Instant } from "../../domain/time.ts";
import type { Draft } from "../draft.ts";
import { modeOf } from "../act/guards/guard.ts";
import { allAnswers } from "../act/guards/index.ts";
import { describeDoubt, doubtAbout } from "../observe/doubt.ts";
import type { State } from "../state.ts";
import { scopeOf, verdictOf } from "../judge/verdict.ts";

/**
 * The most alerts whose judgement is recorded in one step. If more change at once, it is a storm or a
 * lost aggregator, and its findings do without the numbers of every single alert.
 */
export const MOST_JUDGEMENTS = 500;

/** What the condition reads and the guards say of an entity, from the same functions that decide. */
export function judgementOf(
  policy: Policy,
  state: State,
  rule: Rule,
  entity: Entity,
  at: Instant,
): Judgement {
  const alert = state.tables.alert.get(alertKey(rule.alert, entityKey(entity)));
  const { facts } = scopeOf(rule, entity, at);
  const reading = state.surfaces.get(entity.surface);
  // That the aggregator does not know the entity is sure, though nothing else of its surface is.
  const doubt = reading?.missing === true ? undefined : doubtAbout(state, entity);
  const verdict = verdictOf(state, rule, entity, at);
  return {
    at,
    condition: {
      source: rule.when.source,
      verdict,
      facts: rule.when.reads.map((name) => ({ name, value: facts[name] })),
      reading: reading && {
        poller: reading.poller,
        askedAt: reading.askedAt,
        failure: reading.failure && failureText(reading.failure),
        doubt: doubt && describeDoubt(doubt),
      },
      unknownSince: entity.unknownSince,
      ...(state.moved.has(entity.aggregator) && { moved: true }),
    },
    forMs: rule.forMs,
    keepFiringForMs: rule.keepFiringForMs,
    action: rule.act && {
      name: rule.act.action,
      mode: modeOf({ policy, act: rule.act }),
      guards:
        alert?.state === "firing"
          ? allAnswers({ policy, state, at, alert, rule, act: rule.act, entity, verdict })
          : [],
    },
  };
}

/**
 * Gives the last finding of each alert in this step the judgement at its end, which is what `explain`
 * showed then. So a judgement is recorded when it changes, and at no other time.
 */
export function* recordJudgements(draft: Draft): Slices {
  const { findings, policy, state, at } = draft;
  const done = new Set<string>();
  for (let index = findings.length - 1; index >= 0 && done.size < MOST_JUDGEMENTS; index -= 1) {
    const finding = findings[index];
    if (finding === undefined) continue;
    const key = alertOf(finding);
    if (key === undefined || done.has(key)) continue;
    done.add(key);
    const about = parseAlertKey(key);
    const rule = policy.rules.get(about.rule);
    const entity = state.tables.entity.get(about.entity);
    if (rule === undefined || entity === undefined || rule.kind !== entity.kind) continue;
    const judged = { judgement: judgementOf(policy, state, rule, entity, at) };
    findings[index] = { ...finding, ...judged };
    yield;
  }
}
