import { restore } from "../../core/start.ts";
import { HOME } from "../../domain/lease.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./disk.ts";
import { seedRandom } from "../../simulator/model/random.ts";
import {
  createSimulatedAggregator,
  type Applied,
  type SimulatedAggregator,
} from "./simulated-aggregator.ts";
import type { Plan } from "../plan.ts";
import { startProcess, type ProcessLife, type ProcessEnvironment } from "./process-life.ts";
import type { RunOptions } from "../outcome.ts";
import { createProcessStalls } from "./stalls.ts";
import { setupOf } from "./simulated-setup.ts";
import { replicasOf } from "../replicas/replicas-of.ts";
import { ofOwner, sourcesOf, surroundingsOf } from "./surroundings.ts";
import { USUAL_DOWN, type Observers, type SimulatedWorld } from "./world.ts";

export function createWorld(plan: Plan, options: RunOptions, observers: Observers): SimulatedWorld {
  const { time, note } = observers;
  const waiting: Array<(life: ProcessLife) => void> = [];
  const runWaiting = (life: ProcessLife): void => waiting.splice(0).forEach((run) => run(life));
  const disks = new Map<string, SimulatedDisk>();
  const diskOf = (unit: string): SimulatedDisk => {
    const disk = disks.get(unit) ?? createSimulatedDisk(time.block);
    disks.set(unit, disk);
    return disk;
  };
  const world: SimulatedWorld = {
    plan,
    time,
    disk: diskOf(HOME),
    diskOf,
    closeDisks: () => {
      for (const disk of disks.values()) disk.close();
    },
    random: seedRandom(plan.seed + 2),
    aggregators: aggregatorsOf(
      plan,
      options,
      ofOwner(() => world, observers),
      (applied) => noteApplied(world, observers, applied),
    ),
    networkFaults: new Map(),
    adversaries: new Map(),
    stalls: createProcessStalls(observers),
    controlAtConfirmation: undefined,
    proposalsRead: new Map(),
    killFileExists: false,
    life: undefined,
    variant: 0,
    downFor: USUAL_DOWN,
    losesPower: false,
    faultsAreOver: false,
    hangups: new Set(),
    whenUp: (run) => {
      const { life } = world;
      if (life?.isAlive() !== true) waiting.push(run);
      else if (life.whenAwake === undefined) run(life);
      else life.whenAwake(() => run(life));
    },
    start: () => {
      if (world.replicas !== undefined) return world.replicas.start();
      if (world.life !== undefined) return;
      // Nothing of the previous process may live on in this one.
      time.dropTimers();
      world.hangups.clear();
      world.downFor = USUAL_DOWN;
      world.life = begin(world, options, observers);
      if (world.life !== undefined) runWaiting(world.life);
    },
    note,
  };
  if (plan.replicas === undefined) return world;
  const replicas = replicasOf(world, plan.replicas, options, observers, runWaiting);
  return Object.assign(world, { replicas, stalls: replicas.stalls });
}

function losePower(world: SimulatedWorld, { observe, time }: Observers): void {
  world.losesPower = false;
  if (!world.disk.losePower()) return;
  const opened = world.disk.open();
  if (opened.ok) observe({ type: "lost", at: time.now(), state: restore(opened.value.rows()) });
}

function aggregatorsOf(
  { fleet, seed }: Plan,
  { scenario }: RunOptions,
  { time, note, observe }: Observers,
  onApplied: (applied: Applied) => void,
): ReadonlyMap<string, SimulatedAggregator> {
  const aggregators = fleet.map(({ watched: { name }, world, etags = false, deployment }, index) =>
    createSimulatedAggregator(name, {
      seed: seed + 10 + index,
      clock: time,
      scenario: index === 0 && scenario !== undefined ? scenario : { name, world, steps: [] },
      etags,
      deployment,
      onApplied,
      onServed: (endpoint, mark) =>
        observe({ type: "served", at: time.now(), aggregator: name, endpoint, mark }),
      onStep: (say) => note(`${name}: ${say}`),
    }),
  );
  return new Map(aggregators.map((model) => [model.name, model]));
}

function begin(
  world: SimulatedWorld,
  options: RunOptions,
  observers: Observers,
): ProcessLife | undefined {
  const { time, disk, plan } = world;
  if (world.losesPower) losePower(world, observers);
  const setup = setupOf(plan, world.variant, options.rules);
  const ofLife: ProcessEnvironment = {
    ...surroundingsOf(world, observers),
    time,
    disk,
    onDeath: () => {
      world.life = undefined;
      // The dying process may still set timers. Later than this, the next process may have its own.
      time.at(time.now(), () => {
        if (world.life === undefined) time.dropTimers();
      });
      time.at(time.now() + Math.max(1, world.downFor), world.start);
    },
  };
  return startProcess(setup, sourcesOf(world, options), ofLife);
}

/** The aggregator has applied an action: the process may crash now, and the adversary may undo it later. */
function noteApplied(
  world: SimulatedWorld,
  { observe }: Observers,
  { model, what, target, changed }: Applied,
): void {
  const { time, adversaries } = world;
  const aggregator = model.name;
  observe({ type: "applied", at: time.now(), aggregator, what, target, changed });
  world.life?.pass("action_applied");
  const adversary = adversaries.get(aggregator);
  if (!changed || adversary === undefined || adversary.times <= 0) return;
  const [exchange = "", pair = ""] = target.split("/");
  const undo = {
    enable_exchange: { do: "disable_exchange", exchange },
    enable_pair: { do: "disable_pair", exchange, pair },
    force_cancel_order: undefined,
  }[what];
  if (undo === undefined) return;
  adversary.times -= 1;
  time.at(time.now() + adversary.after, () => {
    if (world.faultsAreOver) return;
    model.control(undo);
    world.note(`${aggregator}: the adversary undoes the repair of ${target}`);
  });
}
