import type { Command } from "../domain/command.ts";
import type { Slices } from "../domain/slices.ts";
import type { Event, Policy, StepResult } from "../domain/step.ts";
import { DAY, type Instant, type Millis } from "../domain/time.ts";
import type { InForce } from "../io/api/past/in-force.ts";
import { isUnchanged, type Entry, type OpeningReason } from "./entry.ts";
import { createPages, type Pages } from "./pages.ts";
import { createRequests } from "./requests.ts";
import { createSourceWriter } from "./source-writer.ts";
import { packWatched, surfacesOf } from "./watched.ts";

/**
 * Writes down what the loop handles. What differs from what was known goes into the very commit that
 * its step makes; polls that read the same wait in memory for up to a minute, so that they cost neither
 * a row nor a write to the disk each. A process that is killed loses those, and no more. What a journal that cannot be
 * written leaves waiting is lost beyond a bound; the record goes on with a chapter of its own when it is written again.
 */
export type Recorder = Pick<Pages, "due" | "written" | "hurry"> & {
  /** Records an event that was decided, and what came of it. */
  readonly note: (event: Event, at: Instant, result: StepResult) => Slices;
};

/** A chapter is no longer than this, in time and in characters: chapters are what retention drops. */
const CHAPTER_LASTS: Millis = DAY;
const LONGEST_CHAPTER = 64_000_000;

/** So many changes of a listing are in one entry, so that a page of them is written in a few milliseconds. */
const MOST_CHANGES = 1_000;

export type RecorderOptions = {
  readonly longestChapter?: number;
  readonly mostChanges?: number;
  /** What is in force; it is not recorded without. */
  readonly inForce?: () => InForce;
  /** Called once for each gap that a journal which cannot be written leaves in the record. */
  readonly onLost?: () => void;
};

export function createRecorder(
  watched: () => Policy["aggregators"],
  {
    longestChapter = LONGEST_CHAPTER,
    mostChanges = MOST_CHANGES,
    inForce,
    onLost = () => undefined,
  }: RecorderOptions = {},
): Recorder {
  const writer = createSourceWriter(mostChanges);
  const requests = createRequests();
  const pages = createPages(onLost);
  /** What is watched, as the record has it. */
  let recorded: Policy["aggregators"] = [];

  function begin(at: Instant, why: OpeningReason): void {
    writer.forget();
    if (why !== "day") requests.forget();
    pages.begin(at);
    recorded = watched();
    pages.add(at, true, { t: "open", dt: 0, why, watched: packWatched(recorded), ...ruled() });
  }

  const ruled = () => inForce && { inForce: inForce() };

  function relisted(event: WatchedOtherwise): Entry {
    const before = recorded;
    recorded = watched();
    const now = packWatched(recorded, before);
    if (event.type === "watch_changed") return { t: "watch", dt: 0, watched: now };
    return { t: "policy", dt: 0, moved: event.moved, watched: now, ...ruled() };
  }

  return {
    note: function* (event, at, result) {
      if (pages.isLost()) return;
      const chapter = pages.chapter();
      if (event.type === "started") return begin(at, "start");
      if (chapter === undefined) begin(at, "gap");
      else if (at - chapter.at >= CHAPTER_LASTS || chapter.length > longestChapter)
        begin(at, "day");
      if (event.type === "observed") {
        const { aggregator, poller } = event.observation;
        const planned = surfacesOf(watched(), aggregator, poller);
        const { entries, isChange } = yield* writer.write(event.observation, at, planned);
        for (const entry of entries) {
          pages.add(at, isChange, entry);
          yield;
        }
      } else {
        const entry = isAboutWatched(event) ? relisted(event) : entryOf(event, at, result);
        if (entry !== undefined) pages.add(at, true, withSilences(entry, result, inForce));
      }
      for (const entry of requests.entriesOf(event, result)) pages.add(at, true, entry);
    },
    due: pages.due,
    written: pages.written,
    hurry: pages.hurry,
  };
}

/** Only a command changes silences, except for their end, which is known in advance. */
function withSilences(
  entry: Entry,
  { changes }: StepResult,
  inForce: RecorderOptions["inForce"],
): Entry {
  if (isUnchanged(entry) || entry.t !== "command" || inForce === undefined) return entry;
  const isOther = changes.some(({ table }) => table === "silence");
  return isOther ? { ...entry, silences: inForce().silences } : entry;
}

type WatchedOtherwise = Extract<Event, { type: "policy_changed" | "watch_changed" }>;

function isAboutWatched(event: Event): event is WatchedOtherwise {
  return event.type === "policy_changed" || event.type === "watch_changed";
}

/** What there is to record of an event that is not a reading; undefined if there is nothing. */
function entryOf(
  event: Exclude<Event, WatchedOtherwise | { type: "observed" | "started" }>,
  at: Instant,
  result: StepResult,
): Entry | undefined {
  const dt = 0;
  switch (event.type) {
    case "tick":
      return isIdle(result) ? undefined : { t: "tick", dt };
    case "resumed":
      return { t: "resumed", dt, gap: at - event.since, away: event.awayMs };
    case "command": {
      const { by, reason, command } = event;
      return { t: "command", dt, by, reason, command: named(command, result) };
    }
    // Notifications and damage are not part of what was observed; and what says that the journal cannot be
    // written could not be written either. Answers are recorded with the requests.
    case "acted":
    case "notified":
    case "journal":
    case "journal_checked":
    case "lease":
    case "home_alerts":
      return undefined;
  }
}

/** A hold with the id that it was given, by which it is released. */
function named(command: Command, { findings }: StepResult): Command {
  if (command.name !== "hold") return command;
  const found = findings.find((one) => one.type === "command");
  return found?.accepted === true ? { ...command, id: found.subject } : command;
}

/** The step did nothing. */
export function isIdle({ changes, effects, findings }: StepResult): boolean {
  return changes.length + effects.length + findings.length === 0;
}
