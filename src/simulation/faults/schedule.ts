import type { RandomChoices } from "./random-choices.ts";
import type { ScheduledEvent } from "../plan.ts";
import { ACTION_FAULTS } from "./actions.ts";
import type { FaultKind, FaultContext } from "./fault-kind.ts";
import { MACHINE_FAULTS } from "./machine.ts";
import { AGGREGATOR_FAULTS, RARE_AGGREGATOR_FAULTS } from "./aggregator.ts";
import { OPERATOR_EVENTS } from "./operators.ts";
import { RECEIVER_FAULTS } from "./receiver.ts";
import { REPLY_FAULTS } from "./replies.ts";

/** A seed has so many kinds of each group at most; the usual faults of aggregators are always there. */
const MOST_OF = [
  { kinds: RARE_AGGREGATOR_FAULTS, most: 2 },
  { kinds: REPLY_FAULTS, most: 4 },
  { kinds: MACHINE_FAULTS, most: 3 },
  { kinds: OPERATOR_EVENTS, most: 3 },
  { kinds: ACTION_FAULTS, most: 2 },
  { kinds: RECEIVER_FAULTS, most: 1 },
] as const;

/** Each seed has its own few kinds of faults, each at its own rate, in the order of their times. */
export function scheduleOf(random: RandomChoices, around: FaultContext): ScheduledEvent[] {
  const chosen = [
    ...(around.hasScenario ? [] : AGGREGATOR_FAULTS),
    ...MOST_OF.flatMap(({ kinds, most }) => random.some(kinds, random.between(0, most))),
  ];
  return chosen
    .flatMap((kind) => eventsOfKind(random, around, kind))
    .filter(({ at }) => at < around.until)
    .toSorted((one, other) => one.at - other.at);
}

function eventsOfKind(
  random: RandomChoices,
  around: FaultContext,
  kind: FaultKind,
): ScheduledEvent[] {
  const every = kind.every * random.oneOf([0.5, 1, 1, 2]);
  const events: ScheduledEvent[] = [];
  for (let at = random.upTo(2 * every); at < around.until; at += 100 + random.upTo(2 * every)) {
    for (const one of kind.make(random, random.oneOf(around.fleet), around))
      events.push({ ...one, at: Math.round(at + one.at) });
  }
  return events;
}
