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
 * A simulated run as data: a seed determines it, the run follows it, shrinking removes pieces of it, and
 * people read it as a narration. The same plan always gives the same run.
 */
export type Plan = {
  readonly seed: number;
  /** When the first process starts; events and ends count from here. */
  readonly startsAt: Instant;
  readonly faultsEndAfter: Millis;
  readonly endsAfter: Millis;
  readonly fleet: readonly Member[];
  /** The first is in force at the start; reloads and restarts switch to another. */
  readonly variants: readonly [Variant, ...Variant[]];
  readonly events: readonly ScheduledEvent[];
  /** How fast the steady clock of each replica runs, if several share a database. */
  readonly replicas?: readonly number[] | undefined;
  /** How many units the replicas spread the watched senders over; if undefined, the senders are in `home`. */
  readonly shards?: number | undefined;
};

/** One aggregator: how it is watched, and how its model begins. */
export type Member = {
  readonly watched: WatchedAggregator;
  readonly world: WorldPlan;
  /** Its model gives an `ETag` with every reading, and answers 304 to one that is sent back. */
  readonly etags?: boolean;
  /** The units and words of its model; its wire profile matches. */
  readonly deployment?: Deployment;
};

/** The settings of an aggregator, except its address, its wire profile and its credentials. */
type WatchedAggregator = Pick<AggregatorSetup, "name" | "pollers" | "watch" | "statuses"> & {
  readonly client: Omit<ClientSettings, "baseUrl" | "auth">;
};

/** Settings, and changes to the rules that the run was given. */
export type Variant = {
  readonly acting: ActingPolicy;
  readonly maintenance: readonly MaintenanceWindow[];
  readonly limits: EntityLimits;
  readonly rules: RuleVariant;
};

/** Changes to the rules as they are written. */
export type RuleVariant = {
  /** Rules that are left out. */
  readonly without?: readonly string[];
  /** The mode of every rule that acts. */
  readonly mode?: Mode;
  /** Multiplies the lengths of time in a rule, except in conditions and windows. */
  readonly pace?: number;
  readonly budgetMax?: number;
  readonly attempts?: number;
  readonly storm?: StormLimit;
  readonly approvals?: number;
};

export type ScheduledEvent = { readonly at: Millis } & EventKind;

/** A pause of the process. If the machine sleeps, its timers and its steady clock stand still as well. */
export type Stall = { readonly length: Millis; readonly asleep: boolean };

/** A loss of commits: an asynchronous copy of the database that has fallen behind is promoted. */
export type Loss = {
  /** The first commit that the copy lacks: the next one, the next take-over, or that of the next action. */
  readonly from: "now" | "next_take_over" | "next_action";
  /** How long after that commit the copy is promoted. */
  readonly after: Millis;
  /** A pause of the replica that has taken over. */
  readonly stall?: Stall;
};

/** A control command of the simulator. */
type Control = {
  readonly aggregator: string;
  readonly command: { readonly do: string } & Readonly<Record<string, unknown>>;
};

