import type { State } from "../../../core/state.ts";
import { alertKey, type Alert } from "../../../domain/alert.ts";
import type { Entity } from "../../../domain/entity.ts";
import type { Remediation } from "../../../domain/remediation.ts";
import type { Policy } from "../../../domain/step.ts";
import type { Instant } from "../../../domain/time.ts";

/** The state at one instant, by the keys of its tables, for lists. Read-only. */
export type View = {
  readonly at: Instant;
  readonly kinds: Policy["kinds"];
  readonly rules: Policy["rules"];
  readonly entities: ReadonlyMap<string, Readonly<Entity>>;
  readonly alerts: ReadonlyMap<string, Readonly<Alert>>;
  readonly remediations: ReadonlyMap<string, Readonly<Remediation>>;
  /** The keys of the entities of each kind; absent from a view of the past. */
  readonly keysOfKind?: ReadonlyMap<string, ReadonlySet<string>>;
};

export function viewOf({ kinds, rules }: Policy, { at, tables, entitiesByKind }: State): View {
  const { entity: entities, alert: alerts, remediation: remediations } = tables;
  return { at, kinds, rules, entities, alerts, remediations, keysOfKind: entitiesByKind };
}

/** The entities of a kind, without a look at all others if the view has an index. */
export function entitiesOfKind(
  { entities, keysOfKind }: View,
  kind: string,
): ReadonlyArray<readonly [key: string, Readonly<Entity>]> {
  if (keysOfKind === undefined) return [...entities].filter(([, entity]) => entity.kind === kind);
  return [...(keysOfKind.get(kind) ?? [])].flatMap((key) => {
    const entity = entities.get(key);
    return entity === undefined ? [] : [[key, entity] as const];
  });
}

/** The number of alerts in each state. */
export function countsByState(alerts: readonly Readonly<Alert>[]): Record<Alert["state"], number> {
  const counts = { pending: 0, firing: 0, resolved: 0 };
  for (const { state } of alerts) counts[state] += 1;
  return counts;
}

/** The names of the other rules that fire on the same aggregator and mute this alert's notifications. */
export function inhibitorsOf({ rules, alerts }: View): (alert: Readonly<Alert>) => string[] {
  const firing = new Set<string>();
  for (const { state, rule, entity } of alerts.values()) {
    if (state === "firing") firing.add(alertKey(rule, entity.aggregator));
  }
  return ({ rule, entity }) =>
    (rules.get(rule)?.inhibitedBy ?? []).filter(
      (one) => one !== rule && firing.has(alertKey(one, entity.aggregator)),
    );
}
