import type { Rule } from "../domain/rule.ts";

/** The rules as `step` looks them up: by name, and by the kind of entity that they judge. */
export function indexRules(rules: readonly Rule[]): {
  rules: ReadonlyMap<string, Rule>;
  rulesByKind: ReadonlyMap<string, readonly Rule[]>;
} {
  return {
    rules: new Map(rules.map((rule): [string, Rule] => [rule.alert, rule])),
    rulesByKind: Map.groupBy(rules, (rule) => rule.kind),
  };
}
