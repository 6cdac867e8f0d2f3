import type { ActionName } from "./action.ts";
import { parseAlertKey, type Alert } from "./alert.ts";
import { entityKey, type EntityId } from "./entity.ts";
import type { SuppressionReason } from "./guard.ts";
import type { Judgement } from "./judgement.ts";
import type { Hold } from "./hold.ts";
import type { DoubtReason, PollOutcome } from "./observation.ts";
import type { Remediation } from "./remediation.ts";
import type { Command, KillSource } from "./command.ts";
import { POLLER_KIND } from "./lease.ts";
import type { LeftOutReason } from "./limits.ts";
import type { Instant, Millis } from "./time.ts";
import type { WatchSource } from "./watch.ts";

/**
 * Finding: a reason, for people. Everything that is shown (log, page, metrics, explain) comes from
 * findings. The last one about an alert in a step has the judgement of that instant.
 */
export type Finding =
  | {
      readonly type: "polled";
      readonly aggregator: string;
      readonly poller: string;
      /** The id of its entity, if it reads for a unit of senders, as several pollers then have the same name. */
      readonly id?: string;
      readonly origin: "poll" | "probe";
      readonly outcome: PollOutcome;
      readonly durationMs: Millis;
      readonly detail: string;
      /** Why a listing of it may raise alerts but no actions. */
      readonly doubt?: DoubtReason;
    }
  | {
      readonly type: "entity";
      readonly change: "appeared" | "gone" | "status";
      readonly entity: EntityId;
      readonly detail: string;
    }
  /** An aggregator said more than is remembered. */
  | {
      readonly type: "left_out";
      readonly aggregator: string;
      readonly kind: string;
      readonly why: LeftOutReason;
      readonly count: number;
    }
  /** Something ended whose whole life was watched: how long it took. */
  | { readonly type: "took"; readonly entity: EntityId; readonly tookMs: Millis }
  | {
      readonly type: "alert";
      readonly change: AlertChange;
      readonly alert: Readonly<Alert>;
      readonly detail: string;
      readonly judgement?: Judgement;
    }
  | (NotSent & {
      readonly type: "suppressed";
      readonly reason: SuppressionReason;
      /** Since when it objects, if it is found again after a pause. */
      readonly since?: Instant;
    })
  | {
      /** `withdrawn`: what was shown has changed since, so it can no longer be approved. */
      readonly type: "proposed" | "withdrawn";
      readonly proposal: string;
      readonly digest: string;
      /** Left out by earlier versions. */
      readonly rule?: string;
      readonly entity: EntityId;
      readonly action: ActionName;
      readonly detail: string;
    }
  /** The reading right before the action did not confirm it. Earlier versions did not say why. */
  | (NotSent & { readonly type: "unconfirmed"; readonly why: UnconfirmedReason })
  | {
      readonly type: "remediation";
      readonly remediation: Readonly<Remediation>;
      readonly detail: string;
      /** It was settled before, and is now known not to have been sent. Its state is as it was. */
      readonly corrected?: true;
      readonly judgement?: Judgement;
    }
  | {
      readonly type: "command";
      readonly by: string;
      /** Why, in the operator's own words. */
      readonly reason: string;
      readonly name: Command["name"];
      /** What it is about: the id of a hold, a silence or a proposal, the key of an entity. */
      readonly subject: string;
      /** The rule and the key of the entity whose proposal it is about; left out by earlier versions. */
      readonly rule?: string;
      readonly entity?: string;
      readonly accepted: boolean;
      readonly detail: string;
    }
  /** Other rules and settings are in force. */
  | ({
      readonly type: "policy";
      /** Aggregators whose `base_url` is another; left out if there is none, and by earlier versions. */
      readonly moved?: readonly string[];
      /** Left out by earlier versions. */
      readonly reload?: ReloadRequest;
    } & RuleChanges)
  /** A source of a watch list gave another list. */
  | {
      readonly type: "watch";
      readonly aggregator: string;
      readonly source: WatchSource;
      readonly name: string;
      readonly entries: number;
      /** Entities that ended, as no list contains them any more; given once if several lists changed. */
      readonly ended: number;
    }
  | {
      readonly type: "kill";
      readonly source: KillSource;
      readonly on: boolean;
      /** Who switched it; earlier versions did not say. */
      readonly by?: string;
      /** If it was released: the other sources that keep the switch on. */
      readonly stillOn?: readonly string[];
      readonly detail: string;
    }
  | {
      readonly type: "hold";
      readonly change: OverrideChange;
      readonly hold: Readonly<Hold>;
      readonly detail: string;
    }
  | {
      readonly type: "quarantine";
      readonly change: OverrideChange;
      readonly entity: string;
      readonly detail: string;
    }
  | {
      readonly type: "storm";
      readonly change: OverrideChange;
      readonly rule: string;
      readonly aggregator: string;
      readonly detail: string;
    }
  /** The alert is not notified while this lasts. */
  | (Muting & { readonly type: "muted"; readonly subject: string })
  /** A message to a channel. */
  | {
      readonly type: "notified";
      readonly channel: string;
      readonly outcome: NotifiedOutcome;
      /** How many notifications it held. */
      readonly count: number;
      readonly durationMs: Millis;
      /** Nothing is new: notifications were sent again, or the same failure came again. */
      readonly repeated: boolean;
      readonly detail: string;
    };

