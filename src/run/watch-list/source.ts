import { createHash } from "node:crypto";
import { renderProblem, type Problem } from "../../config/problem.ts";
import type { Result } from "../../domain/result.ts";
import type { Instant } from "../../domain/time.ts";
import type { WatchEntry, WatchListing, WatchSourceState } from "../../domain/watch.ts";
import type { WatchPart } from "../setup.ts";

/** Gives entries to the watch list of one aggregator. */
export type WatchListSource = {
  /** Its lists, each with what it gave last. */
  readonly lists: () => readonly WatchSourceState[];
  /** Reads what takes no waiting. */
  readonly read?: () => void;
  /** Follows changes and reports each, until the function that it returns is called. */
  readonly start?: (onChange: () => void) => () => void;
};

/** A file or a list over HTTP. */
export type FetchedList = WatchSourceState & {
  /** A digest of what was fetched last, so that the same is not read twice. */
  content?: string | undefined;
};

/** What is watched here of the entries that a list gives. */
export function partOf(
  entries: readonly WatchEntry[],
  { watches, sharesNames }: WatchPart = { watches: () => true },
): Pick<WatchListing, "entries" | "withOthers"> {
  const own = entries.filter(watches);
  if (sharesNames === undefined) return { entries: own };
  const isNamed = (entry: WatchEntry): boolean => entry.alias !== undefined && sharesNames(entry);
  return { entries: own, withOthers: entries.filter((one) => watches(one) || isNamed(one)) };
}

/** All or nothing: content that cannot be read leaves the entries before in force. */
export function takeContent(
  list: FetchedList,
  content: Result<string, string>,
  now: Instant,
  read: (text: string) => Result<readonly WatchEntry[], ReadonlyArray<Problem | string>>,
  part?: WatchPart,
): void {
  const digest = digestOf(content);
  const isSame = digest === list.content;
  if (isSame && list.problem === undefined) list.successAt = now;
  if (isSame) return;
  list.content = digest;
  const entries = content.ok ? read(content.value) : { ...content, problem: [content.problem] };
  if (entries.ok) {
    Object.assign(list, partOf(entries.value, part));
    list.successAt = now;
    delete list.problem;
  } else list.problem = entries.problem.map(textOf).join("\n");
}

function digestOf(content: Result<string, string>): string {
  const text = content.ok ? `+${content.value}` : `-${content.problem}`;
  return createHash("sha256").update(text).digest("base64");
}

function textOf(problem: Problem | string): string {
  return typeof problem === "string" ? problem : renderProblem(problem);
}
