import type { Millis } from "../../domain/time.ts";
import type { RandomChoices } from "./random-choices.ts";
import type { ScheduledEvent, Member, EventKind } from "../plan.ts";

/** One kind of fault: it schedules a few events at a time. */
export type FaultKind = {
  readonly name: string;
  /** The mean time between two of its faults, at its usual rate. */
  readonly every: Millis;
  /** How long its effects may last: none begins so late that its effects would reach into the calm. */
  readonly lasts?: Millis;
  /** The events of one fault; instants count from its beginning. */
  readonly make: (
    random: RandomChoices,
    member: Member,
    around: FaultContext,
  ) => readonly ScheduledEvent[];
};

export type FaultContext = {
  readonly fleet: readonly Member[];
  /** How many variants there are to reload. */
  readonly variants: number;
  readonly until: Millis;
  /** A scenario says what happens to the first aggregator. */
  readonly hasScenario: boolean;
  /** Several replicas share a database. */
  readonly hasReplicas?: boolean;
};

export const now = (what: EventKind): ScheduledEvent => ({ at: 0, ...what });
export const after = (at: Millis, what: EventKind): ScheduledEvent => ({ at, ...what });

/** A control command of a member's model. */
export const control = (
  member: Member,
  command: Extract<EventKind, { do: "control" }>["command"],
): EventKind => ({ do: "control", aggregator: member.watched.name, command });

/** If a user's own aggregators are simulated, they have the usual exchanges. */
const USUAL_EXCHANGES = ["BINANCE", "KUCOIN", "OKX", "ASCENDEX"].map((name) => ({
  name,
  pairs: ["ETH-USDT"],
}));

export function exchangesOf({ world }: Member): ReadonlyArray<{
  readonly name: string;
  readonly pairs?: readonly string[] | undefined;
}> {
  return world.exchanges ?? USUAL_EXCHANGES;
}

/** Disables `count` exchanges at the same instant, or all if there are fewer. */
export function someDisabled(
  random: RandomChoices,
  member: Member,
  count: number,
): ScheduledEvent[] {
  return random
    .some(exchangesOf(member), count)
    .map(({ name: exchange }) => now(control(member, { do: "disable_exchange", exchange })));
}
