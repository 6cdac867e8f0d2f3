import type { AlertStatus } from "../../../core/explain/status.ts";
import { unknownBecause } from "../../../core/explain/unknown-because.ts";
import { mutedBy } from "../../../core/tell/muted-by.ts";
import type { State } from "../../../core/state.ts";
import type { Alert } from "../../../domain/alert.ts";
import type { Entity } from "../../../domain/entity.ts";
import type { Silence } from "../../../domain/hold.ts";
import { openByAlert, type Remediation } from "../../../domain/remediation.ts";
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
  /** In the past, those that are recorded, or else those that still stand. */
  readonly silences: ReadonlyMap<string, Silence>;
  /** Why an alert's condition is unknown; absent from a view of the past. */
  readonly unknownBecause?: (alert: Readonly<Alert>) => string | undefined;
  /** The keys of the entities of each kind; absent from a view of the past. */
  readonly keysOfKind?: ReadonlyMap<string, ReadonlySet<string>>;
};

export function viewOf(policy: Policy, state: State): View {
  const { kinds, rules } = policy;
  const { at, tables, entitiesByKind } = state;
  const { entity: entities, alert: alerts, remediation: remediations, silence: silences } = tables;
  const keysOfKind = entitiesByKind;
  return {
    at,
    kinds,
    rules,
    entities,
    alerts,
    remediations,
    silences,
    unknownBecause: (alert) => unknownBecause(policy, state, alert),
    keysOfKind,
  };
}

/** Makes the row of an alert: with what mutes it, why its condition is unknown, and its open remediation. */
export function alertRowsOf(view: View): (alert: Readonly<Alert>) => AlertStatus {
  const muted = mutedBy(view);
  const open = openByAlert(view.remediations.values());
  return (alert) => ({
    ...alert,
    ...muted(alert),
    unknownBecause: view.unknownBecause?.(alert),
    openRemediation: open.get(alert.key),
  });
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
