import type { Mode } from "../domain/action.ts";
import type { Command } from "../domain/command.ts";
import type { Scope } from "../domain/hold.ts";
import type { EntityLimits } from "../domain/limits.ts";
import type { StormLimit } from "../domain/rule.ts";
import type { ActingPolicy } from "../domain/step.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { DiskFault } from "./machine/disk.ts";
import type { MaintenanceWindow } from "../io/schedule/maintenance-windows.ts";
import type { ClientSettings } from "../io/aggregator/client.ts";
import type { AggregatorSetup } from "../run/setup.ts";
import type { Deployment } from "../simulator/deployment/deployment.ts";
import type { WorldPlan } from "../simulator/model/world-plan.ts";

/**
 * A simulated run as data: the seed makes it, the run follows it, shrinking takes pieces out of it, and
 * people read it as a narration. The same plan always gives the same run.
 */
export type Plan = {
  readonly seed: number;
  /** When the first process starts; events and ends count from here. */
  readonly startsAt: Instant;
  readonly faultsEndAfter: Millis;
  readonly endsAfter: Millis;
  readonly fleet: readonly Member[];
  /** The first is in force at the start; reloads and restarts put another in force. */
  readonly variants: readonly [Variant, ...Variant[]];
  readonly events: readonly ScheduledEvent[];
  /** How fast the steady clock of each replica runs, if several share a database. */
  readonly replicas?: readonly number[] | undefined;
  /** Over so many units the replicas spread the watched senders; without it, these are in `home`. */
  readonly shards?: number | undefined;
};

/** One aggregator: how it is watched, and what the model of it begins with. */
export type Member = {
  readonly watched: WatchedAggregator;
  readonly world: WorldPlan;
  /** Its model gives an `ETag` with every reading, and answers 304 to one that is sent back. */
  readonly etags?: boolean;
  /** How its model says units and words; its wire profile fits. */
  readonly deployment?: Deployment;
};

/** What the settings say of an aggregator, but its address, its wire profile and its credentials. */
type WatchedAggregator = Pick<AggregatorSetup, "name" | "pollers" | "watch" | "statuses"> & {
  readonly client: Omit<ClientSettings, "baseUrl" | "auth">;
};

/** Settings and rules, as they differ from those that the run was given. */
export type Variant = {
  readonly acting: ActingPolicy;
  readonly maintenance: readonly MaintenanceWindow[];
  readonly limits: EntityLimits;
  readonly rules: RuleVariant;
};

/** What differs from the rules as they are written. */
export type RuleVariant = {
  /** Rules that are left out. */
  readonly without?: readonly string[];
  /** The mode of every rule that acts. */
  readonly mode?: Mode;
  /** Every length of time in a rule, times this. */
  readonly pace?: number;
  readonly budgetMax?: number;
  readonly attempts?: number;
  readonly storm?: StormLimit;
  readonly approvals?: number;
};

export type ScheduledEvent = { readonly at: Millis } & EventKind;

/** A pause of the process. If the machine sleeps, timers and the steady clock stand still as well. */
export type Stall = { readonly length: Millis; readonly asleep: boolean };

/** What a database loses, as an asynchronous copy of it that has fallen behind is promoted. */
export type Loss = {
  /** From when on the copy lacks what is committed: the next two are lacking themselves. */
  readonly from: "now" | "next_take_over" | "next_action";
  /** So long after that it is promoted. */
  readonly after: Millis;
  /** The replica that has taken over stands still. */
  readonly stall?: Stall;
};

