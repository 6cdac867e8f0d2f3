import { watchedPoller } from "../core/policy.ts";
import type { ActionName, ActionReply } from "../domain/action.ts";
import type { EntityId, KindDefinition } from "../domain/entity.ts";
import type { Observation } from "../domain/observation.ts";
import type { Event, Policy } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";
import type { InForce } from "../io/api/past/in-force.ts";
import type { ReadPage } from "../io/journal/record-pages.ts";
import { decodeEntries } from "./decode-entries.ts";
import {
  isUnchanged,
  timeOf,
  type Acted,
  type Entry,
  type Opening,
  type OpeningReason,
  type Sent,
  type Source,
} from "./entry.ts";
import { createKnownFacts } from "./known-facts.ts";
import {
  newSource,
  observedChanged,
  observedUnchanged,
  takePiece,
  leftOut,
  type SourceNow,
  type Telling,
} from "./source-reader.ts";
import { surfacesOf, unpackWatched, type WatchedThen } from "./watched.ts";

type Watched = Policy["aggregators"];

/** What a record holds, in its order. */
export type Recorded = { readonly at: Instant } & (
  | {
      /** A chapter begins. Unless it is for `day`, what happened since `lastAt` is not known. */
      readonly type: "opened";
      readonly why: OpeningReason | "lost";
      readonly lastAt: Instant | undefined;
      readonly watched: Watched;
      /** Left out by versions that did not record it. */
      readonly inForce?: Partial<InForce>;
    }
  | { readonly type: "event"; readonly event: Event }
  | { readonly type: "watched"; readonly watched: Watched }
  /** What changed in force within a chapter; versions that did not record a part leave it out. */
  | { readonly type: "in_force"; readonly inForce: Partial<InForce> }
  /** Nothing else happened by then. It is reported of each page if just marks are asked for, as many take a while. */
  | { readonly type: "passed" }
  /** The end of what could be read: the pages after it cannot. */
  | { readonly type: "lost" }
  /** `isAwaited`: its answer follows if it came while the process lived; else only if it came before the settling. */
  | ({ readonly type: "sent"; readonly isAwaited: boolean } & ActionOn)
  | ({ readonly type: "acted"; readonly reply: ActionReply } & ActionOn)
);

/** Nothing is known between these instants. */
export type Gap = { readonly from: Instant; readonly until: Instant };

/** The gap in the record that ends with this item, if one does. */
export function gapBefore(item: Recorded): Gap | undefined {
  if (item.type !== "opened" || item.why === "day" || item.lastAt === undefined) return undefined;
  return { from: item.lastAt, until: item.at };
}

type ActionOn = { readonly action: ActionName; readonly entity: EntityId };

/**
 * Makes events of a record's pages. After a page that is missing or damaged there are none until the
 * next chapter, as what follows holds only how it differs. `report` is given each problem once.
 */
export function* rebuild(
  pages: Iterable<ReadPage>,
  kinds: ReadonlyMap<string, KindDefinition>,
  report: (problem: string) => void,
  telling: Telling = "all",
): Generator<Recorded> {
  const knownFacts = createKnownFacts(kinds, report);
  let chapter: Chapter | undefined;
  let last: { readonly seq: number; readonly until: Instant } | undefined;
  for (const page of pages) {
    const before = last;
    last = { seq: page.seq, until: before?.until ?? 0 };
    const entries = "problem" in page ? page : decodeEntries(page.body);
    if ("problem" in entries) report(`page ${page.seq} of the record: ${entries.problem}`);
    const follows = before === undefined || page.seq === before.seq + 1;
    if ("problem" in entries || "problem" in page || (!page.whole && !follows)) {
      if (chapter !== undefined && !follows) report(`the pages before ${page.seq} are missing`);
      chapter = undefined;
      continue;
    }
    if (page.whole)
      chapter = {
        sources: new Map(),
        telling,
        watched: [],
        knownFacts,
        isLost: before !== undefined && (chapter === undefined || !follows),
        lastAt: before?.until,
      };
    if (chapter === undefined) continue;
    let { at } = page;
    for (const entry of entries) {
      at += timeOf(entry);
      if (telling !== "marks" || isMark(entry)) yield* read(chapter, entry, at);
    }
    if (telling === "marks") yield { type: "passed", at };
    last = { seq: page.seq, until: page.until };
  }
  if (last !== undefined && chapter === undefined) yield { type: "lost", at: last.until };
}

type Chapter = {
  readonly sources: Map<number, SourceNow>;
  readonly telling: Telling;
  watched: Watched;
  readonly knownFacts: ReturnType<typeof createKnownFacts>;
  /** Something before it could not be read. */
  readonly isLost: boolean;
  /** The end of what could be read before it. */
  readonly lastAt: Instant | undefined;
};

