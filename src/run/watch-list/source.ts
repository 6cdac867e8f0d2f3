import { renderProblem, type Problem } from "../../config/problem.ts";
import type { Result } from "../../domain/result.ts";
import type { Instant } from "../../domain/time.ts";
import type { WatchEntry, WatchSourceState } from "../../domain/watch.ts";

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
  /** What was fetched last, so that the same is not read twice. */
  content?: Result<string, string> | undefined;
};

/** All or nothing: content that cannot be read leaves the entries before in force. */
export function takeContent(
  list: FetchedList,
  content: Result<string, string>,
  now: Instant,
  read: (text: string) => Result<readonly WatchEntry[], ReadonlyArray<Problem | string>>,
): void {
  const isSame = list.content !== undefined && isSameContent(content, list.content);
  if (isSame && list.problem === undefined) list.successAt = now;
  if (isSame) return;
  list.content = content;
  const entries = content.ok ? read(content.value) : { ...content, problem: [content.problem] };
  if (entries.ok) {
    list.entries = entries.value;
    list.successAt = now;
    delete list.problem;
  } else list.problem = entries.problem.map(textOf).join("\n");
}

function isSameContent(one: Result<string, string>, other: Result<string, string>): boolean {
  if (one.ok) return other.ok && one.value === other.value;
  return !other.ok && one.problem === other.problem;
}

function textOf(problem: Problem | string): string {
  return typeof problem === "string" ? problem : renderProblem(problem);
}
