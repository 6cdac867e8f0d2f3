import { scopeOf, verdictOf } from "../../core/judge/verdict.ts";
import { alertKey, type Alert } from "../../domain/alert.ts";
import {
  entityKey,
  isTimestamp,
  type Entity,
  type EntityId,
  type Facts,
  type FactValue,
} from "../../domain/entity.ts";
import { entityOf, type Finding } from "../../domain/finding.ts";
import type { Rule } from "../../domain/rule.ts";
import { suggest } from "../../config/suggest.ts";
import { firstObjection } from "../../core/act/guards/index.ts";
import { formatDuration, type Instant } from "../../domain/time.ts";
import type { Harness } from "./harness.ts";

/**
 * The reasons of a failure: the facts of an entity at this instant, the verdicts of its rules, how much of `for` has
 * passed, the guard that objects, with its numbers, and the latest findings.
 */
export function reasonsFor(harness: Harness, id: EntityId, names: ReadonlySet<string>) {
  const key = entityKey(id);
  const entity = harness.state.tables.entity.get(key);
  const lines = [entity === undefined ? absentLine(harness, id) : factLine(harness, entity)];
  for (const rule of harness.policy.rulesByKind.get(id.kind) ?? []) {
    const alert = harness.state.tables.alert.get(alertKey(rule.alert, key));
    if (!names.has(rule.alert) && alert === undefined) continue;
    lines.push(...ruleLines(harness, rule, entity, alert));
  }
  const found = harness.findings.flatMap(({ at, finding }) => {
    const text = findingText(finding, key);
    return text === undefined ? [] : [`${offset(harness, at).padEnd(10)} ${text}`];
  });
  const shown = found.slice(-MOST_FINDINGS);
  lines.push(...shown.map((line, index) => `${(index === 0 ? "found" : "").padEnd(10)} ${line}`));
  return lines;
}

const MOST_FINDINGS = 8;

/** An entity that was never there may be misspelt; one that is gone is not. */
function absentLine({ state, findings }: Harness, id: EntityId): string {
  const wasThere = findings.some(
    ({ finding }) => finding.type === "entity" && entityOf(finding) === entityKey(id),
  );
  if (wasThere) return "facts      it is gone";
  const others = [...state.tables.entity.values()].filter(({ kind }) => kind === id.kind);
  const meant = suggest(
    id.id,
    others.map((other) => other.id),
  );
  return `facts      it was never there${meant === undefined ? "" : `: did you mean "${meant}"?`}`;
}

/** An instant as in the test: the time since the test's start. */
function offset({ test: { startsAt } }: Pick<Harness, "test">, at: Instant): string {
  return at < startsAt ? `-${formatDuration(startsAt - at)}` : formatDuration(at - startsAt);
}

function factLine(harness: Harness, entity: Entity): string {
  const facts: Facts = { ...entity.facts, first_seen: entity.firstSeen, since: entity.since };
  const texts = Object.entries(facts).map(
    ([name, value]) => `${name} ${valueText(harness, entity, name, value)}`,
  );
  const { unknownSince } = entity;
  const doubt =
    unknownSince === undefined ? "" : `; unknown since ${offset(harness, unknownSince)}`;
  return `facts      ${texts.join(", ")}${doubt}`;
}

