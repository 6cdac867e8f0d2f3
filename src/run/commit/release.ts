import type { Result } from "../../domain/result.ts";
import type { Slices } from "../../domain/slices.ts";
import type { Effect, Event, StepResult } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { Release } from "./loop-journal.ts";

/** Publishes what was decided, and performs its effects: all of them, or all but actions if it is not on disk. */
export type Releasing = {
  readonly release: Release;
  /** The last commit succeeded, as far as is known. */
  readonly isWritable: () => boolean;
  /** Call it at a start: it lifts the stop of a failing journal. If the journal still fails, that is noticed again. */
  readonly reset: () => void;
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
  let isWritable = true;
  return {
    isWritable: () => isWritable,
    reset: () => {
      isWritable = true;
    },
    release: function* (group, committed) {
      const unsent: Action[] = [];
      for (const { event, result, at } of group) {
        yield* publish(event, result, at) ?? [];
        unsent.push(...performAll(result.effects, committed.ok, perform));
      }
      if (committed.ok === isWritable && unsent.length === 0) return;
      isWritable = committed.ok;
      pushFirst([journalChanged(committed, unsent)]);
    },
  };
}

/** Gives the actions that are not sent. */
function performAll(
  effects: readonly Effect[],
  isDurable: boolean,
  perform: ReleaseWorld["perform"],
): readonly Action[] {
  for (const effect of effects) if (isDurable || !isAction(effect)) perform(effect);
  return isDurable ? [] : effects.filter(isAction);
}

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
