import type { Alert } from "../../domain/alert.ts";
import type { Muting } from "../../domain/finding.ts";
import { formatInstant, MINUTE, type Instant, type Millis } from "../../domain/time.ts";
import type { Draft } from "../draft.ts";
import type { State } from "../state.ts";
import { silencesOn, type About } from "./muted-by.ts";
import { alertSubject } from "./outbox.ts";

/** Why a notification is not sent: a silence, or another alert that inhibits it. */
export type Mute = {
  readonly ofAlert: (alert: Alert) => Muting | undefined;
  readonly ofEvent: (about: About) => Muting | undefined;
};

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

function silenceOn({ at, state: { tables } }: Draft, about: About): Muting | undefined {
  const [first] = silencesOn({ at, silences: tables.silence, entities: tables.entity }, about);
  if (first === undefined) return undefined;
  const { id, owner, reason, until } = first;
  return {
    reason: "silenced",
    detail: `${id} of ${owner} until ${formatInstant(until)}: ${reason}`,
  };
}

/** Texts `aggregator/rule` of the rules that inhibit others now. */
function firingRules({ policy, state, at }: Draft): ReadonlySet<string> {
  const { leftToHome } = policy.notify;
  const rules = new Set<string>();
  const note = ({ entity, rule }: Pick<Alert, "entity" | "rule">): void =>
    void rules.add(`${entity.aggregator}/${rule}`);
  for (const key of state.firing) {
    const alert = state.tables.alert.get(key);
    if (alert === undefined) continue;
    const isLeft = leftToHome?.has(alert.entity.kind) === true;
    if (!isLeft || isUpToHome(state, alert, at)) note(alert);
  }
  for (const alert of state.homeAlerts?.values() ?? []) if (alert.state === "firing") note(alert);
  return rules;
}

/** How long `home` has to find the same. Its slow pollers read once a minute. */
const HOME_FINDS_WITHIN: Millis = MINUTE;

/**
 * People hear of such an alert by `home` alone. If `home` finds nothing, they hear of it only by the alerts that it would
 * inhibit here.
 */
function isUpToHome(
  { homeAlerts }: State,
  { key, startedAt, firedAt = startedAt }: Alert,
  at: Instant,
): boolean {
  return homeAlerts === undefined || homeAlerts.has(key) || at - firedAt < HOME_FINDS_WITHIN;
}

/** Leaves a finding if the reason is another than before; the alert is sent when nothing mutes it any more. */
export function noteMuted(draft: Draft, key: string, muting: Muting): void {
  const known = draft.state.muted.get(key);
  draft.state.muted.set(key, muting);
  if (known?.reason === muting.reason && known.detail === muting.detail) return;
  draft.findings.push({ type: "muted", subject: alertSubject(key), ...muting });
}
