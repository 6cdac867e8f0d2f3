import { MINUTE, SECOND } from "../../domain/time.ts";
import { after, control, now, type FaultKind } from "./fault-kind.ts";

/** The facts of a proposal change between a person's reading of it and the approval. */
export const PROPOSAL_FAULTS: readonly FaultKind[] = [
  {
    // The order changes at any instant, also when the reading that confirms the action is requested. It is proposed
    // once its status has been the same for ten minutes. The person who read it approves it.
    name: "orders that change after a person has read the proposal and before the approval",
    every: MINUTE,
    make: (random, member, { hasScenario }) => {
      if (hasScenario) return [];
      const ids = member.watched.watch.liquidations.map(({ id }) => id);
      const changed = (id: string): { do: string; id: string; amount: number } => ({
        do: "set_amount",
        id,
        amount: random.oneOf([10, 20, 10_000]),
      });
      const readers = ["alice", "bob"];
      return ids.flatMap((id) => [
        now(control(member, { do: "set_order", id, status: "ROUTING" })),
        after(1, control(member, { do: "freeze_order", id })),
        after(random.upTo(MINUTE), control(member, changed(id))),
        after(random.upTo(MINUTE), {
          do: "control_at_confirmation",
          aggregator: member.watched.name,
          command: changed(id),
        }),
        ...readers.flatMap((by) => {
          const readAt = random.upTo(MINUTE);
          const byNow = random.chance(0.2);
          return [
            after(readAt, { do: "read_proposal", by }),
            after(readAt + random.upTo(20 * SECOND), { do: "approve_read", by, byNow }),
          ];
        }),
      ]);
    },
  },
];
