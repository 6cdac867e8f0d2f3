import { SECOND } from "../../domain/time.ts";
import type { PollerName } from "../../pollers/index.ts";
import type { Member } from "../plan.ts";
import type { RandomChoices } from "./random-choices.ts";

const SCHEDULES: Readonly<Partial<Record<PollerName, readonly number[]>>> = {
  exchanges: [5, 10, 10, 15],
  liquidations: [15, 15, 30],
  pools: [15, 30, 60],
  swaps: [30, 30, 60],
  swap_history: [60],
};

/** The pollers that a seed switches on, each on a schedule of its choice. */
export function somePollers(random: RandomChoices): Member["watched"]["pollers"] {
  return (Object.entries(SCHEDULES) as Array<[PollerName, readonly number[]]>).flatMap(
    ([name, choices]) => {
      const seconds = random.oneOf(choices);
      const isOn = name === "exchanges" || random.chance(0.7);
      if (!isOn) return [];
      const schedule = seconds === 60 ? "0 * * * * *" : `*/${seconds} * * * * *`;
      const intervalMs = seconds * SECOND;
      return [{ name, schedule, intervalMs, staleAfterMs: 3 * intervalMs }];
    },
  );
}
