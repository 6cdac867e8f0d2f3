import type { Ended, RunEvent, Step } from "../run-event.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** Finds what is wrong with an event, given the ledger. */
export type Checker = {
  /** The invariant that it checks, by its number in docs/simulation.md: `2 budgets`. */
  readonly invariant: string;
  /** The events that it looks at; all of them if this is left out. */
  readonly only?: "step" | "tick" | "ended";
  /** Gives each violation as a sentence with the entity, the instants and the numbers. */
  readonly check: (event: RunEvent, ledger: Ledger) => readonly string[];
};

type Check<Event> = (event: Event, ledger: Ledger) => readonly string[];

export function onStep(invariant: string, check: Check<Step>): Checker {
  const checkStep: Checker["check"] = (one, ledger) =>
    one.type === "step" ? check(one, ledger) : [];
  return { invariant, only: "step", check: checkStep };
}

export function onTick(invariant: string, check: Check<Step>): Checker {
  return { ...onStep(invariant, check), only: "tick" };
}

export function atEnd(invariant: string, check: Check<Ended>): Checker {
  const checkEnd: Checker["check"] = (one, ledger) =>
    one.type === "ended" ? check(one, ledger) : [];
  return { invariant, only: "ended", check: checkEnd };
}

/** Gives the checkers that look at an event, in their order: most look at steps only. */
export function concernedWith(
  checkers: readonly Checker[],
): (event: RunEvent) => readonly Checker[] {
  const of = (...kinds: ReadonlyArray<Checker["only"]>): readonly Checker[] =>
    checkers.filter(({ only }) => only === undefined || kinds.includes(only));
  const [ofStep, ofTick, ofEnd, others] = [of("step"), of("step", "tick"), of("ended"), of()];
  return (event) => {
    if (event.type === "step") return event.event.type === "tick" ? ofTick : ofStep;
    return event.type === "ended" ? ofEnd : others;
  };
}
