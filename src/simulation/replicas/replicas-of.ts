import { quietLog, setupOf } from "../machine/simulated-setup.ts";
import { sourcesOf, surroundingsOf } from "../machine/surroundings.ts";
import type { ProcessLife } from "../machine/process-life.ts";
import { USUAL_DOWN, type Observers, type SimulatedWorld } from "../machine/world.ts";
import type { RunOptions } from "../outcome.ts";
import { createReplicaWorld, type ReplicaWorld } from "./replica-world.ts";

/** The replicas of a simulated world. */
export function replicasOf(
  world: SimulatedWorld,
  rates: readonly number[],
  options: RunOptions,
  observers: Observers,
  onUp: (life: ProcessLife) => void,
): ReplicaWorld {
  const { time, plan, note, disk } = world;
  const journal = disk.open();
  if (!journal.ok) throw new Error(`the database cannot be opened: ${journal.problem}`);
  const sources = sourcesOf(world, options);
  const timeouts = plan.fleet.map(({ watched }) => watched.client.timeouts.requestMs);
  return createReplicaWorld({
    ...surroundingsOf(world, observers),
    rates,
    time,
    note,
    journal: journal.value,
    longestRequestMs: Math.max(...timeouts),
    setup: () => setupOf(plan, world.variant, options.rules, quietLog()),
    sources: (whenAwake) => ({
      ...sources,
      onHangup: (listener) => sources.onHangup(() => whenAwake(listener)),
    }),
    onUp: (life) => {
      world.life = life;
      onUp(life);
    },
    onDeath: (wasOwner) => {
      if (wasOwner) world.life = undefined;
      const { downFor } = world;
      world.downFor = USUAL_DOWN;
      return downFor;
    },
  });
}
