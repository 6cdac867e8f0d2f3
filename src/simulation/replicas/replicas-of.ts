import type { Journal } from "../../io/journal/journal.ts";
import { setupOfUnit } from "../../run/units/unit-setup.ts";
import type { SimulatedDisk } from "../machine/disk.ts";
import { setupOf } from "../machine/simulated-setup.ts";
import { sourcesOf, surroundingsOf } from "../machine/surroundings.ts";
import type { ProcessLife } from "../machine/process-life.ts";
import { USUAL_DOWN, type Observers, type SimulatedWorld } from "../machine/world.ts";
import type { RunOptions } from "../outcome.ts";
import { sharedRates } from "./shared-rates.ts";
import { createReplicaWorld, type ReplicaWorld } from "./replica-world.ts";

/** The replicas of a simulated world. */
export function replicasOf(
  world: SimulatedWorld,
  clockRates: readonly number[],
  options: RunOptions,
  observers: Observers,
  onUp: (life: ProcessLife) => void,
): ReplicaWorld {
  const { time, plan, note } = world;
  const { shards = 0 } = plan;
  const journals = new Map<string, Journal>();
  const rates = sharedRates(plan.fleet, shards, { time, observe: observers.observe });
  const timeouts = plan.fleet.map(({ watched }) => watched.client.timeouts.requestMs);
  return createReplicaWorld({
    ...surroundingsOf(world, observers),
    ...rates,
    clockRates,
    time,
    note,
    shards,
    journalOf: (unit) => {
      const known = journals.get(unit) ?? opened(world.diskOf(unit));
      journals.set(unit, known);
      return known;
    },
    diskOf: world.diskOf,
    longestRequestMs: Math.max(...timeouts),
    setup: (unit) => setupOfUnit(setupOf(plan, world.variant, options.rules), unit),
    sources: (unit, whenAwake) => {
      const sources = sourcesOf(world, options, (whole) => setupOfUnit(whole, unit));
      return { ...sources, onHangup: (listen) => sources.onHangup(() => whenAwake(listen)) };
    },
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

function opened(disk: SimulatedDisk): Journal {
  const journal = disk.open();
  if (!journal.ok) throw new Error(`the database cannot be opened: ${journal.problem}`);
  return journal.value;
}
