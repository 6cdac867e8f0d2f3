import type { Command, CommandOutcome } from "../../domain/command.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import {
  MOST_ADDED,
  MOST_WATCHED,
  type WatchEntry,
  type WatchKind,
  type WatchListing,
  type WatchPolicy,
  type WatchRow,
} from "../../domain/watch.ts";
import { put, remove, type Draft } from "../draft.ts";
import type { State } from "../state.ts";
import { aliasKey, entryProblems, mergeWatch, watchKey, type MergedWatch } from "./watch-list.ts";

/** Entries of operators: decided here, kept in the journal, watched from the next policy on. */

type Watched = Extract<Command, { name: "watch" }>;
type Asked = Watched | Extract<Command, { name: "unwatch" }>;

/** All sources of an aggregator's watch list, in the order of precedence. */
export function listingsOf(
  watch: WatchPolicy,
  rows: ReadonlyMap<string, WatchRow>,
  aggregator: string,
): readonly WatchListing[] {
  const added: WatchListing = {
    source: "api",
    name: "",
    entries: operatorEntries(rows, aggregator),
  };
  return [...(watch.given.get(aggregator) ?? []), added];
}

/** The entries that operators have added to an aggregator's watch list. */
export function operatorEntries(
  rows: ReadonlyMap<string, WatchRow>,
  aggregator: string,
): readonly WatchEntry[] {
  return [...rows.values()].flatMap((row): WatchEntry[] => {
    if (row.type !== "entry" || row.aggregator !== aggregator) return [];
    const { kind, target, alias } = row;
    return [{ kind, target, ...(alias === undefined ? {} : { alias }) }];
  });
}

/** The merged list of an aggregator, as it is in force. */
export function watchedOf(watch: WatchPolicy, state: State, aggregator: string): MergedWatch {
  return mergeWatch(watch.kinds, listingsOf(watch, state.tables.watch, aggregator));
}

function entryKey(aggregator: string, key: string): string {
  return `${aggregator}/${key}`;
}

/** Puts one entry on the list, or gives the reason why not. */
export function addWatched(
  draft: Draft,
  command: Watched,
  by: string,
  reason: string,
): CommandOutcome {
  const { aggregator, entry } = command;
  const checked = check(draft, command);
  if (!checked.ok) return refuse(checked.problem);
  const { watch, kind } = checked.value;
  const key = watchKey(kind, entry.target);
  const merged = watchedOf(watch, draft.state, aggregator);
  const known = merged.entries.get(key);
  if (known !== undefined && known.source !== "api") {
    return refuse(`${known.kind} ${known.target} is watched already, by ${list(known.origins)}`);
  }
  if (known === undefined && merged.entries.size >= MOST_WATCHED) {
    return refuse(`${MOST_WATCHED} entries are watched, and more cannot be`);
  }
  const ownRow = entryKey(aggregator, key);
  const rows = draft.state.tables.watch;
  const nameProblem = takenName(merged, command, key);
  if (nameProblem !== undefined) return refuse(nameProblem);
  const isFirst = ![...merged.entries.values()].some((one) => one.kind === kind.kind);
  if (kind.noneIsAll === true && isFirst) {
    return refuse(
      `every ${kind.kind} that is listed is watched now; a first entry would narrow that to one. Write it into the config, if that is meant`,
    );
  }
  const added = [...rows.values()].filter((row) => row.type === "entry").length;
  if (!rows.has(ownRow) && added >= MOST_ADDED) {
    return refuse(`${MOST_ADDED} entries are the most here; write longer lists into a file`);
  }
  put(draft, "watch", ownRow, { type: "entry", aggregator, ...entry, by, reason, at: draft.at });
  const name = entry.alias === undefined ? "" : ` (${entry.alias})`;
  return {
    accepted: true,
    subject: ownRow,
    detail: `${kind.kind} ${entry.target}${name} is watched`,
  };
}

/** Why an alias or a target cannot be added, as it is the alias of another target; in another unit, too. */
function takenName(
  { holders }: MergedWatch,
  { aggregator, entry, elsewhere = [] }: Watched,
  key: string,
): string | undefined {
  const { kind, target, alias } = entry;
  const holderOf = (name: string): string | undefined => {
    const here = holders.get(aliasKey(kind, name));
    if (here !== undefined) return here.key === key ? undefined : here.target;
    const others = elsewhere.filter((one) => one.aggregator === aggregator && one.kind === kind);
    return others.find((one) => one.alias === name)?.target;
  };
  const namesake = alias === undefined ? undefined : holderOf(alias);
  if (namesake !== undefined) return `the alias "${alias}" is that of ${namesake} already`;
  const meant = holderOf(target);
  return meant && `${target} is the alias of ${meant}, which is watched already`;
}

/** Takes an entry of an operator off the list; what another source lists can only be removed there. */
export function removeWatched(draft: Draft, command: Asked): CommandOutcome {
  const { aggregator, entry } = command;
  const checked = check(draft, command);
  if (!checked.ok) return refuse(checked.problem);
  const { watch, kind } = checked.value;
  const key = watchKey(kind, entry.target);
  const known = watchedOf(watch, draft.state, aggregator).entries.get(key);
  const ownRow = entryKey(aggregator, key);
  const elsewhere = known?.origins.filter((origin) => origin !== "api") ?? [];
  if (!remove(draft, "watch", ownRow)) {
    if (elsewhere.length === 0) return refuse(`${kind.kind} ${entry.target} is not watched`);
    return refuse(
      `${kind.kind} ${entry.target} is listed by ${list(elsewhere)}, and can only be removed there`,
    );
  }
  const still = elsewhere.length === 0 ? "" : `; it still is, by ${list(elsewhere)}`;
  return {
    accepted: true,
    subject: ownRow,
    detail: `${kind.kind} ${entry.target} is not watched by the API any more${still}`,
  };
}

function check(
  { policy: { watch, aggregators } }: Draft,
  { name, aggregator, entry }: Asked,
): Result<{ readonly watch: WatchPolicy; readonly kind: WatchKind }, string> {
  if (watch === undefined) return fail("no watch list can be changed");
  const names = aggregators.map((one) => one.name);
  // It was left out, and is not known from there being only one.
  if (aggregator === "" && names.length > 1)
    return fail(`there are several (${list(names)}); say which`);
  if (!names.includes(aggregator))
    return fail(`there is no aggregator "${aggregator}" (${list(names)})`);
  const kind = watch.kinds.get(entry.kind);
  // An entry that an earlier version accepted, or that is misspelt, can be taken off if it is there.
  const problems = entryProblems(watch.kinds, entry).filter(
    ({ at }) => name === "watch" || at === "kind",
  );
  return problems.length > 0 || kind === undefined
    ? fail(problems.map(({ at, message }) => `${at}: ${message}`).join("; "))
    : succeed({ watch, kind });
}

function refuse(detail: string): CommandOutcome {
  return { accepted: false, detail };
}

function list(texts: readonly string[]): string {
  return texts.join(", ");
}
