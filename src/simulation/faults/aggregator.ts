import { MINUTE, SECOND, type Millis } from "../../domain/time.ts";
import { DEFAULT_SENDERS } from "../../simulator/model/default-world.ts";
import { stuckOrder } from "./actions.ts";
import {
  control,
  exchangesOf,
  fault,
  someDisabled,
  type FaultEvent,
  type FaultKind,
  type Scene,
} from "./fault-kind.ts";

/** Faults of an aggregator, for the watchdog to notice and repair. */
export const AGGREGATOR_FAULTS: readonly FaultKind[] = [
  fault("an exchange is disabled", 2 * MINUTE, (scene) => {
    const { random } = scene;
    const exchange = random.oneOf(exchangesOf(scene)).name;
    const bad = control(scene, { do: "disable_exchange", exchange });
    if (random.chance(0.7)) return [bad];
    const good = control(scene, { do: "enable_exchange", exchange });
    return [bad, { at: random.upTo(5 * MINUTE), ...good }];
  }),
  fault("a pair is disabled", 3 * MINUTE, (scene) => {
    const { name: exchange, pairs = [] } = scene.random.oneOf(exchangesOf(scene));
    const pair = pairs.length === 0 ? undefined : scene.random.oneOf(pairs);
    return pair === undefined ? [] : [control(scene, { do: "disable_pair", exchange, pair })];
  }),
  fault("a liquidation order is stuck", 6 * MINUTE, (scene) => {
    const { random, member } = scene;
    const { liquidations } = member.watched.watch;
    if (liquidations.length === 0) return [];
    const { id } = random.oneOf(liquidations);
    return stuckOrder(scene, id, random.oneOf(["ACCEPTED", "ROUTING"]));
  }),
  fault("a pool is drained, or a swap is stuck", 6 * MINUTE, (scene) => {
    const { random, member } = scene;
    const [pool] = member.world.pools ?? [];
    const sender = random.oneOf(DEFAULT_SENDERS);
    if (pool === undefined || random.chance(0.5))
      return [control(scene, { do: "start_swap", sender, stuck: true })];
    const { factory, pair } = pool;
    return [control(scene, { do: "drain_pool", factory, pair, ratio: random.upTo(0.9) })];
  }),
];

/** Up to 8 exchanges are disabled in turn, `apart` from each other; if given, each is enabled again after `length`. */
function inTurn(scene: Scene, apart: Millis, length?: Millis): FaultEvent[] {
  return scene.random.some(exchangesOf(scene), 8).flatMap(({ name: exchange }, index) => {
    const at = Math.round(index * apart);
    const bad = { at, ...control(scene, { do: "disable_exchange", exchange }) };
    if (length === undefined) return [bad];
    return [bad, { at: at + length, ...control(scene, { do: "enable_exchange", exchange }) }];
  });
}

/** Faults that only some seeds have. */
export const RARE_AGGREGATOR_FAULTS: readonly FaultKind[] = [
  fault("an exchange flaps", 6 * MINUTE, (scene) => {
    const { random } = scene;
    const exchange = random.oneOf(exchangesOf(scene)).name;
    const every = `${random.between(15, 120)}s`;
    return [control(scene, { do: "flap", exchange, every, times: random.between(2, 10) })];
  }),
  fault("an adversary undoes repairs", 8 * MINUTE, ({ random, member }) => [
    {
      do: "adversary",
      aggregator: member.watched.name,
      after: SECOND + Math.round(random.upTo(MINUTE)),
      times: random.between(1, 6),
    },
  ]),
  fault("many exchanges are disabled at once", 8 * MINUTE, (scene) => someDisabled(scene, 2, 8)),
  fault("exchanges are disabled one after another", 8 * MINUTE, (scene) =>
    inTurn(scene, 100 + scene.random.upTo(30 * SECOND)),
  ),
  // Each exchange is enabled before the next is disabled, as in an upgrade, unless a repair was quicker.
  fault("a rolling maintenance", 12 * MINUTE, (scene) => {
    const length = scene.random.between(20, 120) * SECOND;
    return inTurn(scene, length, length);
  }),
];
