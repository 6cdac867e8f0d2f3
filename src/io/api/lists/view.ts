import { alertsNow, type AlertsNow } from "../../../core/explain/alert-status.ts";
import type { State } from "../../../core/state.ts";
import type { Alert } from "../../../domain/alert.ts";
import type { Entity } from "../../../domain/entity.ts";
import type { Silence } from "../../../domain/hold.ts";
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
  /** In the past, those that are recorded, or else those that still stand. */
  readonly silences: ReadonlyMap<string, Silence>;
  /** Absent from a view of the past. */
  readonly alertsNow?: AlertsNow;
  /** The keys of the entities of each kind; absent from a view of the past. */
  readonly keysOfKind?: ReadonlyMap<string, ReadonlySet<string>>;
};

export function viewOf(policy: Policy, state: State): View {
  const { tables } = state;
  return {
    at: state.at,
    kinds: policy.kinds,
    rules: policy.rules,
    entities: tables.entity,
    alerts: tables.alert,
    remediations: tables.remediation,
    silences: tables.silence,
    alertsNow: alertsNow(policy, state),
    keysOfKind: state.entitiesByKind,
  };
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