/** An action of the alert with this key was not sent. */
type NotSent = {
  readonly alert: string;
  readonly entity: EntityId;
  readonly action: ActionName;
  readonly detail: string;
  readonly judgement?: Judgement;
};

/** Why an action was not confirmed: it is no longer needed; or the reading failed, or did not come in time. */
export const UNCONFIRMED_REASONS = ["well", "failed", "late"] as const;
export type UnconfirmedReason = (typeof UNCONFIRMED_REASONS)[number];

/** Why something is not notified. */
export const MUTE_REASONS = ["silenced", "inhibited"] as const;
export type MuteReason = (typeof MUTE_REASONS)[number];

export type Muting = { readonly reason: MuteReason; readonly detail: string };

/**
 * The outcome of a message to a channel. `refused`: the receiver cannot accept it, and it is not sent
 * again unchanged; `dropped`: it was never sent.
 */
export const NOTIFIED_OUTCOMES = ["delivered", "failed", "refused", "dropped"] as const;
export type NotifiedOutcome = (typeof NOTIFIED_OUTCOMES)[number];

/** What happened to a hold, a quarantine or a storm. */
export type OverrideChange = "began" | "ends_soon" | "ended";

/** Who had rules and settings replaced, and the settings that differ: `actions.mode: act -> shadow`. */
export type ReloadRequest = { readonly by: string; readonly settings: readonly string[] };

/** Names of rules, by what happened to them when the rules were replaced. */
export type RuleChanges = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
};

/** `dropped`: a pending alert whose condition was ok before `for` had passed. */
export type AlertChange = "pending" | "firing" | "resolved" | "dropped" | "unknown" | "known";

/** The key of the alert that a finding is about; SQLite's schema repeats this rule. */
export function alertOf(finding: Finding): string | undefined {
  if (finding.type === "alert") return finding.alert.key;
  if (finding.type === "remediation") return finding.remediation.alert;
  const isAbout = finding.type === "suppressed" || finding.type === "unconfirmed";
  return isAbout ? finding.alert : undefined;
}

/** The key of the entity that a finding is about; undefined if it is about none. */
export function entityOf(finding: Finding): string | undefined {
  const alert = alertOf(finding);
  if (alert !== undefined) return parseAlertKey(alert).entity;
  if (finding.type === "polled") {
    const { aggregator, poller, id = poller } = finding;
    return entityKey({ aggregator, kind: POLLER_KIND, id });
  }
  if (!("entity" in finding) || finding.entity === undefined) return undefined;
  return typeof finding.entity === "string" ? finding.entity : entityKey(finding.entity);
}
