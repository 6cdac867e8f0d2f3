import { succeed } from "../../domain/result.ts";
import type { Effect } from "../../domain/step.ts";
import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./disk.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { seedRandom, type RandomState } from "../../simulator/model/random.ts";
import type { Sources } from "../../run/setup.ts";
import { createModel, type Applied, type Model } from "./model.ts";
import { createReceiver, RECEIVER } from "./receiver.ts";
import type { Plan, WireTrouble } from "../plan.ts";
import { startLife, type Life, type LifeWorld } from "./life.ts";
import type { RunOptions } from "../outcome.ts";
import { quietLog, setupOf } from "./setup.ts";
import { createUnanswered } from "./unanswered.ts";
import type { Leaving } from "./wire.ts";
import type { RunEvent } from "../run-event.ts";

/** The simulated world while it runs; what happens reaches into it. */
export type SimulatedWorld = {
  readonly plan: Plan;
  readonly time: VirtualTime;
  readonly disk: SimulatedDisk;
  readonly random: RandomState;
  readonly models: ReadonlyMap<string, Model>;
  readonly troubles: Map<string, WireTrouble>;
  /** How often each aggregator's repairs are still undone, and how long after. */
  readonly adversaries: Map<string, { readonly after: Millis; times: number }>;
  /** How long the process is to stand still once the reading before the next action is under way. */
  stallAtConfirmation: Millis;
  killFileExists: boolean;
  /** Undefined while it is down. */
  life: Life | undefined;
  /** What the files of settings and rules hold now. */
  variant: number;
  /** After the next crash or end, the process is down for so long. */
  downFor: Millis;
  faultsAreOver: boolean;
  /** Those who listen for SIGHUP. */
  readonly hangups: Set<() => void>;
  /** Wants it done as soon as a process is there. */
  readonly whenUp: (run: (life: Life) => void) => void;
  readonly start: () => void;
  readonly tell: (text: string) => void;
};

export type Onlookers = {
  readonly time: VirtualTime;
  readonly witness: (seen: RunEvent) => void;
  readonly tell: (text: string) => void;
};

/** How long a process is down after a crash that nobody had planned. */
const USUAL_DOWN: Millis = SECOND;

export function createWorld(plan: Plan, options: RunOptions, onlookers: Onlookers): SimulatedWorld {
  const { time, tell } = onlookers;
  const waiting: Array<(life: Life) => void> = [];
  const world: SimulatedWorld = {
    plan,
    time,
    disk: createSimulatedDisk(time.block),
    random: seedRandom(plan.seed + 2),
    models: modelsOf(plan, options, onlookers, (applied) => noteApplied(world, onlookers, applied)),
    troubles: new Map(),
    adversaries: new Map(),
    stallAtConfirmation: 0,
    killFileExists: false,
    life: undefined,
    variant: 0,
    downFor: USUAL_DOWN,
    faultsAreOver: false,
    hangups: new Set(),
    whenUp: (run) => {
      if (world.life === undefined) waiting.push(run);
      else run(world.life);
    },
    start: () => {
      if (world.life !== undefined) return;
      // Nothing of the process before may live on in this one.
      time.dropTimers();
      world.hangups.clear();
      world.downFor = USUAL_DOWN;
      world.life = begin(world, options, onlookers);
      for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) run(world.life);
    },
    tell,
  };
  return world;
}

function modelsOf(
  { fleet, seed }: Plan,
  { scenario }: RunOptions,
  { time, tell }: Onlookers,
  onApplied: (applied: Applied) => void,
): ReadonlyMap<string, Model> {
  const models = fleet.map(({ watched: { name }, world, etags = false }, index) =>
    createModel(name, {
      seed: seed + 10 + index,
      clock: time,
      scenario: index === 0 && scenario !== undefined ? scenario : { name, world, steps: [] },
      etags,
      onApplied,
      onStep: (say) => tell(`${name}: ${say}`),
    }),
  );
  return new Map(models.map((model) => [model.name, model]));
}

function begin(world: SimulatedWorld, options: RunOptions, onlookers: Onlookers): Life {
  const { time, disk, random, models, plan } = world;
  const { witness } = onlookers;
  const log = quietLog();
  const unanswered = createUnanswered();
  const sites = [...models.values(), createReceiver(time, witness)];
  const setup = setupOf(plan, world.variant, options.rules, log);
  const ofLife: LifeWorld = {
    time,
    disk,
    random,
    killFileExists: () => world.killFileExists,
    siteAt: (url) => sites.find(({ baseUrl }) => url.href.startsWith(`${baseUrl}/`)),
    troubleOf: (aggregator) => world.troubles.get(aggregator) ?? {},
    witness: (seen) => {
      if (seen.type === "step" && seen.durable) unanswered.add(seen.result.effects);
      witness(seen);
      if (seen.type === "step") stallWhileConfirming(world, seen.result.effects);
    },
    onLeft: (leaving) => {
      if (leaving.site.name !== RECEIVER) witness(leftOf(time, leaving, unanswered.take));
    },
    onDeath: () => {
      world.life = undefined;
      // What the dying still does may set timers; by then the next process may have its own.
      time.at(time.now(), () => {
        if (world.life === undefined) time.dropTimers();
      });
      time.at(time.now() + Math.max(1, world.downFor), world.start);
    },
  };
  return startLife(setup, sourcesOf(world, options), ofLife);
}

/** Settings and rules as files that change: reading them gives what they hold then. */
function sourcesOf(world: SimulatedWorld, options: RunOptions): Sources {
  const log = quietLog();
  let read = world.variant;
  return {
    load: (why) => {
      const found = world.variant;
      if (why === "reload") read = found;
      const setup = setupOf(world.plan, found, options.rules, log);
      return succeed({ setup, changes: [], accept: () => undefined });
    },
    isOutdated: () => read !== world.variant,
    directories: () => [],
    onHangup: (listener) => {
      world.hangups.add(listener);
      return () => void world.hangups.delete(listener);
    },
  };
}

/** Long enough after the reading was asked for that it has left, and too soon for its answer to be read. */
const UNDER_WAY: Millis = 1;

function stallWhileConfirming(world: SimulatedWorld, effects: readonly Effect[]): void {
  const { stallAtConfirmation: length, time } = world;
  if (length === 0 || !effects.some((one) => one.type === "probe" && one.why === "confirm")) return;
  world.stallAtConfirmation = 0;
  time.at(time.now() + UNDER_WAY, () => {
    if (world.faultsAreOver) return;
    world.tell(`the process stands still for ${formatDuration(length)}`);
    time.block(length);
  });
}

function leftOf(
  time: VirtualTime,
  { site, outgoing, purpose, credential }: Leaving,
  take: (aggregator: string, path: string) => string | undefined,
): RunEvent {
  const path = outgoing.url.pathname.slice(new URL(site.baseUrl).pathname.length);
  const remediation = purpose === "act" ? take(site.name, path) : undefined;
  return {
    type: "left",
    at: time.now(),
    aggregator: site.name,
    method: outgoing.method,
    path,
    purpose,
    credential,
    ...(remediation === undefined ? {} : { remediation }),
  };
}

/** The model has carried out an action: the process may die of it, and somebody may undo it. */
function noteApplied(
  world: SimulatedWorld,
  { witness }: Onlookers,
  { model, what, target, changed }: Applied,
): void {
  const { time, adversaries } = world;
  const aggregator = model.name;
  witness({ type: "applied", at: time.now(), aggregator, what, target, changed });
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
    world.tell(`${aggregator}: somebody undoes the repair of ${target}`);
  });
}
