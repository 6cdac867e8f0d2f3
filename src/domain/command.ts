import type { Scope } from "./hold.ts";
import type { Instant } from "./time.ts";
import type { WatchEntry } from "./watch.ts";

/** What an operator, or the shell on an operator's behalf, may ask for. */
export type Command =
  | { readonly name: "kill"; readonly source: KillSource }
  | { readonly name: "unkill"; readonly source: KillSource }
  /** `digest`: of what was shown to who approves; without it nothing is approved. */
  | { readonly name: "approve"; readonly proposal: string; readonly digest: string | undefined }
  | { readonly name: "deny"; readonly proposal: string }
  /** The same id again replaces the hold: a maintenance window's next turn. */
  | ({ readonly name: "hold"; readonly id?: string } & Override)
  | { readonly name: "release"; readonly hold: string }
  /** A unit of senders has the silences of `home`, under their ids. */
  | ({ readonly name: "silence"; readonly id?: string } & Override)
  /** `copied`: a unit of senders ends what `home` has ended. */
  | { readonly name: "unsilence"; readonly silence: string; readonly copied?: true }
  /** Ends the quarantine of an entity, by its key. */
  | { readonly name: "release_quarantine"; readonly entity: string }
  /** An entry of a watch list, kept until it is taken off again. */
  | { readonly name: "watch"; readonly aggregator: string; readonly entry: WatchEntry }
  | { readonly name: "unwatch"; readonly aggregator: string; readonly entry: WatchEntry };

type Override = {
  readonly scope: Scope;
  readonly until: Instant;
  /** Counted over all units by the replica that was asked; without it, what the unit that applies it knows is counted. */
  readonly covered?: Covered;
};

/** How much a hold or a silence covers just now. */
export type Covered = { readonly entities: number; readonly alerts: number };

/** Each source is released on its own: removing the file does not release what the API has switched on. */
export const KILL_SOURCES = ["operator", "file", "journal", "bug"] as const;
export type KillSource = (typeof KILL_SOURCES)[number];

/** If it was applied, and what was done, or why not. */
export type CommandOutcome = {
  readonly accepted: boolean;
  readonly detail: string;
  /** What it was about, if that is known only once it is applied: the id of what was made. */
  readonly subject?: string;
};
