import type { Alert } from "../../domain/alert.ts";
import { entityKey, type Entity } from "../../domain/entity.ts";
import type { Rule, Scope, Template } from "../../domain/rule.ts";
import type { Instant } from "../../domain/time.ts";
import { scopeOf } from "./verdict.ts";

/** Severity, labels and annotations are the rule's, and say what was last known to be bad. */
export function describe(alert: Alert, rule: Rule, entity: Entity, at: Instant): void {
  alert.severity = rule.severity;
  alert.facts = entity.facts;
  const scope = scopeOf(rule, entity, at);
  alert.labels = rendered(rule.labels, scope);
  alert.annotations = rendered(rule.annotations, scope);
}

/** The annotations made again, as they may say how long it has been so; those of before if it is not seen to be so now. */
export function annotationsNow(
  rules: ReadonlyMap<string, Rule>,
  entities: ReadonlyMap<string, Readonly<Entity>>,
  { rule: name, entity: id, state, annotations, keepFiringSince, unknownSince }: Readonly<Alert>,
  at: Instant,
): Readonly<Record<string, string>> {
  const rule = rules.get(name);
  const entity = entities.get(entityKey(id));
  const isBad = state !== "resolved" && keepFiringSince === undefined && unknownSince === undefined;
  if (!isBad || rule?.kind !== id.kind || entity === undefined) return annotations;
  return rendered(rule.annotations, scopeOf(rule, entity, at));
}

function rendered(
  templates: Readonly<Record<string, Template>>,
  scope: Scope,
): Record<string, string> {
  const texts = Object.entries(templates).map(([name, text]) => [name, text.render(scope)]);
  return Object.fromEntries(texts) as Record<string, string>;
}
