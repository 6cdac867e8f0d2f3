import type { Millis } from "../../domain/time.ts";
import type { RandomChoices } from "./random-choices.ts";
import type { ScheduledEvent, Member, EventKind } from "../plan.ts";

/** One kind of fault: it schedules a few events at a time. */
export type FaultKind = {
  readonly name: string;
  /** The mean time between two of its faults, at its usual rate. */
  readonly every: Millis;
  /** How long its effects may last: none begins so late that its effects would reach into the calm. */
  readonly lasts: Millis;
  /** The events of one fault; instants count from its beginning, and one without an instant comes at once. */
  readonly make: (scene: Scene) => readonly FaultEvent[];
};

export type FaultEvent = Partial<Pick<ScheduledEvent, "at">> & EventKind;

export type FaultContext = {
  readonly fleet: readonly Member[];
  /** How many variants there are to reload. */
  readonly variants: number;
  readonly until: Millis;
  /** A scenario says what happens to the first aggregator. */
  readonly hasScenario: boolean;
  /** Several replicas share a database. */
  readonly hasReplicas: boolean;
};

/** What a fault is made of: chance, and the aggregator that it strikes, if it strikes one. */
export type Scene = FaultContext & { readonly random: RandomChoices; readonly member: Member };

export function fault(
  name: string,
  every: Millis,
  make: FaultKind["make"],
  lasts: Millis = 0,
): FaultKind {
  return { name, every, lasts, make };
}

type Control = Extract<EventKind, { do: "control" }>;

/** A control command of the member's model. */
export function control({ member }: Pick<Scene, "member">, command: Control["command"]): Control {
  return { do: "control", aggregator: member.watched.name, command };
}

/** Faults of a network or of the database, which end after `length`. */
export function forAWhile(
  what: Extract<EventKind, { do: "network" | "database" }>,
  length: Millis,
): FaultEvent[] {
  return [what, { at: length, ...what, faults: {} }];
}

/** One of the variants that there are to reload. */
export function someVariant({ random, variants }: Scene): number {
  return random.between(0, variants - 1);
}

/** If a user's own aggregators are simulated, they have the usual exchanges. */
const USUAL_EXCHANGES = ["BINANCE", "KUCOIN", "OKX", "ASCENDEX"].map((name) => ({
  name,
  pairs: ["ETH-USDT"],
}));

export function exchangesOf({ member: { world } }: Scene): ReadonlyArray<{
  readonly name: string;
  readonly pairs?: readonly string[] | undefined;
}> {
  return world.exchanges ?? USUAL_EXCHANGES;
}

/** Disables a number of exchanges at the same instant, or all if there are fewer; none if a scenario does that. */
export function someDisabled(scene: Scene, least: number, most: number = least): FaultEvent[] {
  const { random, hasScenario } = scene;
  if (hasScenario) return [];
  const count = least === most ? least : random.between(least, most);
  return random
    .some(exchangesOf(scene), count)
    .map(({ name: exchange }) => control(scene, { do: "disable_exchange", exchange }));
}
