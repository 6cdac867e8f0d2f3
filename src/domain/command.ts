import type { Scope } from "./hold.ts";
import type { Instant, Millis } from "./time.ts";
import type { OperatorEntry, WatchEntry } from "./watch.ts";

/** What an operator, or the shell on an operator's behalf, may ask for. */
export type Command =
  | { readonly name: "kill"; readonly source: KillSource }
  | { readonly name: "unkill"; readonly source: KillSource }
  /** `digest`: of what the approver was shown; without it nothing is approved. */
  | { readonly name: "approve"; readonly proposal: string; readonly digest: string | undefined }
  | { readonly name: "deny"; readonly proposal: string }
  /** A hold with the same id is replaced: the next occurrence of a maintenance window. */
  | ({ readonly name: "hold"; readonly id?: string } & Override)
  | { readonly name: "release"; readonly hold: string }
  /** A unit of senders has copies of the silences of `home`, under the same ids. */
  | ({ readonly name: "silence"; readonly id?: string } & Override)
  /** `copied`: a unit of senders ends what `home` has ended. */
  | { readonly name: "unsilence"; readonly silence: string; readonly copied?: true }
  /** Ends the quarantine of an entity, by its key. */
  | { readonly name: "release_quarantine"; readonly entity: string }
  /**
   * An entry of a watch list, kept until it is removed. `elsewhere`: what operators added in other units and has one of
   * its names.
   */
  | {
      readonly name: "watch";
      readonly aggregator: string;
      readonly entry: WatchEntry;
      readonly elsewhere?: readonly OperatorEntry[];
    }
  | { readonly name: "unwatch"; readonly aggregator: string; readonly entry: WatchEntry };

type Override = {
  readonly scope: Scope;
  readonly until: Instant;
  /**
   * How long from when it is done, if that was asked for: the clock of the replica that took the command may be wrong.
   * An earlier version goes by `until`.
   */
  readonly forMs?: Millis;
  /** Counted over all units by the replica that took the command; if left out, the unit that applies it counts. */
  readonly covered?: Covered;
};

/** How much a hold or a silence covers now. */
export type Covered = { readonly entities: number; readonly alerts: number };

/** Each source is released separately: removing the file does not release what the API has switched on. */
export const KILL_SOURCES = ["operator", "file", "journal", "bug"] as const;
export type KillSource = (typeof KILL_SOURCES)[number];

/** Whether it was applied, and what was done or why not. */
export type CommandOutcome = {
  readonly accepted: boolean;
  readonly detail: string;
  /** Its subject, if that is known only once it is applied: the id of what was created. */
  readonly subject?: string;
  /** If its subject is a proposal: the rule and the key of the entity. */
  readonly rule?: string;
  readonly entity?: string;
};

/** An outcome whose subject is known. */
export type AppliedCommand = CommandOutcome & { readonly subject: string };
