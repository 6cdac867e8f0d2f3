import { remediationSubject } from "../../core/tell/outbox.ts";
import type { Batch, Delivery } from "../../domain/notification.ts";
import type { Result } from "../../domain/result.ts";
import type { Slices } from "../../domain/slices.ts";
import type { Effect, Event, StepResult } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { Release } from "./loop-journal.ts";

/**
 * Publishes what was decided, and performs its effects: all of them, or, if it is not on disk, all but actions and what
 * calls them sent.
 */
export type Releasing = {
  readonly release: Release;
  /** The last commit succeeded, as far as is known. */
  readonly isWritable: () => boolean;
  /** Call it at a start: it lifts the stop of a failing journal. If the journal still fails, that is noticed again. */
  readonly reset: () => void;
  /** Nothing is published or performed any more, also of what is being released in slices. */
  readonly abandon: () => void;
};

export type ReleaseWorld = {
  /** Starts an effect and returns at once. */
  readonly perform: (effect: Effect) => void;
  /** Shows what a step found, in slices if that may be much; must not throw. */
  readonly publish: (event: Event, result: StepResult, at: Instant) => Slices | undefined | void;
  /** Has these handled before all others that wait. */
  readonly pushFirst: (events: readonly Event[]) => void;
};

export function createRelease({ publish, perform, pushFirst }: ReleaseWorld): Releasing {
  /** Why the last commit failed; undefined if it succeeded. */
  let problem: string | undefined;
  let last: string | undefined;
  /** Of the group before: what was decided before its commit failed may call them sent. */
  let unsentBefore: readonly Action[] = [];
  let isAbandoned = false;
  /** Between two slices the lease may be lost. */
  function* whileOwned(work: Slices): Slices {
    while (work.next().done !== true) {
      yield;
      if (isAbandoned) return;
    }
  }
  return {
    isWritable: () => problem === undefined,
    abandon: () => {
      isAbandoned = true;
    },
    reset: () => {
      problem = undefined;
    },
    release: function* (group, committed) {
      const unsent: Action[] = [];
      const withheld: Event[] = [];
      for (const { event, result, at } of group) {
        yield* whileOwned(publish(event, result, at) ?? noSlices());
        if (isAbandoned) return;
        for (const effect of result.effects) {
          if (isAction(effect) && !committed.ok) unsent.push(effect);
          else if (effect.type === "notify" && saysSent(effect.batch, [...unsentBefore, ...unsent]))
            withheld.push({ type: "notified", batch: effect.batch, delivery: WITHHELD });
          else perform(effect);
        }
      }
      unsentBefore = unsent;
      if (withheld.length > 0) pushFirst(withheld);
      const found = committed.ok ? undefined : committed.problem;
      // Reasons that take turns are reported once, as by `loggedLeases`: the report of one may fail for another.
      const isNew = found !== problem && found === last;
      const isOther = committed.ok !== (problem === undefined) || isNew;
      last = found;
      if (!isOther && unsent.length === 0) return;
      problem = found;
      pushFirst([journalChanged(committed, unsent)]);
    },
  };
}

function* noSlices(): Slices {}

/** Whether people would read that one of these was sent. */
function saysSent({ items }: Batch, unsent: readonly Action[]): boolean {
  const untrue = new Set(unsent.map(({ remediation }) => remediationSubject(remediation)));
  return items.some(
    ({ subject, notification }) =>
      notification.type === "event" && notification.word === "sent" && untrue.has(subject),
  );
}

/** What waits is sent soon after, and says by then that the action was rejected. */
const WITHHELD: Delivery = {
  outcome: "failed",
  detail: "withheld: an action that it calls sent was not sent, as the journal cannot be written",
  durationMs: 0,
};

/** Goes before all other events: what they decide depends on it. */
function journalChanged(committed: Result<void, string>, unsent: readonly Action[]): Event {
  const detail = committed.ok ? "the journal can be written again" : committed.problem;
  const ids = unsent.map(({ remediation }) => remediation);
  return { type: "journal", writable: committed.ok, detail, unsent: ids };
}

type Action = Extract<Effect, { type: "act" }>;

/** While nothing can be written, no action is sent. */
function isAction(effect: Effect): effect is Action {
  return effect.type === "act";
}