/** The hashes of the rules before are not recorded. */
const NONE: ReadonlyMap<string, string> = new Map();

function* read(chapter: Chapter, entry: Entry, at: Instant): Generator<Recorded> {
  if (isUnchanged(entry)) {
    const [number, , lag] = entry;
    const source = chapter.sources.get(number);
    if (source !== undefined) yield observed(observedUnchanged(source, at, lag), at);
    return;
  }
  switch (entry.t) {
    case "open":
      yield opened(chapter, entry, at);
      return;
    case "source":
      chapter.sources.set(entry.n, sourceIn(chapter, entry));
      return;
    case "piece":
      return takePiece(chapter.sources.get(entry.s), entry, chapter.knownFacts);
    case "read": {
      const source = chapter.sources.get(entry.s);
      if (source === undefined) return;
      yield observed(observedChanged(source, entry, at, chapter.knownFacts), at);
      return;
    }
    case "tick":
      yield* agesOf(chapter, at);
      yield { type: "event", at, event: { type: "tick" } };
      return;
    case "resumed": {
      yield* agesOf(chapter, at, "all");
      const event = { type: "resumed", since: at - entry.gap, awayMs: entry.away } as const;
      yield { type: "event", at, event };
      return;
    }
    case "sent":
    case "acted":
      yield actionIn(entry, at);
      return;
    case "command": {
      const { by, reason, command, silences } = entry;
      yield { type: "event", at, event: { type: "command", by, reason, command } };
      if (silences !== undefined) yield { type: "in_force", at, inForce: { silences } };
      return;
    }
    case "policy": {
      yield* agesOf(chapter, at, "all");
      yield { type: "watched", at, watched: takeWatched(chapter, entry.watched) };
      const { moved, inForce } = entry;
      const event = { type: "policy_changed", rulesBefore: NONE, moved } as const;
      yield { type: "event", at, event };
      if (inForce !== undefined) yield { type: "in_force", at, inForce };
      return;
    }
    case "watch":
      yield* agesOf(chapter, at, "all");
      yield { type: "watched", at, watched: takeWatched(chapter, entry.watched) };
      yield { type: "event", at, event: { type: "watch_changed", listed: [] } };
  }
}

function opened(chapter: Chapter, { why, watched, inForce }: Opening, at: Instant): Recorded {
  return {
    type: "opened",
    at,
    why: chapter.isLost ? "lost" : why,
    lastAt: chapter.lastAt,
    watched: takeWatched(chapter, watched),
    ...(inForce && { inForce }),
  };
}

function isMark(entry: Entry): boolean {
  if (isUnchanged(entry)) return false;
  return MARKS.has(entry.t) || (entry.t === "read" && entry.probe === 1);
}

/** The entries from which marks are read; `source` is no mark itself, but says whose probes follow. */
const MARKS = new Set(["open", "source", "sent", "acted"]);

function actionIn(entry: Sent | Acted, at: Instant): Recorded {
  const { action, entity } = entry;
  if (entry.t === "sent")
    return { type: "sent", at, action, entity, isAwaited: entry.awaits === 1 };
  const { outcome, detail } = entry;
  return { type: "acted", at, action, entity, reply: { outcome, detail } };
}

/**
 * Gives the readings that were left out, with their ages, before they may become stale (`stale`) or unknown (`all`).
 * Their surfaces are then given again when they are next read.
 */
function* agesOf(
  { sources, watched }: Chapter,
  at: Instant,
  which: "stale" | "all" = "stale",
): Generator<Recorded> {
  for (const source of sources.values()) {
    const poller = watchedPoller({ aggregators: watched }, source.aggregator, source.poller);
    const before = which === "all" ? Infinity : at - (poller?.staleAfterMs ?? 0);
    const observation = leftOut(source, before);
    if (observation !== undefined) yield observed(observation, at);
  }
}

/** Without a known plan, a surface that a poll lacks counts as ended, so nothing may be left out. */
function sourceIn({ watched, telling }: Chapter, { aggregator, poller }: Source): SourceNow {
  const isPlanned = surfacesOf(watched, aggregator, poller) !== undefined;
  return newSource(aggregator, poller, isPlanned ? telling : "all");
}

function takeWatched(chapter: Chapter, then: WatchedThen): Watched {
  chapter.watched = unpackWatched(then, chapter.watched);
  return chapter.watched;
}

function observed(observation: Observation, at: Instant): Recorded {
  return { type: "event", at, event: { type: "observed", observation } };
}
