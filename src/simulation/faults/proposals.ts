import { MINUTE, SECOND } from "../../domain/time.ts";
import { stuckOrder } from "./actions.ts";
import { control, fault, type FaultKind } from "./fault-kind.ts";

/** The facts of a proposal change between a person's reading of it and the approval. */
export const PROPOSAL_FAULTS: readonly FaultKind[] = [
  // The order changes at any instant, also when the reading that confirms the action is requested. It is proposed
  // once its status has been the same for ten minutes. The person who read it approves it.
  fault(
    "orders that change after a person has read the proposal and before the approval",
    MINUTE,
    (scene) => {
      const { random, member, hasScenario } = scene;
      if (hasScenario) return [];
      return member.watched.watch.liquidations.flatMap(({ id }) => {
        const changed = () =>
          control(scene, { do: "set_amount", id, amount: random.oneOf([10, 20, 10_000]) });
        return [
          ...stuckOrder(scene, id, "ROUTING"),
          { at: random.upTo(MINUTE), ...changed() },
          { at: random.upTo(MINUTE), ...changed(), do: "control_at_confirmation" as const },
          ...["alice", "bob"].flatMap((by) => {
            const readAt = random.upTo(MINUTE);
            const byNow = random.chance(0.2);
            return [
              { at: readAt, do: "read_proposal" as const, by },
              { at: readAt + random.upTo(20 * SECOND), do: "approve_read" as const, by, byNow },
            ];
          }),
        ];
      });
    },
  ),
];
