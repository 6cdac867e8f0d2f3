import { alertKey, type Alert } from "../../domain/alert.ts";
import {
  endedText,
  entityKey,
  parseEntityKey,
  type EndedBecause,
  type Entity,
} from "../../domain/entity.ts";
import type { Rule, Truth } from "../../domain/rule.ts";
import type { AlertChange } from "../../domain/step.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import { advance, advanceByTime } from "./alert-life.ts";
import { clearJudgeTimer, parseGroup, setAlertTimer, setJudgeTimer } from "./alert-timers.ts";
import { dropAlert, dropOldestResolved, indexResolved } from "./dropped-alerts.ts";
import { touch, type Draft } from "../draft.ts";
import type { Affected } from "../observe/entity-life.ts";
import { countBad, noteBecameBad } from "../act/storm-count.ts";
import { clearSuppression, endWanting } from "../act/suppress.ts";
import { forgetUndecided, noteVerdict } from "./coverage.ts";
import { takeDue } from "../timers.ts";
import { adoptSeverity, describe, passedText } from "./alert-text.ts";
import { judges, verdictOf } from "./verdict.ts";

/** Judges entities by rules, and moves their alerts. */

/** Judges every entity that has changed, and ends the alerts of those that are gone. */
export function* judgeAffected(draft: Draft, { changed, gone }: Affected): Slices {
  yield* eachInSlices(changed, (key) => {
    const entity = draft.state.tables.entity.get(key);
    if (entity === undefined) return;
    for (const rule of draft.policy.rulesByKind.get(entity.kind) ?? []) {
      judge(draft, rule, key, entity);
    }
  });
  yield* eachInSlices(gone, ([key, because]) => judgeGone(draft, key, because));
}

/** Ends the alerts of an entity that is gone, or not watched any more, and forgets when it was to be judged. */
export function judgeGone(draft: Draft, key: string, because: EndedBecause = "gone"): void {
  forgetUndecided(draft.state, key);
  for (const rule of draft.policy.rulesByKind.get(parseEntityKey(key).kind) ?? []) {
    const alert = draft.state.tables.alert.get(alertKey(rule.alert, key));
    if (alert !== undefined) endWithEntity(draft, alert, rule, because);
    clearJudgeTimer(draft, rule, key);
  }
}

function endWithEntity(draft: Draft, alert: Alert, rule: Rule, because: EndedBecause): void {
  const text = endedText(because, draft.policy.kinds.get(rule.kind));
  move(draft, alert, rule, "ok", because, text);
}

/**
 * Applies the passing of time: conditions that may have flipped are judged again, `for` and `keep_firing_for` run out,
 * and resolved alerts are dropped. Only what is due is judged.
 */
export function* judgeByTime(draft: Draft): Slices {
  yield* eachInSlices(yield* takeDue(draft.state.timers, draft.at), ({ group, key }) => {
    const { purpose, rule } = parseGroup(group);
    if (purpose === "judge") judgeAgain(draft, rule, key);
    else moveByTime(draft, alertKey(rule, key));
  });
}

function judgeAgain(draft: Draft, name: string, key: string): void {
  const rule = draft.policy.rules.get(name);
  const entity = draft.state.tables.entity.get(key);
  // An entity that is gone or unknown is judged when it comes back.
  if (rule !== undefined && entity?.kind === rule.kind) judge(draft, rule, key, entity);
}

function moveByTime(draft: Draft, key: string): void {
  const alert = draft.state.tables.alert.get(key);
  if (alert?.state === "resolved") return dropAlert(draft, alert);
  const rule = alert && draft.policy.rules.get(alert.rule);
  if (alert === undefined || rule === undefined) return;
  const because = draft.state.tables.entity.has(entityKey(alert.entity)) ? "ok" : "gone";
  const change = advanceByTime(alert, because, rule, draft.at);
  const gone =
    because === "gone" ? endedText(because, draft.policy.kinds.get(rule.kind)) : undefined;
  conclude(draft, alert, change, passedText(rule, change, gone));
}

