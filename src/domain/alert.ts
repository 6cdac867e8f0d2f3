import type { EntityId, Facts, Parent } from "./entity.ts";
import type { SuppressionReason } from "./guard.ts";
import type { Instant } from "./time.ts";

/** One rule on one entity. Words and life cycle are Prometheus's (rules/alerting.go). */
export const ALERT_STATES = ["pending", "firing", "resolved"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/**
 * Why an alert is resolved: the condition is ok, the entity is gone, or it is not watched any more, or the rule was
 * removed.
 */
export const RESOLVED_BECAUSE = ["ok", "gone", "unwatched", "rule_removed"] as const;
export type ResolvedBecause = (typeof RESOLVED_BECAUSE)[number];

export type Alert = {
  /** `alertKey(rule, entity)`. */
  readonly key: string;
  readonly rule: string;
  /** Its rule's, as it is now. */
  severity: string;
  readonly entity: EntityId;
  /** The entity's when this run began: a silence of an exchange covers its pairs, also when they are gone. */
  readonly parent?: Parent;
  state: AlertState;
  /** When this run of the alert began; it never moves, and distinguishes one run from the next. */
  readonly startedAt: Instant;
  /** Start of `for`. Time in unknown does not count, so a gap moves it forward by its length. */
  activeAt: Instant;
  firedAt?: Instant;
  resolvedAt?: Instant;
  resolvedBecause?: ResolvedBecause;
  /** The condition is ok again, and `keep_firing_for` runs since then. */
  keepFiringSince?: Instant;
  /** Nothing sure is known of the entity since then; the alert's clocks stop. */
  unknownSince?: Instant;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  /** The facts that the last sure verdict rested on. */
  facts: Facts;
  /** Remediations sent for this run of the alert, and for those before it if the entity was not well in between. */
  attempts: number;
  /** Those in a row that were held back before they were sent, and when the last of them was requested. */
  unsent?: { readonly times: number; readonly lastAt: Instant };
  /** Why no remediation is sent just now. */
  suppressed?: Suppression;
};

/**
 * The guard that objects first, and since when it is the first. It is `stale` too while no reading right before the
 * action confirms it, although polls in between are fresh.
 */
export type Suppression = {
  readonly reason: SuppressionReason;
  /** Its numbers that time alone changes are those of `since`. */
  readonly detail: string;
  readonly since: Instant;
  /** It was notified that this has lasted for long. */
  readonly told?: true;
  /** What objected before too little was known, as after a failed poll. It goes on if it objects again afterwards. */
  readonly before?: Suppression;
};

/** The key of the alert of a rule on an entity. A rule's name holds no bar. */
export function alertKey(rule: string, entityKeyText: string): string {
  return `${rule}|${entityKeyText}`;
}

/** The inverse of `alertKey`: the rule, and the key of the entity. */
export function parseAlertKey(key: string): { readonly rule: string; readonly entity: string } {
  const bar = key.indexOf("|");
  return { rule: key.slice(0, bar), entity: key.slice(bar + 1) };
}
