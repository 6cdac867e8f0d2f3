import type { Alert } from "../../domain/alert.ts";
import { entityKey } from "../../domain/entity.ts";
import type { Muting } from "../../domain/finding.ts";
import { covers } from "../../domain/hold.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Draft } from "../draft.ts";

/** Why a notification is not sent: a silence, or another alert that inhibits it. */
export type Mute = {
  readonly ofAlert: (alert: Alert) => Muting | undefined;
  readonly ofEvent: (about: About) => Muting | undefined;
};

/** What a notification is about. The parent is that of an entity that may be gone by now. */
export type About = Pick<Alert, "rule" | "entity" | "parent">;

/** By the silences and the firing alerts of now; valid for one step. */
export function createMute(draft: Draft): Mute {
  let firing: ReadonlySet<string> | undefined;
  const fires = (aggregator: string, rule: string): boolean => {
    firing ??= firingRules(draft);
    return firing.has(`${aggregator}/${rule}`);
  };
  const ofEvent = (about: About): Muting | undefined => silenceOn(draft, about);
  return {
    ofEvent,
    ofAlert: (alert) => {
      const { aggregator } = alert.entity;
      const inhibitors = draft.policy.rules.get(alert.rule)?.inhibitedBy ?? [];
      const by = inhibitors.find((rule) => rule !== alert.rule && fires(aggregator, rule));
      if (by !== undefined) return { reason: "inhibited", detail: `${by} fires on ${aggregator}` };
      return ofEvent(alert);
    },
  };
}

function silenceOn(draft: Draft, { rule, entity, parent }: About): Muting | undefined {
  const { tables } = draft.state;
  if (tables.silence.size === 0) return undefined;
  const member = tables.entity.get(entityKey(entity)) ?? { ...entity, ...(parent && { parent }) };
  for (const { id, owner, reason, scope, from, until } of tables.silence.values()) {
    if (from > draft.at || until <= draft.at || !covers(scope, rule, member)) continue;
    const detail = `${id} of ${owner} until ${formatInstant(until)}: ${reason}`;
    return { reason: "silenced", detail };
  }
  return undefined;
}

function firingRules({ state }: Draft): ReadonlySet<string> {
  const rules = new Set<string>();
  for (const key of state.firing) {
    const alert = state.tables.alert.get(key);
    if (alert !== undefined) rules.add(`${alert.entity.aggregator}/${alert.rule}`);
  }
  return rules;
}
