import { MINUTE, type Instant, type Millis } from "../domain/time.ts";
import type { Page } from "../io/journal/record-pages.ts";
import { timed, type Entry } from "./entry.ts";

/** Entries come together to pages, which wait for a commit. */
export type Pages = {
  /** Adds an entry, whose `dt` is set here. An urgent one waits for no others. */
  readonly add: (at: Instant, urgent: boolean, entry: Entry) => void;
  /** The next entry is the first of a chapter. */
  readonly begin: (at: Instant) => void;
  /** The chapter under way; undefined if there is none, or what it had was lost. */
  readonly chapter: () => { readonly at: Instant; readonly length: number } | undefined;
  /** The pages that are to be in the next commit; with `all`, also what could still wait. */
  readonly due: (at: Instant, all?: "all") => readonly Page[];
  /** They are on disk. */
  readonly written: () => void;
};

/** How long unchanged polls wait for a commit. */
const LONGEST_WAIT: Millis = MINUTE;
/** What waits for a journal that cannot be written, in characters; then it is lost. */
const MOST_WAITING = 4_000_000;

/** The page under way. */
type OpenPage = {
  readonly at: Instant;
  until: Instant;
  readonly whole: boolean;
  urgent: boolean;
  readonly entries: Entry[];
};

export function createPages(): Pages {
  let ready: Page[] = [];
  let waiting = 0;
  let open: OpenPage | undefined;
  let chapter: { readonly at: Instant; length: number } | undefined;

  function close(): void {
    if (open === undefined || open.entries.length === 0) return;
    const { at, until, whole } = open;
    const body = JSON.stringify(open.entries);
    ready.push({ at, until, whole, body });
    waiting += body.length;
    if (chapter !== undefined) chapter.length += body.length;
    open = undefined;
  }

  function written(): void {
    ready = [];
    waiting = 0;
  }

  return {
    add: (at, urgent, entry) => {
      open ??= { at, until: at, whole: false, urgent: false, entries: [] };
      open.entries.push(timed(entry, at - open.until));
      open.until = at;
      open.urgent ||= urgent;
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
      if (waiting > MOST_WAITING) {
        written();
        chapter = undefined;
      }
      return ready;
    },
    written,
  };
}
