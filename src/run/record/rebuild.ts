import type { ActionName, ActionReply } from "../../domain/action.ts";
import type { EntityId, KindDefinition } from "../../domain/entity.ts";
import type { Observation, Part, SurfaceReading } from "../../domain/observation.ts";
import type { Event } from "../../domain/step.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import type { StoredPage } from "../../io/record-pages.ts";
import { readEntries } from "./read-entries.ts";
import type { Entry, OpeningReason, Read, SurfaceChange, Unchanged, WatchedThen } from "./entry.ts";
import { applyDifference, type Listing } from "./listing.ts";
import { createKnownFacts, type KnownFacts } from "./known-facts.ts";

/** What a record tells, in its order. */
export type Recorded =
  /** A chapter begins: but for `day`, nobody knows what happened since `lastAt`. */
  | {
      readonly type: "opened";
      readonly at: Instant;
      readonly why: OpeningReason | "lost";
      readonly lastAt: Instant | undefined;
      readonly watched: WatchedThen;
    }
  | { readonly type: "event"; readonly at: Instant; readonly event: Event }
  | { readonly type: "watched"; readonly at: Instant; readonly watched: WatchedThen }
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

type Surface = { readonly listing: Listing; reading: SurfaceReading };
type SourceNow = {
  readonly aggregator: string;
  readonly poller: string;
  readonly surfaces: Map<string, Surface>;
};
type Chapter = { readonly sources: Map<number, SourceNow> };

function newChapter(): Chapter {
  return { sources: new Map() };
}

type Telling = {
  readonly facts: KnownFacts;
  readonly isLost: boolean;
  readonly lastAt: Instant | undefined;
};

function* tell(
  { sources }: Chapter,
  entry: Entry,
  at: Instant,
  { facts, isLost, lastAt }: Telling,
): Generator<Recorded> {
  if (isUnchanged(entry)) {
    const [number, , lag] = entry;
    const source = sources.get(number);
    if (source !== undefined) yield observed(source, "poll", at, lag, []);
    return;
  }
  switch (entry.t) {
    case "open":
      yield {
        type: "opened",
        at,
        why: isLost ? "lost" : entry.why,
        lastAt,
        watched: entry.watched,
      };
      return;
    case "source": {
      const { aggregator, poller } = entry;
      sources.set(entry.n, { aggregator, poller, surfaces: new Map() });
      return;
    }
    case "read": {
      const source = sources.get(entry.s);
      if (source === undefined) return;
      for (const change of entry.parts) takeIn(source, change, facts);
      for (const surface of entry.gone ?? []) source.surfaces.delete(surface);
      yield observed(source, entry.probe === 1 ? "probe" : "poll", at, entry.lag, entry.parts);
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
      const { moved, watched } = entry;
      yield { type: "watched", at, watched };
      const event = { type: "policy_changed", rulesBefore: new Map(), moved } as const;
      yield { type: "event", at, event };
    }
  }
}

function isUnchanged(entry: Entry): entry is Unchanged {
  return Array.isArray(entry);
}

function takeIn({ surfaces }: SourceNow, change: SurfaceChange, facts: KnownFacts): void {
  const known = surfaces.get(change.surface) ?? { listing: new Map(), reading: NOTHING };
  surfaces.set(change.surface, known);
  const { failure, listed, absent } = change;
  if (failure !== undefined) {
    known.reading = { ok: false, failure };
    return;
  }
  applyDifference(known.listing, { ...change, listed: facts.only(listed ?? []) });
  const isSame = listed === undefined && absent === undefined && known.reading.ok;
  known.reading = {
    ok: true,
    complete: change.cut !== 1,
    // The same value as before where nothing differs, as the core then need not look through it.
    entities: isSame && known.reading.ok ? known.reading.entities : [...known.listing.values()],
    ...(change.note === undefined ? {} : { note: change.note }),
  };
}

const NOTHING: SurfaceReading = { ok: true, complete: true, entities: [] };

/** A surface that reads as before is taken as asked with the poll's first request: never younger. */
function observed(
  { aggregator, poller, surfaces }: SourceNow,
  origin: Observation["origin"],
  at: Instant,
  lag: Millis,
  changes: Read["parts"],
): Recorded {
  const own = new Map(changes.map((change) => [change.surface, change.lag ?? lag]));
  const parts: Part[] = [];
  for (const [surface, { reading }] of surfaces) {
    if (origin === "probe" && !own.has(surface)) continue;
    parts.push({ surface, askedAt: at - (own.get(surface) ?? lag), reading });
  }
  const observation = { aggregator, poller, parts, origin, durationMs: lag };
  return { type: "event", at, event: { type: "observed", observation } };
}
