import { ACT_ENDPOINTS } from "../../domain/action.ts";
import { MINUTE, type Millis } from "../../domain/time.ts";
import {
  control,
  exchangesOf,
  fault,
  someDisabled,
  someVariant,
  type FaultEvent,
  type FaultKind,
  type Scene,
} from "./fault-kind.ts";

/** Actions fail while readings are answered, and there are entities to act on. */

/** A fault of all actions, from now until an instant. */
function actionFault(scene: Scene, plan: object, until: Millis): FaultEvent[] {
  return ACT_ENDPOINTS.flatMap((endpoint) => [
    control(scene, { do: "set_fault", endpoint, fault: plan }),
    { at: until, ...control(scene, { do: "clear_faults", endpoint }) },
  ]);
}

function stuckOrders(scene: Scene): FaultEvent[] {
  if (scene.hasScenario) return [];
  return scene.member.watched.watch.liquidations.flatMap(({ id }) =>
    stuckOrder(scene, id, "ROUTING"),
  );
}

/** A liquidation order that stays in a status. */
export function stuckOrder(scene: Scene, id: string, status: string): FaultEvent[] {
  return [
    control(scene, { do: "set_order", id, status }),
    { at: 1, ...control(scene, { do: "freeze_order", id }) },
  ];
}

/** A pair has another rule than an exchange, so one step acts on both, and no storm holds them back. */
function somePair(scene: Scene): FaultEvent[] {
  if (scene.hasScenario) return [];
  const { name: exchange, pairs = [] } = scene.random.oneOf(exchangesOf(scene));
  const [pair] = pairs;
  return pair === undefined ? [] : [control(scene, { do: "disable_pair", exchange, pair })];
}

export const ACTION_FAULTS: readonly FaultKind[] = [
  // Later actions wait for a slot behind those that hang.
  fault("actions hang, and later ones wait", 3 * MINUTE, (scene) => [
    ...actionFault(scene, { kind: "hang" }, MINUTE + scene.random.upTo(2 * MINUTE)),
    ...someDisabled(scene, 1),
    ...somePair(scene),
  ]),
  // Readings lag behind, as from a cache: none shows that an action was applied.
  fault("answers of actions are lost, and readings are stale", 3 * MINUTE, (scene) => {
    const lag = MINUTE + scene.random.upTo(2 * MINUTE);
    const until = MINUTE + scene.random.upTo(2 * MINUTE);
    const stale = { do: "set_fault", endpoint: "all", fault: { kind: "stale" } };
    return [
      ...actionFault(scene, { kind: "timeout_after_applying" }, until),
      { at: 2, ...control(scene, stale) },
      { at: lag, ...control(scene, { do: "clear_faults", endpoint: "all" }) },
      ...stuckOrders(scene),
      ...someDisabled(scene, 2),
    ];
  }),
  // The reload changes the limits while attempts are counted.
  fault("actions have no effect, and a reload follows", 5 * MINUTE, (scene) => {
    const until = 3 * MINUTE + scene.random.upTo(2 * MINUTE);
    const variant = someVariant(scene);
    return [
      ...actionFault(scene, { kind: "lie" }, until),
      { at: until - scene.random.upTo(MINUTE), do: "reload", variant },
      ...someDisabled(scene, 1),
    ];
  }),
];
