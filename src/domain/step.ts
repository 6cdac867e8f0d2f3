import type { Action, ActionCall, ActionName, ActionReply } from "./action.ts";
import type { KindDefinition } from "./entity.ts";
import type { Observation } from "./observation.ts";
import type { Rule, WindowSpec } from "./rule.ts";
import type { Command } from "./command.ts";
import type { Finding, ReloadRequest } from "./finding.ts";
import type { EntityLimits } from "./limits.ts";
import type { Batch, Delivery, HomeAlerts, NotifyPolicy } from "./notification.ts";
import type { LeaseReading } from "./lease.ts";
import type { Instant, Millis } from "./time.ts";
import type { WatchListing, WatchPolicy } from "./watch.ts";

/**
 * The words of the one function that decides everything:
 *
 *     step(policy, state, event, at) -> { changes, effects, findings }
 *
 * Event: something happened, stamped once by the inbox. Change: a row of state to make durable.
 * Effect: something for the shell to run, after the commit. Finding: a reason, for people.
 * The same policy, state, event and instant always give the same result.
 */

export type Event =
  /**
   * The process has started; whatever was `requested` may or may not have been sent. An `unchecked` journal may be
   * damaged where no start reads it: no action until `journal_checked`.
   */
  | { readonly type: "started"; readonly journal?: "unchecked" }
  /** The whole journal was read since the start, and no damage was found. */
  | { readonly type: "journal_checked" }
  /** Replicas share the journal, and this one may act, or may not, by what it reads of its lease. */
  | { readonly type: "lease"; readonly lease: LeaseReading }
  /** What `home` says of those of its alerts that the units of senders leave to it. */
  | { readonly type: "home_alerts"; readonly alerts: HomeAlerts }
  | { readonly type: "observed"; readonly observation: Observation }
  | { readonly type: "acted"; readonly remediation: string; readonly reply: ActionReply }
  /** A channel's answer to a batch, or that there was none. */
  | { readonly type: "notified"; readonly batch: Batch; readonly delivery: Delivery }
  /** No event could be handled since then: the process stood still, the machine slept, or its clock was set. */
  | { readonly type: "resumed"; readonly since: Instant; readonly awayMs: Millis }
  /** Time has passed. */
  | { readonly type: "tick" }
  /**
   * Rules and settings were replaced as a whole: this step's policy is the new one. What was in force
   * before is given so that only what changed is judged again.
   */
  | {
      readonly type: "policy_changed";
      /** The rules before: hash by name. */
      readonly rulesBefore: ReadonlyMap<string, string>;
      /** Aggregators that have another address now: nothing sure is known of them until read again. */
      readonly moved: readonly string[];
      readonly reload?: ReloadRequest;
    }
  /** The watch lists are others: this step's policy is made with them. What a source gave is kept. */
  | { readonly type: "watch_changed"; readonly listed: readonly WatchListed[] }
  | {
      readonly type: "command";
      readonly by: string;
      readonly reason: string;
      readonly command: Command;
    }
  /** The journal failed to commit (`unsent`: remediations that were therefore not sent), or it works again. */
  | {
      readonly type: "journal";
      readonly writable: boolean;
      readonly detail: string;
      readonly unsent: readonly string[];
    };

export { KILL_SOURCES } from "./command.ts";
export type { Command, KillSource } from "./command.ts";

/** What a source of a watch list gave; without `entries` the source is no more. */
export type WatchListed = Omit<WatchListing, "entries"> & {
  readonly aggregator: string;
  readonly entries: WatchListing["entries"] | undefined;
};

/** A row of state to write, or to delete if `value` is undefined. */
export type Change = {
  readonly table: StateTable;
  readonly key: string;
  readonly value: unknown;
};

export const STATE_TABLES = [
  "entity",
  "alert",
  "remediation",
  "proposal",
  "attempt",
  "kill",
  "counter",
  "hold",
  "silence",
  "quarantine",
  "storm",
  "became_bad",
  "baseline",
  "notification",
  "watch",
  "unread",
] as const;
export type StateTable = (typeof STATE_TABLES)[number];

export type Effect =
  | {
      readonly type: "act";
      readonly remediation: string;
      readonly aggregator: string;
      readonly action: ActionName;
      readonly call: ActionCall;
      /** When the reading that justifies it was asked. */
      readonly askedAt: Instant;
    }
  | {
      readonly type: "probe";
      readonly aggregator: string;
      readonly poller: string;
      readonly surface: string;
      readonly why: "confirm" | "verify";
    }
  /** Sent even if the journal cannot be written: alerts fail open. */
  | { readonly type: "notify"; readonly batch: Batch };

export type {
  AlertChange,
  Finding,
  RuleChanges,
  OverrideChange,
  ReloadRequest,
} from "./finding.ts";

/** What a poller of an aggregator is expected to do. */
export type WatchedPoller = {
  readonly name: string;
  /** If its watch list is spread over units: the number of the one that it reads for. */
  readonly unit?: number | undefined;
  /** The longest time between two slots of its schedule. */
  readonly intervalMs: Millis;
  /** How old the last reading may be before it is unknown, and an alert of its own. */
  readonly staleAfterMs: Millis;
  /** The surfaces that a whole poll reads, if that is known before one has been made. */
  readonly surfaces?: ReadonlySet<string>;
};

/** What the core decides by: the settings and rules in force. It is replaced as a whole. */
export type Policy = {
  readonly aggregators: ReadonlyArray<{
    readonly name: string;
    readonly pollers: readonly WatchedPoller[];
    /** Stands for its `base_url`. Left out if it has none. */
    readonly address?: number;
  }>;
  readonly kinds: ReadonlyMap<string, KindDefinition>;
  /** What the watch lists are made of; left out if operators cannot change them. */
  readonly watch?: WatchPolicy;
  readonly actions: ReadonlyMap<ActionName, Action>;
  readonly rules: ReadonlyMap<string, Rule>;
  readonly rulesByKind: ReadonlyMap<string, readonly Rule[]>;
  /** What the rules' windows remember of each kind; windows that share a series are one. */
  readonly windowsByKind: ReadonlyMap<string, readonly WindowSpec[]>;
  readonly acting: ActingPolicy;
  readonly notify: NotifyPolicy;
  readonly limits: EntityLimits;
  /** How long a resolved alert and a settled remediation are kept. */
  readonly resolvedRetentionMs: Millis;
  readonly remediationRetentionMs: Millis;
};

/** The settings of `actions`: their schema (src/config/settings) declares them here, as this floor cannot import it. */
export interface ActingPolicy {}

export type StepResult = {
  readonly changes: readonly Change[];
  readonly effects: readonly Effect[];
  readonly findings: readonly Finding[];
};
