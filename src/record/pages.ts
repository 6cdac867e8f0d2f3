import { MINUTE, type Instant, type Millis } from "../domain/time.ts";
import type { Page } from "../io/journal/record-pages.ts";
import { isUnchanged, timed, type Entry } from "./entry.ts";

/** Entries come together to pages, which wait for a commit. */
export type Pages = {
  /** Adds an entry, whose `dt` is set here. An urgent one waits for no others. */
  readonly add: (at: Instant, urgent: boolean, entry: Entry) => void;
  /** The next entry is the first of a chapter. */
  readonly begin: (at: Instant) => void;
  /** The chapter under way; undefined if there is none, or what it had was lost. */
  readonly chapter: () => Chapter | undefined;
  /** The pages that are to be in the next commit; with `all`, also what could still wait. */
  readonly due: (at: Instant, all?: "all") => readonly Page[];
  /** Those that were due last are on disk. */
  readonly written: () => void;
  /** What waited was too much, and nothing was written since: there is no use in more. */
  readonly isLost: () => boolean;
};

/** `length`: in characters, without the pieces of listings, which the next chapter would have too. */
export type Chapter = { readonly at: Instant; readonly length: number };

/** How long unchanged polls wait for a commit. */
const LONGEST_WAIT: Millis = MINUTE;
/** What a commit did not take waits for the next one, so many characters of it; then it is lost. */
export const MOST_WAITING = 4_000_000;

/** The page under way. */
type OpenPage = {
  readonly at: Instant;
  until: Instant;
  readonly whole: boolean;
  urgent: boolean;
  readonly entries: Entry[];
};

/** `onLost` is called once for each gap that this leaves in the record. */
export function createPages(onLost: () => void): Pages {
  let ready: Page[] = [];
  /** So many of them were due last. */
  let given = 0;
  /** Characters of the ready pages, and of those that a commit should have taken already. */
  let waiting = 0;
  let refused = 0;
  let isLost = false;
  let open: OpenPage | undefined;
  let chapter: { readonly at: Instant; length: number } | undefined;

  function close(isPiece = false): void {
    if (open === undefined || open.entries.length === 0) return;
    const { at, until, whole } = open;
    const body = JSON.stringify(open.entries);
    ready.push({ at, until, whole, body });
    waiting += body.length;
    if (chapter !== undefined && !isPiece) chapter.length += body.length;
    open = undefined;
  }

  function drop(count: number): void {
    for (const { body } of ready.splice(0, count)) waiting -= body.length;
    refused = 0;
    isLost = false;
  }

  return {
    add: (at, urgent, entry) => {
      open ??= { at, until: at, whole: false, urgent: false, entries: [] };
      open.entries.push(timed(entry, at - open.until));
      open.until = at;
      open.urgent ||= urgent;
      // So each page is bounded, however long a listing is.
      if (!isUnchanged(entry) && entry.t === "piece") close(true);
    },
    begin: (at) => {
      close();
      chapter = { at, length: 0 };
      open = { at, until: at, whole: true, urgent: true, entries: [] };
    },
    chapter: () => chapter,
    due: (at, all) => {
      const isDue = open !== undefined && (open.urgent || at - open.at >= LONGEST_WAIT);
      if (isDue || all === "all") close();
      if (refused > MOST_WAITING) {
        drop(ready.length);
        open = undefined;
        chapter = undefined;
        isLost = true;
        onLost();
      }
      refused = waiting;
      given = ready.length;
      return [...ready];
    },
    written: () => drop(given),
    isLost: () => isLost,
  };
}