export type EventKind =
  /** A control command of the simulator: an exchange is disabled, an endpoint answers 503. */
  | {
      readonly do: "control";
      readonly aggregator: string;
      readonly command: { readonly do: string } & Readonly<Record<string, unknown>>;
    }
  /** An adversary undoes each repair soon after, so many times. */
  | {
      readonly do: "adversary";
      readonly aggregator: string;
      readonly after: Millis;
      readonly times: number;
    }
  | { readonly do: "network"; readonly aggregator: string; readonly faults: NetworkFaults }
  | { readonly do: "disk"; readonly fault: DiskFault | "none" }
  /** Just the commit fails that holds the next action. */
  | { readonly do: "disk_at_action"; readonly fault: DiskFault }
  | { readonly do: "slow_disk"; readonly length: Millis }
  /** Checks of the journal take so long from the next start on; one finds that a page no start reads is damaged. */
  | { readonly do: "journal"; readonly isDamaged: boolean; readonly checkTakes: Millis }
  /** An operator repairs it, if it is damaged. */
  | { readonly do: "repair_journal" }
  /** The process pauses: it is stopped, or collects garbage; or the machine sleeps. */
  | ({ readonly do: "stall" } & Stall)
  /** The same, once the reading right before the next action is under way. */
  | ({ readonly do: "stall_at_confirmation" } & Stall)
  /** The same, between the commit of the next action and its sending. */
  | ({ readonly do: "stall_at_action" } & Stall)
  /** A control command of the simulator, carried out as the reading right before the next action is asked for. */
  | {
      readonly do: "control_at_confirmation";
      readonly aggregator: string;
      readonly command: { readonly do: string } & Readonly<Record<string, unknown>>;
    }
  /** The wall clock is set so far off true time. */
  | { readonly do: "clock"; readonly error: Millis }
  | {
      readonly do: "crash";
      readonly boundary: Boundary;
      readonly downFor: Millis;
      readonly variant: number;
      /** With the power of its machine: what the disk had not synced is lost as well. */
      readonly losesPower?: true;
    }
  /** Stopped in good order, and started again. */
  | { readonly do: "restart"; readonly downFor: Millis; readonly variant: number }
  | { readonly do: "reload"; readonly variant: number }
  | { readonly do: "kill_file"; readonly exists: boolean }
  | { readonly do: "command"; readonly by: string; readonly command: Command }
  | {
      readonly do: "hold" | "silence";
      readonly by: string;
      readonly scope: Scope;
      readonly length: Millis;
    }
  /** An operator decides the proposal that has waited longest, if there is one. */
  | { readonly do: "decide"; readonly by: string; readonly approves: boolean }
  /** An operator reads that proposal, so as to approve it later. */
  | { readonly do: "read_proposal"; readonly by: string }
  /** What was read then is approved; `byNow` names the proposal that waits now with the digest of then. */
  | { readonly do: "approve_read"; readonly by: string; readonly byNow: boolean }
  /** What the database of the replicas does wrong from now on. */
  | { readonly do: "database"; readonly faults: DatabaseFaults }
  /** A replica is cut off from it, and from nothing else. */
  | { readonly do: "partition"; readonly whom: "owner" | "standby"; readonly length: Millis }
  /** The database of the replicas loses what is committed from then on: a copy that lacks it takes its place. */
  | ({ readonly do: "lose_commits" } & Loss)
  /** An operator ends the hold, silence or quarantine that has stood longest, if there is one. */
  | { readonly do: "end_longest"; readonly what: "hold" | "silence" | "quarantine" };

/** Where in its work the process dies: `now`, or the next time that it comes by. */
export const BOUNDARIES = [
  "now",
  "before_commit",
  "after_commit",
  /** A large commit is put aside, and not complete; and complete, and not all in yet. */
  "within_commit",
  "commit_complete",
  /** As above, of a step that decides on an action. */
  "before_commit_of_action",
  "after_commit_of_action",
  /** The request is on the wire. */
  "action_left",
  /** The aggregator has carried it out, and its answer is on the way. */
  "action_applied",
  /** The answer is there, and nothing is decided yet. */
  "action_answered",
] as const;
export type Boundary = (typeof BOUNDARIES)[number];

/** What goes wrong with the database of the replicas. Chances are from 0 to 1. */
export type DatabaseFaults = {
  /** Each way takes so long, anything between the two. */
  readonly delay?: { readonly least: Millis; readonly most: Millis };
  /** The question never arrives. */
  readonly requestLost?: number;
  /** It is carried out, and not acknowledged. */
  readonly replyLost?: number;
  /** The connection breaks, and it is carried out later. */
  readonly late?: number;
  /** Neither an answer nor a time-out ever comes. */
  readonly hangs?: number;
  /** The same for commits alone: leases are renewed. */
  readonly commitsHang?: number;
  /** Reading all rows takes so long. */
  readonly readingTakes?: Millis;
};

/** What the network does to requests and replies. Chances are from 0 to 1. */
export type NetworkFaults = {
  /** Each way takes so long, anything between the two. */
  readonly delay?: { readonly least: Millis; readonly most: Millis };
  readonly refused?: number;
  readonly requestLost?: number;
  /** After the aggregator has carried it out. */
  readonly replyLost?: number;
  readonly cut?: number;
  /** An entry of a listing is malformed. */
  readonly malformedEntry?: number;
  /** A listing has one more entry, with names that no request can hold. */
  readonly malformedName?: number;
  /** A listing has one more entry, named by a key of the watchdog in one of many spellings. */
  readonly echoedKey?: number;
  /** So many new names in a listing, each time others. */
  readonly flooded?: number;
  /** The last entries of a listing are left out, and nothing says so. */
  readonly shortened?: number;
};
