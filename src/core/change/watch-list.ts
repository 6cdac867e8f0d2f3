import {
  LONGEST_ALIAS,
  LONGEST_TARGET,
  MOST_WATCHED,
  originText,
  type MergedEntry,
  type WatchEntry,
  type WatchKind,
  type WatchListing,
} from "../../domain/watch.ts";

/** The watch lists of all sources as one, and what they disagree about. */
export type MergedWatch = {
  readonly entries: ReadonlyMap<string, MergedEntry>;
  /** One sentence each. What disagrees is watched all the same, under the earlier source's name. */
  readonly conflicts: readonly string[];
};

type Kinds = ReadonlyMap<string, WatchKind>;

/** One text for what an entry is about. Only the target may contain a slash. */
export function watchKey(kind: WatchKind, target: string): string {
  return `${kind.kind}/${kind.keyOf(target)}`;
}

/** Text that goes into labels, logs and terminals: it must not contain control characters. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * As wallets and explorers show addresses. What else is an address is for the deployment to say: the aggregator would
 * answer of this one that it has no swaps, which looks like a quiet sender.
 */
const SHORTENED = /0x\w*(?:…|\.{2,})/i;

/** What is wrong with an entry by itself; empty if it can be watched. */
export function entryProblems(kinds: Kinds, entry: WatchEntry): readonly EntryProblem[] {
  const kind = kinds.get(entry.kind);
  if (kind === undefined) {
    const known = [...kinds.keys()].join(", ");
    return [{ at: "kind", message: `there is no kind "${entry.kind}" (${known})` }];
  }
  const problems: EntryProblem[] = [];
  const target =
    lineProblem(entry.target, LONGEST_TARGET) ??
    (SHORTENED.test(entry.target) ? "must be written whole, not shortened" : undefined) ??
    kind.problemOf(entry.target);
  if (target !== undefined) problems.push({ at: "target", message: target });
  if (entry.alias === undefined) return problems;
  const alias =
    kind.unnamed === true
      ? `a ${kind.kind} has no alias; its own name is its label`
      : lineProblem(entry.alias, LONGEST_ALIAS);
  if (alias !== undefined) problems.push({ at: "alias", message: alias });
  return problems;
}

export type EntryProblem = { readonly at: "kind" | "target" | "alias"; readonly message: string };

function lineProblem(text: string, longest: number): string | undefined {
  if (text.trim() === "") return "must not be empty";
  if (text !== text.trim()) return "must not begin or end with a space";
  if (text.length > longest) return `must not be longer than ${longest} characters`;
  return STEERING.test(text) ? "must be one line without control characters" : undefined;
}

/**
 * Merges listings that are in the order of precedence. The same target is one entry, with the first
 * alias that was given. An alias that two targets claim stays with the first: two senders under one
 * name would be one series in a metric.
 */
export function mergeWatch(kinds: Kinds, listings: readonly WatchListing[]): MergedWatch {
  const entries = new Map<string, MergedEntry>();
  const aliases = new Map<string, string>();
  const conflicts: string[] = [];
  let left = 0;
  for (const listing of listings) {
    const origin = originText(listing);
    for (const entry of listing.entries) {
      const kind = kinds.get(entry.kind);
      if (kind === undefined) continue;
      const key = watchKey(kind, entry.target);
      const known = entries.get(key);
      if (known === undefined && entries.size >= MOST_WATCHED) {
        left += 1;
        continue;
      }
      const named = known?.alias ?? claim(aliases, kind, key, entry, origin, conflicts);
      if (known?.alias !== undefined && entry.alias !== undefined && entry.alias !== known.alias) {
        conflicts.push(
          `${origin}: ${kind.kind} ${entry.target} is called "${entry.alias}" here, and "${known.alias}" by ${known.origins[0] ?? ""}`,
        );
      }
      entries.set(key, {
        kind: kind.kind,
        target: known?.target ?? entry.target,
        ...(named === undefined ? {} : { alias: named }),
        key,
        origins: known === undefined ? [origin] : [...new Set([...known.origins, origin])],
        source: known?.source ?? listing.source,
      });
    }
  }
  if (left > 0) {
    conflicts.unshift(`${left} entries are not watched: ${MOST_WATCHED} are the most`);
  }
  return { entries, conflicts };
}

/** Gives the alias if it is free, and notes its owner. */
function claim(
  aliases: Map<string, string>,
  kind: WatchKind,
  key: string,
  { alias, target }: WatchEntry,
  origin: string,
  conflicts: string[],
): string | undefined {
  if (alias === undefined) return undefined;
  const claimed = `${kind.kind}/${alias}`;
  const owner = aliases.get(claimed);
  if (owner === undefined) aliases.set(claimed, key);
  if (owner === undefined || owner === key) return alias;
  const other = owner.slice(kind.kind.length + 1);
  conflicts.push(
    `${origin}: the alias "${alias}" of ${kind.kind} ${target} is that of ${other} already`,
  );
  return undefined;
}
