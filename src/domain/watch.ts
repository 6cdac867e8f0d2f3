import type { Instant, Millis } from "./time.ts";

/**
 * Watch lists: which senders, orders and pools are requested, one by one. An entry is one of them. The
 * lists of all sources are merged into one; the interface itself lists none of these.
 */

export type WatchEntry = {
  /** One of the watch kinds: `sender`, `liquidation`, `pool`. */
  readonly kind: string;
  /** What is asked for: an address, an order's id, `factory/pair`. */
  readonly target: string;
  /** The name in labels and messages. */
  readonly alias?: string;
};

/** Sources of entries, in the order of precedence: if two disagree, the earlier one is right. */
export const WATCH_SOURCES = ["config", "file", "http", "api"] as const;
export type WatchSource = (typeof WATCH_SOURCES)[number];

/** The entries of one source, as it gave them last. */
export type WatchListing = {
  readonly source: WatchSource;
  /** Which file, which list over HTTP; empty if there is just one of its kind. */
  readonly name: string;
  readonly entries: readonly WatchEntry[];
  /**
   * The same in the order of the list, with the named entries that other units watch, as an alias is of one target in
   * all units; left out if no other unit watches entries of these kinds.
   */
  readonly withOthers?: readonly WatchEntry[];
};

/** What can be watched by entry: one row of a table, beside the poller that asks. */
export type WatchKind = {
  readonly kind: string;
  /** One phrase for the docs, with an example of a target. */
  readonly means: string;
  readonly poller: string;
  /** Two targets with the same key are one entry. */
  readonly keyOf: (target: string) => string;
  /** Why a text is not a target of this kind; undefined if it is one. */
  readonly problemOf: (target: string) => string | undefined;
  /** It has no alias: its own name is its label. */
  readonly unnamed?: true;
  /** With no entry at all, everything that is listed is watched. */
  readonly noneIsAll?: true;
};

/** An entry that an operator added. */
export type OperatorEntry = {
  readonly type: "entry";
  readonly aggregator: string;
  readonly by: string;
  readonly reason: string;
  readonly at: Instant;
} & WatchEntry;

/** A row of the state table `watch`. */
export type WatchRow =
  | OperatorEntry
  /** What a file or a list over HTTP gave last, so that a start without it does not forget it. */
  | ({
      readonly type: "listing";
      readonly aggregator: string;
      readonly at: Instant;
    } & WatchListing);

/** An entry of the merged list. */
export type MergedEntry = WatchEntry & {
  readonly key: string;
  /** Every source that lists it, in the order of precedence, as `file watch/desks.yaml`. */
  readonly origins: readonly string[];
  readonly source: WatchSource;
};

/** The watch lists that a policy is made with. */
export type WatchPolicy = {
  readonly kinds: ReadonlyMap<string, WatchKind>;
  /** What the sources give, without the API's entries, by aggregator and in the order of precedence. */
  readonly given: ReadonlyMap<string, readonly WatchListing[]>;
};

/** A list of a source: what it gave last, and how it is now. */
export type WatchSourceState = {
  readonly source: WatchSource;
  readonly name: string;
  /** As last read without a problem; undefined if it never was. */
  entries: readonly WatchEntry[] | undefined;
  withOthers?: readonly WatchEntry[];
  /** When it was last read without a problem; undefined if this process has not. */
  successAt?: Instant;
  /** Why what it gives now is not in force. */
  problem?: string;
};

/** The merged watch list of an aggregator, and how its sources are. */
export type WatchReading = {
  readonly aggregator: string;
  readonly entries: readonly MergedEntry[];
  /** The files and the lists over HTTP. */
  readonly sources: readonly WatchSourceState[];
  readonly conflicts: readonly string[];
  /** How each poller's sweep fits its schedule. */
  readonly sweeps: readonly SweepReading[];
};

/** The least that a whole poll takes, and how often it is to be made. */
export type SweepReading = {
  readonly poller: string;
  readonly requests: number;
  readonly leastMs: Millis;
  readonly intervalMs: Millis;
};

/** As people read it: `file watch/desks.yaml`, `config`. */
export function originText({ source, name }: Pick<WatchListing, "source" | "name">): string {
  return name === "" ? source : `${source} ${name}`;
}

/** More entries than this, over all kinds and sources of an aggregator, are not watched: 100 000 senders, and as much else. */
export const MOST_WATCHED = 200_000;
/** The longest list of entries in JSON, in characters: so many entries, each with an alias of its own. */
export const LONGEST_LIST = 24_000_000;
/** More than this are not added through the API: what is so long belongs into a file. */
export const MOST_ADDED = 1_000;
/** The longest target and alias. */
export const LONGEST_TARGET = 200;
export const LONGEST_ALIAS = 100;
