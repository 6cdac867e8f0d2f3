import { MINUTE, SECOND } from "../../domain/time.ts";
import { fault, someVariant, type FaultEvent, type FaultKind, type Scene } from "./fault-kind.ts";

/** The owner dies right after the loss is prepared, so that another takes over. */
function ownerDies(scene: Scene): FaultEvent {
  const downFor = Math.round(scene.random.upTo(30 * SECOND));
  return { at: 1, do: "crash", boundary: "now", downFor, variant: someVariant(scene) };
}

/** The replicas' database loses commits that it had acknowledged: an asynchronous copy of it is promoted. */
export const LOSSES: readonly FaultKind[] = [
  fault("the commits of the last moments or minutes are lost", 4 * MINUTE, ({ random }) => {
    const length = random.oneOf([0.2, 1, 3, 10, 30, 120]) * SECOND;
    return [{ do: "lose_commits", from: "now", after: length }];
  }),
  fault("the commit of an action is lost", 2 * MINUTE, ({ random }) => {
    const length = random.oneOf([5, 20, 100, 1_000, 5_000]);
    return [{ do: "lose_commits", from: "next_action", after: length }];
  }),
  fault("a take-over is lost while the new owner is suspended", 3 * MINUTE, (scene) => [
    {
      do: "lose_commits",
      from: "next_take_over",
      after: scene.random.oneOf([20, 200, 2_000]),
      stall: scene.random.stall([1, 5, 18, 40]),
    },
    ownerDies(scene),
  ]),
  fault(
    "a take-over is lost while the new owner is cut off from the database",
    3 * MINUTE,
    (scene) => {
      const cutOff = Math.round((18 + scene.random.upTo(10)) * SECOND);
      const length = scene.random.oneOf([2, 10, 20, 40]) * SECOND;
      return [
        { do: "lose_commits", from: "next_take_over", after: cutOff + SECOND },
        ownerDies(scene),
        { at: cutOff, do: "partition", whom: "owner", length },
      ];
    },
  ),
];
