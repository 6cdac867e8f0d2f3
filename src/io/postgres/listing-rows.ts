import type { Change } from "../../domain/step.ts";
import type { WatchEntry, WatchRow } from "../../domain/watch.ts";

/**
 * The last listings of files and of lists over HTTP. Each unit keeps of a listing only what it watches itself, under a
 * key that all have; the rows of all units together are the whole.
 */
export type ListingRows = {
  /** Whether the row is one of them. It is kept then, for `whole`. */
  readonly take: (row: Change) => boolean;
  readonly whole: () => readonly Change[];
  /** What of each the unit keeps for which `isOurs` holds. */
  readonly part: (isOurs: (entry: WatchEntry) => boolean) => readonly Change[];
};

type Listing = Extract<WatchRow, { type: "listing" }>;

export function createListingRows(): ListingRows {
  const rows = new Map<
    string,
    { row: Change; listing: Listing; entries: Map<string, WatchEntry> }
  >();
  const part: ListingRows["part"] = (isOurs) =>
    [...rows.values()].map(({ row, listing, entries }) => ({
      ...row,
      value: { ...listing, entries: [...entries.values()].filter(isOurs) },
    }));
  return {
    take: (row) => {
      const listing = row.table === "watch" ? (row.value as WatchRow) : undefined;
      if (listing?.type !== "listing") return false;
      const known = rows.get(row.key) ?? { row, listing, entries: new Map<string, WatchEntry>() };
      rows.set(row.key, known);
      for (const entry of listing.entries)
        known.entries.set(`${entry.kind} ${entry.target}`, entry);
      return true;
    },
    whole: () => part(() => true),
    part,
  };
}
