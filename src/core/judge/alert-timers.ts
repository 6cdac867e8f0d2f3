import type { Alert } from "../../domain/alert.ts";
import { entityKey, type Entity } from "../../domain/entity.ts";
import type { Rule } from "../../domain/rule.ts";
import { SECOND, type Instant, type Millis } from "../../domain/time.ts";
import type { Draft } from "../draft.ts";
import { windowsMoveAt } from "../observe/entity-windows.ts";
import { clearTimer, clearTimers, setTimer, type TimerGroup } from "../timers.ts";
import { scopeOf } from "./verdict.ts";

/** When an alert moves by time alone, and when a condition may flip by it. */

/** When the alert moves by time alone, if nothing else happens before. */
export function setAlertTimer(draft: Draft, alert: Alert): void {
  const { timers } = draft.state;
  const key = entityKey(alert.entity);
  const rule = draft.policy.rules.get(alert.rule);
  const due = dueOf(alert, rule, draft.policy.resolvedRetentionMs);
  if (due === undefined) clearTimer(timers, groupOf("alert", alert.rule), key);
  else setTimer(timers, groupOf("alert", alert.rule), key, due);
}

function dueOf(alert: Alert, rule: Rule | undefined, retentionMs: Millis): Instant | undefined {
  if (alert.state === "resolved") return (alert.resolvedAt ?? 0) + retentionMs;
  if (rule === undefined || alert.unknownSince !== undefined) return undefined;
  if (alert.state === "pending") return alert.activeAt + rule.forMs;
  if (alert.keepFiringSince === undefined) return undefined;
  return alert.keepFiringSince + rule.keepFiringForMs;
}

/** When the condition may flip by time alone; if that is not known, at regular intervals. */
export function setJudgeTimer(draft: Draft, rule: Rule, key: string, entity: Entity): void {
  if (!rule.when.readsTime || entity.unknownSince !== undefined) return;
  const { state, at } = draft;
  const watched = state.entitiesByKind.get(rule.kind)?.size ?? 1;
  const swept = at + sweepInterval(watched);
  const flip = rule.when.nextFlip?.(scopeOf(NO_WINDOWS, entity, at)) ?? swept;
  const moves = windowsMoveAt(rule, entity, at);
  const next = Math.min(flip, moves > at ? moves : swept);
  const group = groupOf("judge", rule.alert);
  if (next === Infinity) clearTimer(state.timers, group, key);
  else setTimer(state.timers, group, key, next);
}

/** An entity that is gone is not judged again. */
export function clearJudgeTimer({ state }: Draft, rule: Rule, key: string): void {
  clearTimer(state.timers, groupOf("judge", rule.alert), key);
}

/** Rules that are removed judge nothing again, and those that are changed set their timers again. */
export function clearJudgeTimersBy({ state }: Draft, rules: Iterable<string>): void {
  for (const rule of rules) clearTimers(state.timers, groupOf("judge", rule));
}

/** When a condition flips follows from instants, and windowed facts are numbers. */
const NO_WINDOWS: Pick<Rule, "windows"> = { windows: [] };

/** The most judgements a second of one rule that the mere passing of time may cause. */
const SWEPT_PER_SECOND = 5_000;

/** Every second, and less often if more entities are watched than can be judged in one. */
function sweepInterval(watched: number): Millis {
  return Math.max(1, Math.ceil(watched / SWEPT_PER_SECOND)) * SECOND;
}

/** Clears the timer of an alert that is dropped. */
export function clearAlertTimer({ state }: Draft, alert: Alert): void {
  clearTimer(state.timers, groupOf("alert", alert.rule), entityKey(alert.entity));
}

/** What a timer is for; its key is that of the entity. */
type Purpose = "judge" | "alert";

/** The name of a rule holds no bar, so that no group's name is the beginning of another's. */
function groupOf(purpose: Purpose, rule: string): string {
  return `${purpose} ${rule}|`;
}

/** The inverse of `groupOf`. */
export function parseGroup({ name }: TimerGroup): {
  readonly purpose: Purpose;
  readonly rule: string;
} {
  const space = name.indexOf(" ");
  return { purpose: name.slice(0, space) as Purpose, rule: name.slice(space + 1, -1) };
}
