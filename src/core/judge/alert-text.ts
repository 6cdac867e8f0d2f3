import type { Alert } from "../../domain/alert.ts";
import { entityKey, sameFacts, type Entity } from "../../domain/entity.ts";
import type { Rule, Scope, Template } from "../../domain/rule.ts";
import type { AlertChange } from "../../domain/step.ts";
import { formatDuration, type Instant } from "../../domain/time.ts";
import { touch, type Draft } from "../draft.ts";
import { scopeOf } from "./verdict.ts";

/** Severity, labels and annotations are the rule's, and say what was last known to be bad. */
export function describe(alert: Alert, rule: Rule, entity: Entity, at: Instant): void {
  alert.severity = rule.severity;
  alert.facts = entity.facts;
  const scope = scopeOf(rule, entity, at);
  alert.labels = rendered(rule.labels, scope);
  alert.annotations = rendered(rule.annotations, scope);
}

/** Which channels want it depends on its severity, so that is the rule's before the entity is read again. */
export function adoptSeverity(draft: Draft, alert: Alert, { severity }: Rule): void {
  if (alert.state === "resolved" || alert.severity === severity) return;
  alert.severity = severity;
  touch(draft, "alert", alert.key);
}

/** The annotations made again, as they may say how long it has been so; as of when it was last surely so. */
export function annotationsNow(
  rules: ReadonlyMap<string, Rule>,
  entities: ReadonlyMap<string, Readonly<Entity>>,
  alert: Readonly<Alert>,
  at: Instant,
): Readonly<Record<string, string>> {
  const { annotations, unknownSince } = alert;
  const rule = rules.get(alert.rule);
  const entity = entities.get(entityKey(alert.entity));
  const isOver = alert.state === "resolved" || alert.keepFiringSince !== undefined;
  if (isOver || rule?.kind !== alert.entity.kind || entity === undefined) return annotations;
  // What was last surely bad may have other facts by now, or windows that have a gap.
  const isOther = !sameFacts(entity.facts, alert.facts) || rule.windows.length > 0;
  if (unknownSince !== undefined && isOther) return annotations;
  return rendered(rule.annotations, scopeOf(rule, entity, unknownSince ?? at));
}

function rendered(
  templates: Readonly<Record<string, Template>>,
  scope: Scope,
): Record<string, string> {
  const texts = Object.entries(templates).map(([name, text]) => [name, text.render(scope)]);
  return Object.fromEntries(texts) as Record<string, string>;
}

/** What has passed, so that an alert moved between two readings: the detail of that. `gone`: how its entity ended. */
export function passedText(
  { forMs, keepFiringForMs }: Rule,
  change: AlertChange | undefined,
  gone: string | undefined,
): string {
  if (change === "firing") return `bad for ${formatDuration(forMs)}`;
  return gone ?? `ok for ${formatDuration(keepFiringForMs)}`;
}
