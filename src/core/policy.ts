import { entityKey } from "../domain/entity.ts";
import { POLLER_KIND, pollerId } from "../domain/lease.ts";
import type { Rule } from "../domain/rule.ts";
import type { Policy } from "../domain/step.ts";
import { indexWindows } from "./observe/entity-windows.ts";

/** The rules as `step` looks them up: by name, and by the kind of entity that they judge. */
export function indexRules(
  rules: readonly Rule[],
): Pick<Policy, "rules" | "rulesByKind" | "windowsByKind"> {
  return {
    rules: new Map(rules.map((rule): [string, Rule] => [rule.alert, rule])),
    rulesByKind: Map.groupBy(rules, (rule) => rule.kind),
    windowsByKind: indexWindows(rules),
  };
}

/** What a whole poll of a poller reads; undefined if the policy does not know. */
export function plannedSurfaces(
  { aggregators }: Policy,
  { aggregator, poller }: { readonly aggregator: string; readonly poller: string },
): ReadonlySet<string> | undefined {
  const own = aggregators.find(({ name }) => name === aggregator);
  return own?.pollers.find(({ name }) => name === poller)?.surfaces;
}

/** The key of the entity of a poller, by its name. */
export function pollerEntityKey(
  policy: Pick<Policy, "aggregators">,
  aggregator: string,
  name: string,
): string {
  return entityKey({ aggregator, kind: POLLER_KIND, id: pollerIdIn(policy, aggregator, name) });
}

/** The id of the entity of a poller, by its name. */
export function pollerIdIn(
  { aggregators }: Pick<Policy, "aggregators">,
  aggregator: string,
  name: string,
): string {
  const pollers = aggregators.find((one) => one.name === aggregator)?.pollers ?? [];
  return pollerId(pollers.find((poller) => poller.name === name) ?? { name });
}
