import { alertKey, type Alert } from "../domain/alert.ts";
import { entityKey, type Entity, type Facts } from "../domain/entity.ts";
import type { Rule, Scope, Template, Truth, Verdict } from "../domain/rule.ts";
import type { AlertChange } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";
import { advance, advanceByTime } from "./alert-life.ts";
import { touch, type Draft } from "./draft.ts";
import type { Noticed } from "./observe.ts";

/** Judges entities by rules, and moves their alerts. */

/** Judges every entity that has changed, and ends the alerts of those that are gone. */
export function judgeNoticed(draft: Draft, noticed: Noticed): void {
  for (const key of noticed.changed) {
    const entity = draft.state.tables.entity.get(key);
    if (entity === undefined) continue;
    for (const rule of draft.policy.rulesByKind.get(entity.kind) ?? []) {
      judge(draft, rule, key, entity);
    }
  }
  for (const key of noticed.gone) {
    for (const rule of draft.policy.rules.values()) {
      const alert = draft.state.tables.alert.get(alertKey(rule.alert, key));
      if (alert !== undefined) move(draft, alert, rule, "ok", "gone", "it is gone");
    }
  }
}

/** What time does: conditions that read it are judged again, timers run out, old alerts go. */
export function judgeByTime(draft: Draft): void {
  for (const [kind, rules] of draft.policy.rulesByKind) {
    const timed = rules.filter((rule) => rule.when.readsTime);
    if (timed.length === 0) continue;
    for (const key of draft.state.entitiesByKind.get(kind) ?? []) {
      const entity = draft.state.tables.entity.get(key);
      if (entity === undefined) continue;
      for (const rule of timed) judge(draft, rule, key, entity);
    }
  }
  for (const alert of draft.state.tables.alert.values()) {
    if (alert.state === "resolved") {
      if (draft.at - (alert.resolvedAt ?? 0) >= draft.policy.resolvedRetentionMs)
        drop(draft, alert);
      continue;
    }
    const rule = draft.policy.rules.get(alert.rule);
    if (rule === undefined || rule.kind !== alert.entity.kind) endForRemovedRule(draft, alert);
    else {
      const because = draft.state.tables.entity.has(entityKey(alert.entity)) ? "ok" : "gone";
      conclude(draft, alert, advanceByTime(alert, because, rule, draft.at), "time passed");
    }
  }
}

/** What an expression may read of an entity. */
export function scopeOf(entity: Entity, now: Instant): Scope {
  const facts: Facts = { ...entity.facts, first_seen: entity.firstSeen, since: entity.since };
  return { aggregator: entity.aggregator, kind: entity.kind, facts, now };
}

/** What a rule says of an entity now; an entity of which nothing sure is known is not asked about. */
export function verdictOf(rule: Rule, entity: Entity, now: Instant): Verdict {
  if (entity.unknownSince !== undefined) return { truth: "unknown", reason: "no sure reading" };
  return rule.when.judge(scopeOf(entity, now));
}

function judge(draft: Draft, rule: Rule, key: string, entity: Entity): void {
  const verdict = verdictOf(rule, entity, draft.at);
  const known = draft.state.tables.alert.get(alertKey(rule.alert, key));
  const detail = verdict.reason ?? "";
  if (known === undefined || known.state === "resolved") {
    if (verdict.truth === "bad") conclude(draft, ...begin(draft, rule, key, entity), detail);
    return;
  }
  if (verdict.truth === "bad" && known.facts !== entity.facts) {
    describe(known, rule, entity, draft.at);
    touch(draft, "alert", known.key);
  }
  move(draft, known, rule, verdict.truth, "ok", detail);
}

function move(
  draft: Draft,
  alert: Alert,
  rule: Rule,
  truth: Truth,
  because: "ok" | "gone",
  detail: string,
): void {
  const { activeAt, keepFiringSince } = alert;
  const change = advance(alert, truth, because, rule, draft.at);
  if (alert.activeAt !== activeAt || alert.keepFiringSince !== keepFiringSince) {
    touch(draft, "alert", alert.key);
  }
  conclude(draft, alert, change, detail);
}

function begin(draft: Draft, rule: Rule, key: string, entity: Entity): [Alert, AlertChange] {
  const alert: Alert = {
    key: alertKey(rule.alert, key),
    rule: rule.alert,
    severity: rule.severity,
    entity: { aggregator: entity.aggregator, kind: entity.kind, id: entity.id },
    state: "pending",
    startedAt: draft.at,
    activeAt: draft.at,
    labels: {},
    annotations: {},
    facts: entity.facts,
    attempts: 0,
  };
  describe(alert, rule, entity, draft.at);
  draft.state.tables.alert.delete(alert.key);
  draft.state.tables.alert.set(alert.key, alert);
  return [alert, advance(alert, "bad", "ok", rule, draft.at) ?? "pending"];
}

/** Labels and annotations say what was last known to be bad. */
function describe(alert: Alert, rule: Rule, entity: Entity, at: Instant): void {
  const scope = scopeOf(entity, at);
  const say = (templates: Readonly<Record<string, Template>>): Record<string, string> =>
    Object.fromEntries(Object.entries(templates).map(([name, text]) => [name, text.render(scope)]));
  alert.facts = entity.facts;
  alert.labels = say(rule.labels);
  alert.annotations = say(rule.annotations);
}

function conclude(
  draft: Draft,
  alert: Alert,
  change: AlertChange | undefined,
  detail: string,
): void {
  if (change === undefined) return;
  if (change === "firing") {
    const rule = draft.policy.rules.get(alert.rule);
    const entity = draft.state.tables.entity.get(entityKey(alert.entity));
    if (rule !== undefined && entity !== undefined) describe(alert, rule, entity, draft.at);
  }
  if (change === "resolved") delete alert.suppressed;
  draft.findings.push({ type: "alert", change, alert: { ...alert }, detail });
  if (change === "dropped") drop(draft, alert);
  else touch(draft, "alert", alert.key);
}

/** Its rule is no more, or judges another kind. What never fired is dropped, as ever. */
function endForRemovedRule(draft: Draft, alert: Alert): void {
  if (alert.state === "pending") {
    conclude(draft, alert, "dropped", "its rule was removed");
    return;
  }
  delete alert.unknownSince;
  delete alert.keepFiringSince;
  alert.state = "resolved";
  alert.resolvedAt = draft.at;
  alert.resolvedBecause = "rule_removed";
  conclude(draft, alert, "resolved", "its rule was removed");
}

function drop(draft: Draft, alert: Alert): void {
  draft.state.tables.alert.delete(alert.key);
  touch(draft, "alert", alert.key);
}
