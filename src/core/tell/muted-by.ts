import { alertKey, type Alert } from "../../domain/alert.ts";
import { entityKey } from "../../domain/entity.ts";
import { covers, type Member, type Silence } from "../../domain/hold.ts";
import type { Rule } from "../../domain/rule.ts";
import type { Instant } from "../../domain/time.ts";

/** What a notification is about. The parent is that of an entity that may be gone by now. */
export type About = Pick<Alert, "rule" | "entity" | "parent">;

/** What silences are judged by. */
type Silencing = {
  readonly at: Instant;
  readonly silences: ReadonlyMap<string, Silence>;
  readonly entities: ReadonlyMap<string, Member>;
};

/** The silences that stop notifications about an alert, in the order in which they were made. */
export function silencesOn(
  { at, silences, entities }: Silencing,
  { rule, entity, parent }: About,
): readonly Silence[] {
  if (silences.size === 0) return [];
  const member = entities.get(entityKey(entity)) ?? { ...entity, ...(parent && { parent }) };
  return [...silences.values()].filter(
    ({ scope, from, until }) => from <= at && until > at && covers(scope, rule, member),
  );
}

/** What mutes an alert's notifications. */
export type MutedBy = {
  /** Other rules that fire on the same aggregator. */
  readonly inhibitedBy: readonly string[];
  /** The ids of the silences that cover it. */
  readonly silencedBy: readonly string[];
  /** When the last of them ends; undefined if there is none. */
  readonly silencedUntil?: Instant | undefined;
};

/** What is needed to say what mutes an alert. */
export type Muting = Silencing & {
  readonly rules: ReadonlyMap<string, Pick<Rule, "inhibitedBy">>;
  readonly alerts: ReadonlyMap<string, Readonly<Alert>>;
};

/** Says of each alert what mutes it, by the alerts and the silences of one instant. */
export function mutedBy(muting: Muting): (alert: Readonly<Alert>) => MutedBy {
  const firing = new Set<string>();
  for (const { state, rule, entity } of muting.alerts.values()) {
    if (state === "firing") firing.add(alertKey(rule, entity.aggregator));
  }
  return (alert) => {
    const { rule, entity } = alert;
    const inhibitors = muting.rules.get(rule)?.inhibitedBy ?? [];
    const silences = silencesOn(muting, alert);
    return {
      inhibitedBy: inhibitors.filter(
        (one) => one !== rule && firing.has(alertKey(one, entity.aggregator)),
      ),
      silencedBy: silences.map(({ id }) => id),
      silencedUntil: endOf(silences),
    };
  };
}

/** When the last of some silences ends. */
export function endOf(silences: readonly Silence[]): Instant | undefined {
  return silences.length === 0 ? undefined : Math.max(...silences.map(({ until }) => until));
}

/** How many of the alerts that fire are silenced. */
export function countSilenced(silencing: Silencing, alerts: Iterable<Readonly<Alert>>): number {
  let count = 0;
  if (silencing.silences.size === 0) return count;
  for (const alert of alerts)
    if (alert.state === "firing" && silencesOn(silencing, alert).length > 0) count += 1;
  return count;
}
