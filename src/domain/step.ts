import type { Action, ActionCall, ActionName, ActionReply, Mode } from "./action.ts";
import type { Alert } from "./alert.ts";
import type { EntityId, KindDefinition } from "./entity.ts";
import type { SuppressionReason } from "./guard.ts";
import type { Observation, PollOutcome } from "./observation.ts";
import type { Remediation } from "./remediation.ts";
import type { Budget, Rule, WindowSpec } from "./rule.ts";
import type { Millis } from "./time.ts";

/**
 * The words of the one function that decides everything:
 *
 *     step(policy, state, event, at) -> { changes, effects, findings }
 *
 * Event: something happened, stamped once by the inbox. Change: a row of state to make durable.
 * Effect: something for the shell to do, after the commit. Finding: a reason, for people.
 * The same policy, state, event and instant always give the same result.
 */

export type Event =
  /** The process has started; whatever was `requested` may or may not have been sent. */
  | { readonly type: "started" }
  | { readonly type: "observed"; readonly observation: Observation }
  | { readonly type: "acted"; readonly remediation: string; readonly reply: ActionReply }
  /** Time has passed. */
  | { readonly type: "tick" }
  /**
   * Rules and settings were replaced as a whole: this step's policy is the new one. What was in force
   * before is told so that only what changed is judged anew.
   */
  | {
      readonly type: "policy_changed";
      /** The rules before: hash by name. */
      readonly rulesBefore: ReadonlyMap<string, string>;
      /** Aggregators that have another address now: nothing sure is known of them until read again. */
      readonly moved: readonly string[];
    }
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

/** What an operator, or the shell on an operator's behalf, may ask for. */
export type Command =
  | { readonly name: "kill"; readonly source: KillSource }
  | { readonly name: "unkill"; readonly source: KillSource }
  | { readonly name: "approve"; readonly proposal: string }
  | { readonly name: "deny"; readonly proposal: string };

/** Each source is released on its own: a file that is removed does not undo what the API said. */
export const KILL_SOURCES = ["operator", "file", "journal", "bug"] as const;
export type KillSource = (typeof KILL_SOURCES)[number];

/** A row of state to write, or to delete where `value` is undefined. */
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
] as const;
export type StateTable = (typeof STATE_TABLES)[number];

export type Effect =
  | {
      readonly type: "act";
      readonly remediation: string;
      readonly aggregator: string;
      readonly action: ActionName;
      readonly call: ActionCall;
    }
  | {
      readonly type: "probe";
      readonly aggregator: string;
      readonly poller: string;
      readonly surface: string;
      readonly why: "confirm" | "verify";
    };

export type Finding =
  | {
      readonly type: "polled";
      readonly aggregator: string;
      readonly poller: string;
      readonly origin: "poll" | "probe";
      readonly outcome: PollOutcome;
      readonly durationMs: Millis;
      readonly detail: string;
    }
  | {
      readonly type: "entity";
      readonly change: "appeared" | "gone" | "status";
      readonly entity: EntityId;
      readonly detail: string;
    }
  | {
      readonly type: "alert";
      readonly change: AlertChange;
      readonly alert: Readonly<Alert>;
      readonly detail: string;
    }
  | {
      readonly type: "suppressed";
      readonly alert: string;
      readonly entity: EntityId;
      readonly action: ActionName;
      readonly reason: SuppressionReason;
      readonly detail: string;
    }
  | {
      readonly type: "proposed";
      readonly proposal: string;
      readonly entity: EntityId;
      readonly action: ActionName;
      readonly detail: string;
    }
  /** The reading right before the action did not confirm it. */
  | {
      readonly type: "unconfirmed";
      readonly alert: string;
      readonly entity: EntityId;
      readonly action: ActionName;
      readonly detail: string;
    }
  | {
      readonly type: "remediation";
      readonly remediation: Readonly<Remediation>;
      readonly detail: string;
    }
  | {
      readonly type: "command";
      readonly by: string;
      readonly name: Command["name"];
      readonly accepted: boolean;
      readonly detail: string;
    }
  /** Other rules and settings are in force. */
  | ({ readonly type: "policy" } & RuleChanges)
  | {
      readonly type: "kill";
      readonly source: KillSource;
      readonly on: boolean;
      readonly detail: string;
    };

/** Names of rules, by what became of them when the rules were replaced. */
export type RuleChanges = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
};

/** `dropped`: a pending alert whose condition came out ok before `for` had passed. */
export type AlertChange = "pending" | "firing" | "resolved" | "dropped" | "unknown" | "known";

/** What a poller of an aggregator is expected to do. */
export type WatchedPoller = {
  readonly name: string;
  /** The longest time between two slots of its schedule. */
  readonly intervalMs: Millis;
  /** How old the last reading may be before it is unknown, and an alert of its own. */
  readonly staleAfterMs: Millis;
};

/** What the core decides by: the settings and rules in force. It is replaced as a whole. */
export type Policy = {
  readonly aggregators: ReadonlyArray<{
    readonly name: string;
    readonly pollers: readonly WatchedPoller[];
  }>;
  readonly kinds: ReadonlyMap<string, KindDefinition>;
  readonly actions: ReadonlyMap<ActionName, Action>;
  readonly rules: ReadonlyMap<string, Rule>;
  readonly rulesByKind: ReadonlyMap<string, readonly Rule[]>;
  /** What the rules' windows remember of each kind; windows that share a series are one. */
  readonly windowsByKind: ReadonlyMap<string, readonly WindowSpec[]>;
  readonly acting: ActingPolicy;
  /** How long a resolved alert and a settled remediation stay in sight. */
  readonly resolvedRetentionMs: Millis;
  readonly remediationRetentionMs: Millis;
};

export type ActingPolicy = {
  /** The config's mode: no rule goes above it. */
  readonly ceiling: Mode;
  /** Over all rules. */
  readonly budget: Budget;
  readonly budgetByAction: Readonly<Partial<Record<ActionName, Budget>>>;
  readonly settleAfterStartMs: Millis;
  /** The oldest reading that may justify an action. */
  readonly maxAgeMs: Millis;
  /** How long the reading right before an action may take. */
  readonly confirmWithinMs: Millis;
  readonly approvalExpiresAfterMs: Millis;
};

export type StepResult = {
  readonly changes: readonly Change[];
  readonly effects: readonly Effect[];
  readonly findings: readonly Finding[];
};
