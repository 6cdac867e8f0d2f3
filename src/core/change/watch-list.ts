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
  /** Whose each alias is, also in other units, by `aliasKey`. */
  readonly holders: ReadonlyMap<string, AliasHolder>;
  /** One sentence each. What disagrees is watched all the same, under the earlier source's name. */
  readonly conflicts: readonly string[];
};

type AliasHolder = { readonly key: string; readonly target: string };

type Kinds = ReadonlyMap<string, WatchKind>;

/** One text for what an entry is about. Only the target may contain a slash. */
export function watchKey(kind: WatchKind, target: string): string {
  return `${kind.kind}/${kind.keyOf(target)}`;
}

export function aliasKey(kind: string, alias: string): string {
  return `${kind}/${alias}`;
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

type EntryProblem = { readonly at: "kind" | "target" | "alias"; readonly message: string };

function lineProblem(text: string, longest: number): string | undefined {
  if (text.trim() === "") return "must not be empty";
  if (text !== text.trim()) return "must not begin or end with a space";
  if (text.length > longest) return `must not be longer than ${longest} characters`;
  return STEERING.test(text) ? "must be one line without control characters" : undefined;
}

/**
 * Merges listings that are in the order of precedence. The same target is one entry, with the first
 * alias that was given. An alias that two targets claim stays with the first: two senders under one
 * name would be one series in a metric. Of what other units watch only the aliases count here, and
 * what disagrees is told there.
 */
export function mergeWatch(kinds: Kinds, listings: readonly WatchListing[]): MergedWatch {
  const entries = new Map<string, MergedEntry>();
  const names = createNames();
  const conflicts: string[] = [];
  let left = 0;
  for (const listing of listings) {
    const origin = originText(listing);
    const { entries: own, withOthers = own } = listing;
    const ours = withOthers === own ? undefined : new Set(own);
    for (const entry of withOthers) {
      const kind = kinds.get(entry.kind);
      if (kind === undefined) continue;
      const key = watchKey(kind, entry.target);
      if (ours?.has(entry) === false) {
        names.claim(key, entry);
        continue;
      }
      const known = entries.get(key);
      if (known === undefined && entries.size >= MOST_WATCHED) {
        left += 1;
        continue;
      }
      const { alias, problem } = names.claim(key, entry, known?.origins[0]);
      if (problem !== undefined) conflicts.push(`${origin}: ${problem}`);
      entries.set(key, {
        kind: kind.kind,
        target: known?.target ?? entry.target,
        ...(alias === undefined ? {} : { alias }),
        key,
        origins: known === undefined ? [origin] : [...new Set([...known.origins, origin])],
        source: known?.source ?? listing.source,
      });
    }
  }
  if (left > 0) {
    conflicts.unshift(`${left} entries are not watched: ${MOST_WATCHED} are the most`);
  }
  return { entries, holders: names.holders, conflicts };
}

/** Gives each alias to the first that claims it, and each target the first alias that it gets. */
function createNames() {
  const holders = new Map<string, AliasHolder>();
  const aliases = new Map<string, string>();
  return {
    holders,
    /** The alias that is in force, and a sentence if that is another than the entry has. */
    claim: (
      key: string,
      { kind, target, alias }: WatchEntry,
      namedBy = "",
    ): { readonly alias?: string | undefined; readonly problem?: string } => {
      const given = aliases.get(key);
      if (alias === undefined || alias === given) return { alias: given };
      if (given !== undefined) {
        const problem = `${kind} ${target} is called "${alias}" here, and "${given}" by ${namedBy}`;
        return { alias: given, problem };
      }
      const holder = holders.get(aliasKey(kind, alias));
      if (holder !== undefined && holder.key !== key) {
        const other = holder.key.slice(kind.length + 1);
        return { problem: `the alias "${alias}" of ${kind} ${target} is that of ${other} already` };
      }
      holders.set(aliasKey(kind, alias), { key, target });
      aliases.set(key, alias);
      return { alias };
    },
  };
}
