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
  /** What could still wait is due now: resolves once it is on disk. Undefined: nothing waits. */
  readonly hurry: () => Promise<void> | undefined;
  /** What waited was too much, and nothing was written since: there is no use in more. */
  readonly isLost: () => boolean;
};

/** `length`: in characters, without the pieces of listings, which the next chapter would have too. */
type Chapter = { readonly at: Instant; readonly length: number };

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
  const ready = createReady();
  let isLost = false;
  let open: OpenPage | undefined;
  let chapter: { readonly at: Instant; length: number } | undefined;

  function close(isPiece = false): void {
    if (open === undefined || open.entries.length === 0) return;
    const { at, until, whole } = open;
    const body = JSON.stringify(open.entries);
    ready.add({ at, until, whole, body });
    if (chapter !== undefined && !isPiece) chapter.length += body.length;
    open = undefined;
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
      if (ready.isTooMuch()) {
        ready.drop();
        open = undefined;
        chapter = undefined;
        isLost = true;
        onLost();
      }
      return ready.take();
    },
    written: () => {
      isLost = false;
      ready.written(open?.urgent !== true);
    },
    hurry: () => {
      if (open !== undefined && open.entries.length > 0) open.urgent = true;
      return open?.urgent === true || !ready.isEmpty() ? ready.whenWritten() : undefined;
    },
    isLost: () => isLost,
  };
}

/** Pages that wait for a commit to take them. */
function createReady() {
  const pages: Page[] = [];
  /** So many of them were due last. */
  let given = 0;
  /** Characters of the pages, and of those that a commit should have taken already. */
  let waiting = 0;
  let refused = 0;
  let awaited: PromiseWithResolvers<void> | undefined;

  function drop(count: number): void {
    for (const { body } of pages.splice(0, count)) waiting -= body.length;
    refused = 0;
  }

  return {
    add: (page: Page): void => {
      pages.push(page);
      waiting += page.body.length;
    },
    take: (): readonly Page[] => {
      refused = waiting;
      given = pages.length;
      return [...pages];
    },
    /** `isAll`: nothing else is to be written now. */
    written: (isAll: boolean): void => {
      drop(given);
      if (!isAll || pages.length > 0) return;
      awaited?.resolve();
      awaited = undefined;
    },
    whenWritten: (): Promise<void> => (awaited ??= Promise.withResolvers()).promise,
    drop: (): void => drop(pages.length),
    isTooMuch: (): boolean => refused > MOST_WAITING,
    isEmpty: (): boolean => pages.length === 0,
  };
}
