import type { Result } from "../../domain/result.ts";
import type { Slices } from "../../domain/slices.ts";
import type { Event, StepResult } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { Journal, JournalRecord } from "../../io/journal/journal.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { Backlog } from "./backlog.ts";

/** The journal that the loop commits to: its own, which answers at once, or a shared one, which answers later. */
export type LoopJournal = Pick<Journal, "rows"> & (CommitsAtOnce | CommitsLater);

/** A shared one. */
export type LaterJournal = Pick<Journal, "rows"> & CommitsLater;

export type CommitsAtOnce = Pick<Journal, "commit"> &
  Partial<Pick<Journal, "inPlace" | "sync" | "commitInSlices">>;

export type CommitsLater = {
  /** Asked again only when it has answered. It never rejects. */
  readonly commitLater: (record: JournalRecord) => Promise<Result<void, Refusal>>;
};

/** Nothing counts as committed; if it is `fenced`, this replica may not commit any more. */
export type Refusal = {
  readonly kind: "unavailable" | "fenced";
  readonly detail: string;
  /** It may be in the journal all the same, or arrive later. */
  readonly isUnknown?: true;
};

/**
 * What became of it: it is on disk; it is in force, and not on disk; or another owner goes on without it (`dropped`),
 * or perhaps with it (`unknown`).
 */
export type Kept = "durable" | "unrecorded" | "dropped" | "unknown";

/** An event that was decided, and the callbacks for its outcome. */
export type DecidedEvent = {
  readonly event: Event;
  readonly at: Instant;
  readonly result: StepResult;
  readonly answer: (kept: Kept | Promise<Kept>) => void;
};

/** What was decided together, and its one outcome: if it is not on disk, why. */
export type Release = (group: readonly DecidedEvent[], committed: Result<void, string>) => Slices;

/**
 * Puts what was decided on disk and then releases it, in the order in which it was decided. One commit is under way at
 * a time; what is decided meanwhile is committed together, when that one has ended.
 */
export type Commits = Pick<Backlog, "noteChanges"> & {
  readonly add: (decided: DecidedEvent) => Slices;
  /** At the end of the process: commits what is still in memory, the last of the record too. */
  readonly end: (at: Instant) => void | Promise<void>;
  /** Nothing is committed or released any more. */
  readonly abandon: () => void;
  /** Forgets the changes that wait, as the state is read again. Throws if that takes time. */
  readonly rollBack: () => void;
};

export type CommitsWorld = {
  readonly journal: LoopJournal;
  /** Keeps what was observed, for the replay; without it, that is not kept. */
  readonly recorder?: Recorder | undefined;
  /** Does the work before the next event is handled. */
  readonly between: (event: Event, work: () => Slices) => void;
  /** Shown each step of a journal that answers later as soon as it is decided. */
  readonly onDecided?: ((decided: DecidedEvent) => void) | undefined;
  /** Called at its end if another goes on without them: commands in force that were never written, the oldest first. */
  readonly onForgotten?: ((commands: readonly DecidedEvent[]) => void) | undefined;
  /** Called if the journal has another owner: what was decided is void, and this must be abandoned. */
  readonly onFenced?: ((detail: string) => void) | undefined;
};
