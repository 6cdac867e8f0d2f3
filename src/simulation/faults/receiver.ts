import { MINUTE, SECOND } from "../../domain/time.ts";
import type { WireTrouble } from "../plan.ts";
import { RECEIVER } from "../machine/receiver.ts";
import { after, now, type Kind } from "./kind.ts";

/** Who is told cannot be reached, or nobody hears whether it was. */
function unreachable(name: string, trouble: WireTrouble): Kind {
  return {
    name,
    every: 4 * MINUTE,
    make: (dice) => [
      now({ do: "wire", aggregator: RECEIVER, trouble }),
      after(10 * SECOND + dice.upTo(4 * MINUTE), { do: "wire", aggregator: RECEIVER, trouble: {} }),
    ],
  };
}

export const RECEIVER_TROUBLES: readonly Kind[] = [
  unreachable("receiver down", { refused: 1 }),
  unreachable("receiver silent", { requestLost: 1 }),
  unreachable("receiver takes it, and nobody hears of it", { replyLost: 1 }),
  unreachable("receiver slow", { delay: { least: 1_000, most: 9_000 }, replyLost: 0.2 }),
];
