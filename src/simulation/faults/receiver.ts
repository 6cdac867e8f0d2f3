import { MINUTE, SECOND } from "../../domain/time.ts";
import type { NetworkFaults } from "../plan.ts";
import { RECEIVER } from "../machine/receiver.ts";
import { fault, forAWhile, type FaultKind } from "./fault-kind.ts";

/** The receiver cannot be reached, or its answers are lost. */
function unreachable(name: string, faults: NetworkFaults): FaultKind {
  return fault(name, 4 * MINUTE, ({ random }) =>
    forAWhile(
      { do: "network", aggregator: RECEIVER, faults },
      10 * SECOND + random.upTo(4 * MINUTE),
    ),
  );
}

export const RECEIVER_FAULTS: readonly FaultKind[] = [
  unreachable("it cannot be reached", { refused: 1 }),
  unreachable("it does not answer", { requestLost: 1 }),
  unreachable("its answers are lost", { replyLost: 1 }),
  unreachable("it is slow", { delay: { least: 1_000, most: 9_000 }, replyLost: 0.2 }),
];
