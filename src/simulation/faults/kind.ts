import type { Millis } from "../../domain/time.ts";
import type { Dice } from "./dice.ts";
import type { Happening, Member, What } from "../plan.ts";

/** One kind of trouble: it makes a few happenings at a time. */
export type Kind = {
  readonly name: string;
  /** How long passes between two of it, about, where a seed has it at its usual rate. */
  readonly every: Millis;
  /** Instants count from when it begins. */
  readonly make: (dice: Dice, member: Member, around: Surroundings) => readonly Happening[];
};

export type Surroundings = {
  readonly fleet: readonly Member[];
  /** How many settings there are to be reloaded. */
  readonly variants: number;
  readonly until: Millis;
  /** A scenario tells what befalls the aggregators. */
  readonly isTold: boolean;
};

export const now = (what: What): Happening => ({ at: 0, ...what });
export const after = (at: Millis, what: What): Happening => ({ at, ...what });

/** A control command of a member's model. */
export const model = (
  member: Member,
  command: Extract<What, { do: "model" }>["command"],
): What => ({ do: "model", aggregator: member.watched.name, command });

/** Where a user's own aggregators are simulated, they have the usual exchanges. */
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

/** So many exchanges are disabled at the same instant, or all that there are. */
export function someDisabled(dice: Dice, member: Member, count: number): Happening[] {
  return dice
    .some(exchangesOf(member), count)
    .map(({ name: exchange }) => now(model(member, { do: "disable_exchange", exchange })));
}
