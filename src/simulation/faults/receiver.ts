import { MINUTE, SECOND } from "../../domain/time.ts";
import type { NetworkFaults } from "../plan.ts";
import { RECEIVER } from "../machine/receiver.ts";
import { after, now, type FaultKind } from "./fault-kind.ts";

/** The receiver cannot be reached, or its answers are lost. */
function unreachable(name: string, faults: NetworkFaults): FaultKind {
  return {
    name,
    every: 4 * MINUTE,
    make: (random) => [
      now({ do: "network", aggregator: RECEIVER, faults }),
      after(10 * SECOND + random.upTo(4 * MINUTE), {
        do: "network",
        aggregator: RECEIVER,
        faults: {},
      }),
    ],
  };
}

export const RECEIVER_FAULTS: readonly FaultKind[] = [
  unreachable("it cannot be reached", { refused: 1 }),
  unreachable("it does not answer", { requestLost: 1 }),
  unreachable("its answers are lost", { replyLost: 1 }),
  unreachable("it is slow", { delay: { least: 1_000, most: 9_000 }, replyLost: 0.2 }),
];
