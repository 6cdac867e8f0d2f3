import type { State } from "../../core/state.ts";
import type { Policy } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { DecidedEvent } from "../../run/commit/loop-journal.ts";
import type { JournalRecord } from "../../io/journal/journal.ts";
import type { RunEvent } from "../run-event.ts";
import { createWrittenSteps, type WrittenSteps } from "./written-steps.ts";
import { createShadow, freeze, rowsOf, type FrozenStep } from "./shadow-state.ts";

/** The time of one replica as the owner of a unit. It shows each step once its outcome is known. */
export type Tenure = {
  readonly unit: string;
  readonly epoch: number;
  /** The state after the step that was shown last. */
  readonly state: () => State;
  readonly begin: (policy: Policy, state: State) => void;
  readonly decide: (decided: DecidedEvent, state: State, policy: Policy) => void;
  /** The record holds every step decided so far, and is on its way. */
  readonly noteSent: (record: JournalRecord) => void;
  /** The database has written the record, whether or not the replica will know. */
  readonly noteWritten: (record: JournalRecord) => void;
  readonly noteCommitted: (record: JournalRecord, isDurable: boolean) => void;
  /** Shows the next step, which is released now. */
  readonly show: () => void;
  /** Shows the steps that are written and will not be released. */
  readonly showWritten: () => void;
  /** How many of its steps the database has, and whether it has lost some. */
  readonly written: WrittenSteps;
  /** Every step that was decided was shown. */
  readonly isQuiet: () => boolean;
  readonly end: () => void;
  readonly isOver: () => boolean;
  /** When its replica learned from the database that another has the lease. */
  lostAt: Instant | undefined;
};

export function createTenure(
  { unit, epoch }: Pick<Tenure, "unit" | "epoch">,
  observe: (seen: RunEvent) => void,
  now: () => Instant,
): Tenure {
  let shadow = createShadow([]);
  const pending: FrozenStep[] = [];
  /** How many steps were shown, released and written, counted from the first. */
  const [count, written] = [{ shown: 0, released: 0 }, createWrittenSteps()];
  let isDurable = true;
  let isOver = false;

  function showNext(durable: boolean): void {
    const step = pending.shift();
    if (step === undefined) throw new Error("a step was shown that was not decided");
    count.shown += 1;
    shadow.apply(step);
    const { rest: _, ...shown } = step;
    observe({ type: "step", at: now(), ...shown, durable, state: shadow.state });
  }

  const showWritten = (): void => {
    while (count.shown < written.count() && pending.length > 0) showNext(true);
    written.noteAllKnown();
  };

  return {
    unit,
    epoch,
    state: () => shadow.state,
    begin: (policy, loaded) => {
      shadow = createShadow(rowsOf(loaded));
      observe({ type: "restarted", at: now(), policy, state: shadow.state });
      observe({ type: "checked", at: now(), isDamaged: false });
    },
    decide: (decided, state, policy) => void pending.push(freeze(decided, state, policy)),
    noteSent: (record) => written.noteSent(record, count.shown + pending.length),
    noteWritten: (record) => {
      written.noteWritten(record);
      if (isOver) showWritten();
    },
    noteCommitted: (record, committed) => {
      isDurable = committed;
      if (committed) written.noteKnown(record);
    },
    show: () => {
      count.released += 1;
      // If another replica has read the step, it was shown then.
      if (count.released > count.shown) showNext(isDurable);
    },
    showWritten,
    written,
    isQuiet: () => pending.length === 0,
    end: () => {
      isOver = true;
    },
    isOver: () => isOver,
    lostAt: undefined,
  };
}