export type EventKind =
  /** A control command of the simulator: an exchange is disabled, an endpoint answers 503. */
  | ({ readonly do: "control" } & Control)
  /** An adversary undoes the next `times` repairs, each `after` it was applied. */
  | {
      readonly do: "adversary";
      readonly aggregator: string;
      readonly after: Millis;
      readonly times: number;
    }
  | { readonly do: "network"; readonly aggregator: string; readonly faults: NetworkFaults }
  | { readonly do: "disk"; readonly fault: DiskFault | "none" }
  /** Only the commit that holds the next action fails. */
  | { readonly do: "disk_at_action"; readonly fault: DiskFault }
  | { readonly do: "slow_disk"; readonly length: Millis }
  /** From the next start on, a check of the journal takes this long; it may find a damaged page that no start reads. */
  | { readonly do: "journal"; readonly isDamaged: boolean; readonly checkTakes: Millis }
  /** An operator repairs the journal, if it is damaged. */
  | { readonly do: "repair_journal" }
  /**
   * The process pauses: it is stopped, or collects garbage; or the machine sleeps. It does so now, right after the
   * reading that confirms the next action is requested, or between the commit of the next action and its sending.
   */
  | ({ readonly do: "stall" | "stall_at_confirmation" | "stall_at_action" } & Stall)
  /** A control command of the simulator, applied when the reading that confirms the next action is requested. */
  | ({ readonly do: "control_at_confirmation" } & Control)
  /** The wall clock is set off true time by `error`. */
  | { readonly do: "clock"; readonly error: Millis }
  | {
      readonly do: "crash";
      readonly boundary: Boundary;
      readonly downFor: Millis;
      readonly variant: number;
      /** The power of its machine fails: commits that the disk had not synced are lost as well. */
      readonly losesPower?: true;
    }
  /** The process is stopped cleanly, and started again. */
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
  /** An operator decides on the proposal that has waited longest, if there is one. */
  | { readonly do: "decide"; readonly by: string; readonly approves: boolean }
  /** An operator reads that proposal, to approve it later. */
  | { readonly do: "read_proposal"; readonly by: string }
  /** The operator approves what was read; `byNow` names the proposal that waits now, with the digest that was read. */
  | { readonly do: "approve_read"; readonly by: string; readonly byNow: boolean }
  /** The faults of the replicas' database from now on. */
  | { readonly do: "database"; readonly faults: DatabaseFaults }
  /** A replica is cut off from the database, and from nothing else. */
  | { readonly do: "partition"; readonly whom: "owner" | "standby"; readonly length: Millis }
  /** The replicas' database loses commits: a copy that lacks them takes its place. */
  | ({ readonly do: "lose_commits" } & Loss)
  /** An operator ends the hold, silence or quarantine that has stood longest, if there is one. */
  | { readonly do: "end_longest"; readonly what: "hold" | "silence" | "quarantine" };

/** Where in its work the process dies: `now`, or when it next passes the boundary. */
export const BOUNDARIES = [
  "now",
  "before_commit",
  "after_commit",
  /** A large commit is partly put aside; it is complete, but not yet brought in. */
  "within_commit",
  "commit_complete",
  /** The same before and after the commit of a step that decides on an action. */
  "before_commit_of_action",
  "after_commit_of_action",
  /** The request is on the wire. */
  "action_left",
  /** The aggregator has carried it out, and its answer is on the way. */
  "action_applied",
  /** The answer has arrived, and nothing is decided yet. */
  "action_answered",
] as const;
export type Boundary = (typeof BOUNDARIES)[number];

/** Faults of the replicas' database. Chances are from 0 to 1. */
export type DatabaseFaults = {
  /** How long each way takes: anything between the two. */
  readonly delay?: { readonly least: Millis; readonly most: Millis };
  /** A request never arrives. */
  readonly requestLost?: number;
  /** A request is carried out, and not acknowledged. */
  readonly replyLost?: number;
  /** The connection breaks, and the request is carried out later. */
  readonly late?: number;
  /** Neither an answer nor a time-out ever comes. */
  readonly hangs?: number;
  /** The same for commits only: leases are renewed. */
  readonly commitsHang?: number;
  /** How long reading all rows takes. */
  readonly readingTakes?: Millis;
};

/** Faults of the network between aggwatch and a server. Chances are from 0 to 1. */
export type NetworkFaults = Pick<DatabaseFaults, "delay"> & {
  readonly refused?: number;
  readonly requestLost?: number;
  /** The aggregator has carried out the request. */
  readonly replyLost?: number;
  readonly cut?: number;
  /** An entry of a listing is malformed. */
  readonly malformedEntry?: number;
  /** A listing has one more entry, with names that no request can hold. */
  readonly malformedName?: number;
  /** A listing has one more entry, named by a key of the watchdog in one of many spellings. */
  readonly echoedKey?: number;
  /** How many new names a listing has, different ones each time. */
  readonly flooded?: number;
  /** The second half of a listing is left out, and nothing says so. */
  readonly shortened?: number;
};