/** Sets the timers of all alerts, and ends those without a rule: at the start, and when the rules are replaced. */
export function adoptAlerts(draft: Draft): void {
  indexResolved(draft.state);
  const watched = new Set(draft.policy.aggregators.map(({ name }) => name));
  for (const alert of draft.state.tables.alert.values()) {
    const rule = draft.policy.rules.get(alert.rule);
    const { kind, aggregator } = alert.entity;
    const isOrphan = rule === undefined || rule.kind !== kind || !judges(rule, aggregator);
    // Before it ends: what ends counts no more, though one that is dropped still says that it is pending.
    countBad(draft, alert);
    if (isOrphan && alert.state !== "resolved") endForRemovedRule(draft, alert);
    else {
      if (rule !== undefined) adoptSeverity(draft, alert, rule);
      if (rule?.act === undefined) endWanting(draft, alert);
      setAlertTimer(draft, alert);
    }
    // One whose entity was gone before, and that only keeps firing: no entity that ends now ends it.
    if (!isOrphan && !watched.has(aggregator) && alert.keepFiringSince !== undefined)
      endWithEntity(draft, alert, rule, "unwatched");
    if (alert.state === "firing") draft.state.firing.add(alert.key);
  }
}

/** Judges an entity by a rule, whatever was known of it before. */
export function judge(draft: Draft, rule: Rule, key: string, entity: Entity): void {
  if (!judges(rule, entity.aggregator)) return;
  setJudgeTimer(draft, rule, key, entity);
  const verdict = verdictOf(draft.state, rule, entity, draft.at);
  noteVerdict(draft, rule, key, entity, verdict);
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
  because: "ok" | EndedBecause,
  detail: string,
): void {
  draft.judged.add(alert.key);
  const { activeAt, keepFiringSince } = alert;
  const change = advance(alert, truth, because, rule, draft.at);
  countBad(draft, alert);
  // It is well, though it keeps firing: nothing is held back.
  if (alert.keepFiringSince !== undefined) clearSuppression(draft, alert);
  // It had been well, though not for long enough to resolve.
  if (truth === "bad" && keepFiringSince !== undefined) noteBad(draft, rule, alert);
  if (alert.activeAt !== activeAt || alert.keepFiringSince !== keepFiringSince) {
    setAlertTimer(draft, alert);
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
    ...(entity.parent === undefined ? {} : { parent: entity.parent }),
    state: "pending",
    startedAt: draft.at,
    activeAt: draft.at,
    labels: {},
    annotations: {},
    facts: entity.facts,
    attempts: draft.state.tables.attempt.get(key)?.used?.[rule.alert] ?? 0,
  };
  describe(alert, rule, entity, draft.at);
  noteBad(draft, rule, alert);
  draft.state.tables.alert.delete(alert.key);
  draft.state.tables.alert.set(alert.key, alert);
  return [alert, advance(alert, "bad", "ok", rule, draft.at) ?? "pending"];
}

/** Notes that an entity has become bad. */
function noteBad(draft: Draft, rule: Rule, alert: Alert): void {
  if (rule.act === undefined) return;
  draft.badAgain.push(alert.entity);
  noteBecameBad(draft, alert);
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
  draft.judged.add(alert.key);
  const { firing, resolved } = draft.state;
  if (alert.state === "firing") firing.add(alert.key);
  else firing.delete(alert.key);
  resolved.delete(alert.key);
  if (alert.state === "resolved") resolved.add(alert.key);
  countBad(draft, alert);
  setAlertTimer(draft, alert);
  // While it is pending again, it wants no repair that could be held back.
  if (change === "resolved" || change === "pending") delete alert.suppressed;
  if (alert.state !== "firing") draft.quiet.push(alert.entity);
  draft.findings.push({ type: "alert", change, alert: { ...alert }, detail });
  if (change === "dropped") dropAlert(draft, alert);
  else touch(draft, "alert", alert.key);
  dropOldestResolved(draft);
}

/** Its rule is gone, or judges another kind. What never fired is dropped. */
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
