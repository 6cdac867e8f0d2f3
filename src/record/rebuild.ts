import type { ActionName, ActionReply } from "../domain/action.ts";
import type { EntityId, KindDefinition } from "../domain/entity.ts";
import type { Observation } from "../domain/observation.ts";
import type { Event, Policy } from "../domain/step.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { StoredPage } from "../io/journal/record-pages.ts";
import { readEntries } from "./read-entries.ts";
import type { Entry, OpeningReason, Unchanged } from "./entry.ts";
import { createKnownFacts, type KnownFacts } from "./known-facts.ts";
import { newSource, observedAgain, observedAnew, type SourceNow } from "./reread.ts";
import { unpackWatched, type WatchedThen } from "./watched.ts";

type Watched = Policy["aggregators"];

/** What a record tells, in its order. */
export type Recorded =
  /** A chapter begins: but for `day`, nobody knows what happened since `lastAt`. */
  | {
      readonly type: "opened";
      readonly at: Instant;
      readonly why: OpeningReason | "lost";
      readonly lastAt: Instant | undefined;
      readonly watched: Watched;
    }
  | { readonly type: "event"; readonly at: Instant; readonly event: Event }
  | { readonly type: "watched"; readonly at: Instant; readonly watched: Watched }
  | {
      readonly type: "sent";
      readonly at: Instant;
      readonly action: ActionName;
      readonly entity: EntityId;
    }
  | {
      readonly type: "acted";
      readonly at: Instant;
      readonly action: ActionName;
      readonly entity: EntityId;
      readonly reply: ActionReply;
    };

/** What cannot be read of a record, as text for people; each is told once. */
export type Complain = (problem: string) => void;

type Page = StoredPage | { readonly seq: number; readonly problem: string };

/**
 * Makes events of a record's pages. After a page that is missing or damaged nothing is told until the
 * next chapter, as what follows says only how it differs.
 */
export function* rebuild(
  pages: Iterable<Page>,
  kinds: ReadonlyMap<string, KindDefinition>,
  complain: Complain,
): Generator<Recorded> {
  const facts = createKnownFacts(kinds, complain);
  let chapter: Chapter | undefined;
  let last: { readonly seq: number; readonly until: Instant } | undefined;
  let isLost = false;
  for (const page of pages) {
    const entries = "problem" in page ? page : readEntries(page.body);
    if ("problem" in entries) complain(`page ${page.seq} of the record: ${entries.problem}`);
    const follows = last === undefined || page.seq === last.seq + 1;
    if ("problem" in entries || "problem" in page || (!page.whole && !follows)) {
      if (chapter !== undefined && !follows) complain(`the pages before ${page.seq} are missing`);
      chapter = undefined;
      isLost = true;
      last = { seq: page.seq, until: last?.until ?? 0 };
      continue;
    }
    if (page.whole) chapter = newChapter();
    if (chapter !== undefined) {
      let { at } = page;
      for (const entry of entries) {
        at += Array.isArray(entry) ? entry[1] : (entry as { dt: Millis }).dt;
        yield* tell(chapter, entry, at, { facts, isLost, lastAt: last?.until });
      }
      isLost = false;
      last = { seq: page.seq, until: page.until };
    } else last = { seq: page.seq, until: last?.until ?? 0 };
  }
}

type Chapter = { readonly sources: Map<number, SourceNow>; watched: Watched };

function newChapter(): Chapter {
  return { sources: new Map(), watched: [] };
}

type Telling = {
  readonly facts: KnownFacts;
  readonly isLost: boolean;
  readonly lastAt: Instant | undefined;
};

function* tell(
  chapter: Chapter,
  entry: Entry,
  at: Instant,
  { facts, isLost, lastAt }: Telling,
): Generator<Recorded> {
  if (isUnchanged(entry)) {
    const [number, , lag] = entry;
    const source = chapter.sources.get(number);
    if (source !== undefined) yield observed(observedAgain(source, at, lag), at);
    return;
  }
  switch (entry.t) {
    case "open": {
      const watched = takeWatched(chapter, entry.watched);
      yield { type: "opened", at, why: isLost ? "lost" : entry.why, lastAt, watched };
      return;
    }
    case "source":
      chapter.sources.set(entry.n, newSource(entry.aggregator, entry.poller));
      return;
    case "read": {
      const source = chapter.sources.get(entry.s);
      if (source !== undefined) yield observed(observedAnew(source, entry, at, facts), at);
      return;
    }
    case "tick":
      yield { type: "event", at, event: { type: "tick" } };
      return;
    case "sent":
      yield { type: "sent", at, action: entry.action, entity: entry.entity };
      return;
    case "acted": {
      const { action, entity, outcome, detail } = entry;
      yield { type: "acted", at, action, entity, reply: { outcome, detail } };
      return;
    }
    case "command": {
      const { by, reason, command } = entry;
      yield { type: "event", at, event: { type: "command", by, reason, command } };
      return;
    }
    case "policy": {
      yield { type: "watched", at, watched: takeWatched(chapter, entry.watched) };
      const { moved } = entry;
      const event = { type: "policy_changed", rulesBefore: new Map(), moved } as const;
      yield { type: "event", at, event };
      return;
    }
    case "watch":
      yield { type: "watched", at, watched: takeWatched(chapter, entry.watched) };
      yield { type: "event", at, event: { type: "watch_changed", listed: [] } };
  }
}

function takeWatched(chapter: Chapter, then: WatchedThen): Watched {
  chapter.watched = unpackWatched(then, chapter.watched);
  return chapter.watched;
}

function observed(observation: Observation, at: Instant): Recorded {
  return { type: "event", at, event: { type: "observed", observation } };
}

function isUnchanged(entry: Entry): entry is Unchanged {
  return Array.isArray(entry);
}
