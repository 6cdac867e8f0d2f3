import type { Dice } from "./dice.ts";
import type { Happening } from "../plan.ts";
import { ACTION_TROUBLES } from "./actions.ts";
import type { Kind, Surroundings } from "./kind.ts";
import { MACHINE_TROUBLES } from "./machine.ts";
import { MISFORTUNES, RARE_MISFORTUNES } from "./aggregator.ts";
import { OPERATOR_TROUBLES } from "./operators.ts";
import { RECEIVER_TROUBLES } from "./receiver.ts";
import { REPLY_TROUBLES } from "./replies.ts";

/** Of each a seed has so many kinds at most; what befalls the aggregators is always there. */
const MOST_OF = [
  { kinds: RARE_MISFORTUNES, most: 2 },
  { kinds: REPLY_TROUBLES, most: 4 },
  { kinds: MACHINE_TROUBLES, most: 3 },
  { kinds: OPERATOR_TROUBLES, most: 3 },
  { kinds: ACTION_TROUBLES, most: 2 },
  { kinds: RECEIVER_TROUBLES, most: 1 },
] as const;

/** Each seed has its own few kinds of trouble, each at its own rate, in the order of their times. */
export function happeningsOf(dice: Dice, around: Surroundings): Happening[] {
  const chosen = [
    ...(around.isTold ? [] : MISFORTUNES),
    ...MOST_OF.flatMap(({ kinds, most }) => dice.some(kinds, dice.between(0, most))),
  ];
  return chosen
    .flatMap((kind) => happeningsOfKind(dice, around, kind))
    .filter(({ at }) => at < around.until)
    .toSorted((one, other) => one.at - other.at);
}

function happeningsOfKind(dice: Dice, around: Surroundings, kind: Kind): Happening[] {
  const every = kind.every * dice.oneOf([0.5, 1, 1, 2]);
  const happenings: Happening[] = [];
  for (let at = dice.upTo(2 * every); at < around.until; at += 100 + dice.upTo(2 * every)) {
    for (const one of kind.make(dice, dice.oneOf(around.fleet), around))
      happenings.push({ ...one, at: Math.round(at + one.at) });
  }
  return happenings;
}
