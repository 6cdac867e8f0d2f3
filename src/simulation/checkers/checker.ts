import type { RunEvent, Step } from "../run-event.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** The events by their types; a tick is a step, too. */
type Events = { [Type in RunEvent["type"]]: Extract<RunEvent, { type: Type }> } & { tick: Step };

/** Finds what is wrong with an event, given the ledger. */
export type Checker<Type extends keyof Events = keyof Events> = {
  /** The invariant that it checks, by its number in docs/simulation.md: `2 budgets`. */
  readonly invariant: string;
  /** The events that it looks at. */
  readonly types: readonly Type[];
  /** Gives each violation as a sentence with the entity, the instants and the numbers. */
  readonly check: (event: Events[Type], ledger: Ledger) => readonly string[];
};

export function on<Type extends keyof Events>(
  types: Type | readonly Type[],
  invariant: string,
  check: Checker<Type>["check"],
): Checker {
  return { invariant, types: [types].flat(), check: check as Checker["check"] };
}

/** Gives the checkers that look at an event, in their order. */
export function concernedWith(
  checkers: readonly Checker[],
): (event: RunEvent) => readonly Checker[] {
  const byName = new Map<keyof Events, readonly Checker[]>();
  return (event) => {
    const name = event.type === "step" && event.event.type === "tick" ? "tick" : event.type;
    const concerned =
      byName.get(name) ??
      checkers.filter(({ types }) => types.includes(event.type) || types.includes(name));
    byName.set(name, concerned);
    return concerned;
  };
}
