import { entityKey } from "../domain/entity.ts";
import { POLLER_KIND, pollerId } from "../domain/lease.ts";
import type { Rule } from "../domain/rule.ts";
import type { Policy, WatchedPoller } from "../domain/step.ts";
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

/** The poller of an aggregator, by its name; undefined if it is not watched. */
export function watchedPoller(
  { aggregators }: Pick<Policy, "aggregators">,
  aggregator: string,
  poller: string,
): WatchedPoller | undefined {
  const own = aggregators.find(({ name }) => name === aggregator);
  return own?.pollers.find(({ name }) => name === poller);
}

/** What a whole poll of a poller reads; undefined if the policy does not know. */
export function plannedSurfaces(
  policy: Policy,
  { aggregator, poller }: { readonly aggregator: string; readonly poller: string },
): ReadonlySet<string> | undefined {
  return watchedPoller(policy, aggregator, poller)?.surfaces;
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
  policy: Pick<Policy, "aggregators">,
  aggregator: string,
  name: string,
): string {
  return pollerId(watchedPoller(policy, aggregator, name) ?? { name });
}
