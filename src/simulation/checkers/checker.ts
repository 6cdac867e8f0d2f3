import type { Ended, RunEvent, Step } from "../run-event.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** What is wrong with an event, after all that the ledger knows. */
export type Checker = {
  /** The invariant that it holds, by its number in docs/simulation.md: `2 budgets`. */
  readonly invariant: string;
  /** Gives each violation as a sentence with the entity, the instants and the numbers. */
  readonly check: (event: RunEvent, ledger: Ledger) => readonly string[];
};

type Check<Event> = (event: Event, ledger: Ledger) => readonly string[];

export function onStep(invariant: string, check: Check<Step>): Checker {
  return { invariant, check: (one, ledger) => (one.type === "step" ? check(one, ledger) : []) };
}

export function onTick(invariant: string, check: Check<Step>): Checker {
  return onStep(invariant, (step, ledger) =>
    step.event.type === "tick" ? check(step, ledger) : [],
  );
}

export function atEnd(invariant: string, check: Check<Ended>): Checker {
  return { invariant, check: (one, ledger) => (one.type === "ended" ? check(one, ledger) : []) };
}
