import type { Alert } from "../../domain/alert.ts";
import type { Entity } from "../../domain/entity.ts";
import type { Rule, Scope, Template } from "../../domain/rule.ts";
import type { Instant } from "../../domain/time.ts";
import { scopeOf } from "./verdict.ts";

/** Severity, labels and annotations are the rule's, and say what was last known to be bad. */
export function describe(alert: Alert, rule: Rule, entity: Entity, at: Instant): void {
  alert.severity = rule.severity;
  alert.facts = entity.facts;
  alert.labels = rendered(rule.labels, scopeOf(rule, entity, at));
  alert.annotations = annotationsOf(rule, entity, at);
}

/** What the annotations of a rule say of an entity. */
export function annotationsOf(rule: Rule, entity: Entity, at: Instant): Record<string, string> {
  return rendered(rule.annotations, scopeOf(rule, entity, at));
}

function rendered(
  templates: Readonly<Record<string, Template>>,
  scope: Scope,
): Record<string, string> {
  const texts = Object.entries(templates).map(([name, text]) => [name, text.render(scope)]);
  return Object.fromEntries(texts) as Record<string, string>;
}
