import type { Remediation } from "../domain/remediation.ts";
import type { Event, Policy, StepResult } from "../domain/step.ts";
import { DAY, type Instant, type Millis } from "../domain/time.ts";
import type { Journal } from "../io/journal/journal.ts";
import type { Page } from "../io/journal/record-pages.ts";
import type { Entry, OpeningReason, Unchanged } from "./entry.ts";
import { createPages } from "./pages.ts";
import { createReadings } from "./readings.ts";
import { packWatched, surfacesOf } from "./watched.ts";

/**
 * Writes down what the loop handles. What differs from what was known goes into the very commit that
 * its step makes; polls that read the same wait in memory for up to a minute, so that they cost neither
 * a row nor a turn of the disk each. A process that is killed loses those, and no more.
 */
export type Recorder = {
  /** Takes in an event that was decided, and what came of it. */
  readonly note: (event: Event, at: Instant, result: StepResult) => void;
  /** The pages that are to be in the next commit; with `all`, also what could still wait. */
  readonly due: (at: Instant, all?: "all") => readonly Page[];
  /** They are on disk. */
  readonly written: () => void;
};

/** A chapter is no longer than this, in time and in characters: chapters are what retention drops. */
const CHAPTER_LASTS: Millis = DAY;
const LONGEST_CHAPTER = 64_000_000;

export function createRecorder(
  watched: () => Policy["aggregators"],
  longestChapter = LONGEST_CHAPTER,
): Recorder {
  const readings = createReadings();
  const pages = createPages();
  /** What the record says is watched. */
  let told: Policy["aggregators"] = [];

  function begin(at: Instant, why: OpeningReason): void {
    readings.forget();
    pages.begin(at);
    told = watched();
    pages.add(at, true, (dt) => ({ t: "open", dt, why, watched: packWatched(told) }));
  }

  function relisted(event: WatchedOtherwise): Exclude<Entry, Unchanged> {
    const before = told;
    told = watched();
    const now = packWatched(told, before);
    if (event.type === "watch_changed") return { t: "watch", dt: 0, watched: now };
    return { t: "policy", dt: 0, moved: event.moved, watched: now };
  }

  return {
    note: (event, at, result) => {
      const chapter = pages.chapter();
      if (event.type === "started") return begin(at, "start");
      if (chapter === undefined) begin(at, "gap");
      else if (at - chapter.at >= CHAPTER_LASTS || chapter.length > longestChapter) {
        begin(at, "day");
      }
      if (event.type === "observed") {
        const { aggregator, poller } = event.observation;
        const planned = surfacesOf(watched(), aggregator, poller);
        const { sources, entry } = readings.take(event.observation, at, planned);
        for (const source of sources) pages.add(at, false, (dt) => ({ ...source, dt }));
        if (entry !== undefined) pages.add(at, entry.isChange, entry.make);
      } else {
        const entry = isAboutWatched(event) ? relisted(event) : entryOf(event, result);
        if (entry !== undefined) pages.add(at, true, (dt) => ({ ...entry, dt }));
      }
      for (const { action, entity } of sentIn(result)) {
        pages.add(at, true, (dt) => ({ t: "sent", dt, action, entity }));
      }
    },
    due: pages.due,
    written: pages.written,
  };
}

/** At the end of the process: what still waits. */
export function writeRest(recorder: Recorder, journal: Pick<Journal, "commit">, at: Instant): void {
  const pages = recorder.due(at, "all");
  if (pages.length === 0) return;
  if (journal.commit({ at, changes: [], findings: [], pages }).ok) recorder.written();
}

type WatchedOtherwise = Extract<Event, { type: "policy_changed" | "watch_changed" }>;

function isAboutWatched(event: Event): event is WatchedOtherwise {
  return event.type === "policy_changed" || event.type === "watch_changed";
}

/** What there is to record of an event that is no reading; undefined where there is nothing. */
function entryOf(
  event: Exclude<Event, WatchedOtherwise | { type: "observed" | "started" }>,
  result: StepResult,
): Exclude<Entry, Unchanged> | undefined {
  const dt = 0;
  switch (event.type) {
    case "tick":
      return isIdle(result) ? undefined : { t: "tick", dt };
    case "acted": {
      const remediation = remediationIn(result, event.remediation);
      if (remediation === undefined) return undefined;
      const { action, entity } = remediation;
      return { t: "acted", dt, action, entity, ...event.reply };
    }
    case "command": {
      const { by, reason, command } = event;
      return { t: "command", dt, by, reason, command };
    }
    // Who is told is no matter of what was observed, and while the journal cannot be written there is
    // nobody to tell it to.
    case "notified":
    case "journal":
      return undefined;
  }
}

function isIdle({ changes, effects, findings }: StepResult): boolean {
  return changes.length + effects.length + findings.length === 0;
}

function sentIn(result: StepResult): Remediation[] {
  return result.effects.flatMap((effect) =>
    effect.type === "act" ? (remediationIn(result, effect.remediation) ?? []) : [],
  );
}

/** What was answered, as its step left it; nothing where the answer came too late to count. */
function remediationIn({ changes }: StepResult, id: string): Remediation | undefined {
  const row = changes.find(({ table, key }) => table === "remediation" && key === id);
  return row?.value as Remediation | undefined;
}