function valueText(harness: Harness, { kind }: Entity, name: string, value: FactValue): string {
  if (isTimestamp(harness.policy.kinds.get(kind), name)) return offset(harness, Number(value));
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function ruleLines(
  harness: Harness,
  rule: Rule,
  entity: Entity | undefined,
  alert: Alert | undefined,
): string[] {
  const { now } = harness;
  const lines: string[] = [];
  if (entity !== undefined) {
    const { truth, reason } = verdictOf(harness.state, rule, entity, now);
    const why = reason === undefined ? "" : ` (${reason})`;
    lines.push(`${rule.alert}: ${rule.when.source} is ${truth}${why}`);
    const { facts, bounds } = scopeOf(rule, entity, now);
    const read = rule.when.reads.map((name) => {
      const value = facts[name];
      if (value !== undefined) return `${name} = ${valueText(harness, entity, name, value)}`;
      const bound = bounds?.[name];
      return bound === undefined ? `${name} = not known` : `${name} ${bound.is} ${bound.value}`;
    });
    if (read.length > 0) lines.push(`  it reads ${read.join(", ")}`);
  }
  if (alert === undefined) return [...lines, "  there is no alert"];
  return [
    ...lines,
    `  ${lifeText(harness, alert, rule)}`,
    ...actText(harness, alert, rule, entity),
  ];
}

function lifeText(harness: Harness, alert: Alert, rule: Rule): string {
  const { now } = harness;
  const { state, activeAt, firedAt, resolvedAt, keepFiringSince, unknownSince } = alert;
  const stands =
    unknownSince === undefined ? "" : `; it stands still since ${offset(harness, unknownSince)}`;
  if (state === "pending") {
    const passed = formatDuration((unknownSince ?? now) - activeAt);
    return `pending: ${passed} of for ${formatDuration(rule.forMs)}${stands}`;
  }
  if (state === "resolved")
    return `resolved at ${offset(harness, resolvedAt ?? now)} (${alert.resolvedBecause ?? ""})`;
  if (keepFiringSince === undefined)
    return `firing since ${offset(harness, firedAt ?? now)}${stands}`;
  const kept = formatDuration((unknownSince ?? now) - keepFiringSince);
  return `firing, ok again: ${kept} of keep_firing_for ${formatDuration(rule.keepFiringForMs)}${stands}`;
}

function actText(harness: Harness, alert: Alert, rule: Rule, entity: Entity | undefined): string[] {
  const { policy, state, test, now: at } = harness;
  const { act } = rule;
  if (act === undefined) return [];
  const tried = `${alert.attempts} of ${act.attempts} attempts, mode ${test.mode} over ${act.mode}`;
  const { suppressed } = alert;
  if (suppressed === undefined) return [`  ${act.action}: no guard holds it back (${tried})`];
  // The alert keeps the guard's first detail; its numbers may have changed since.
  const verdict = entity && verdictOf(state, rule, entity, at);
  const now = verdict && firstObjection({ policy, state, at, alert, rule, act, entity, verdict });
  const detail = now?.reason === suppressed.reason ? now.detail : suppressed.detail;
  const since = offset(harness, suppressed.since);
  return [
    `  ${act.action}: held back by ${suppressed.reason} since ${since}: ${detail} (${tried})`,
  ];
}

/** A finding as text; undefined if it is about another entity. */
function findingText(finding: Finding, key: string): string | undefined {
  if ((entityOf(finding) ?? key) !== key) return undefined;
  switch (finding.type) {
    case "entity":
    case "quarantine":
      return `${finding.type} ${finding.change}: ${finding.detail}`;
    case "took":
      return `took ${formatDuration(finding.tookMs)}`;
    case "alert": {
      const { alert, change, detail } = finding;
      return `${alert.rule} ${change}${detail === "" ? "" : `: ${detail}`}`;
    }
    case "suppressed":
    case "unconfirmed":
    case "proposed":
    case "withdrawn": {
      const reason = finding.type === "suppressed" ? ` by ${finding.reason}` : "";
      return `${finding.action} ${finding.type}${reason}: ${finding.detail}`;
    }
    case "remediation":
      return `${finding.remediation.action} ${finding.remediation.state}: ${finding.detail}`;
    case "command":
      return `command ${finding.name} ${finding.accepted ? "accepted" : "refused"}: ${finding.detail}`;
    case "polled":
      return finding.outcome === "complete"
        ? undefined
        : `polled: ${finding.outcome} ${finding.detail}`;
    case "storm":
      return `storm of ${finding.rule} ${finding.change}: ${finding.detail}`;
    case "hold":
      return `hold ${finding.hold.id} ${finding.change}: ${finding.detail}`;
    case "muted":
      return finding.subject.endsWith(`|${key}`)
        ? `not notified (${finding.reason}): ${finding.detail}`
        : undefined;
    case "left_out":
    case "policy":
    case "watch":
    case "kill":
    case "notified":
      return undefined;
  }
}
