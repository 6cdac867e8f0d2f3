import { succeed } from "../../domain/result.ts";
import type { Proposal } from "../../domain/remediation.ts";
import type { Effect } from "../../domain/step.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./disk.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { seedRandom, type RandomState } from "../../simulator/model/random.ts";
import type { Sources } from "../../run/setup.ts";
import {
  createSimulatedAggregator,
  type Applied,
  type SimulatedAggregator,
} from "./simulated-aggregator.ts";
import { createReceiver, RECEIVER } from "./receiver.ts";
import type { EventKind, NetworkFaults, Plan } from "../plan.ts";
import { startProcess, type ProcessLife, type ProcessEnvironment } from "./process-life.ts";
import type { RunOptions } from "../outcome.ts";
import { createStalls, type Stalls } from "./stalls.ts";
import { quietLog, setupOf } from "./simulated-setup.ts";
import { createPendingActions } from "./pending-actions.ts";
import type { SentRequest } from "./network.ts";
import type { RunEvent } from "../run-event.ts";

/** The simulated world while it runs; scheduled events change it. */
export type SimulatedWorld = {
  readonly plan: Plan;
  readonly time: VirtualTime;
  readonly disk: SimulatedDisk;
  readonly random: RandomState;
  readonly aggregators: ReadonlyMap<string, SimulatedAggregator>;
  readonly networkFaults: Map<string, NetworkFaults>;
  /** How often each aggregator's repairs are still undone, and how long after. */
  readonly adversaries: Map<string, { readonly after: Millis; times: number }>;
  readonly stalls: Stalls;
  /** What the aggregator is told as the reading before the next action is asked for. */
  controlAtConfirmation: Extract<EventKind, { do: "control_at_confirmation" }> | undefined;
  /** The proposal that each operator has read last. */
  readonly proposalsRead: Map<string, Pick<Proposal, "id" | "digest">>;
  killFileExists: boolean;
  /** Undefined while it is down. */
  life: ProcessLife | undefined;
  /** What the files of settings and rules hold now. */
  variant: number;
  /** After the next crash or end, the process is down for so long. */
  downFor: Millis;
  faultsAreOver: boolean;
  /** The listeners for SIGHUP. */
  readonly hangups: Set<() => void>;
  /** Runs it as soon as a process is up. */
  readonly whenUp: (run: (life: ProcessLife) => void) => void;
  readonly start: () => void;
  readonly note: (text: string) => void;
};

export type Observers = {
  readonly time: VirtualTime;
  readonly observe: (seen: RunEvent) => void;
  readonly note: (text: string) => void;
};

/** How long a process is down after a crash that was not scheduled. */
export const USUAL_DOWN: Millis = SECOND;

export function createWorld(plan: Plan, options: RunOptions, observers: Observers): SimulatedWorld {
  const { time, note } = observers;
  const waiting: Array<(life: ProcessLife) => void> = [];
  const world: SimulatedWorld = {
    plan,
    time,
    disk: createSimulatedDisk(time.block),
    random: seedRandom(plan.seed + 2),
    aggregators: aggregatorsOf(plan, options, observers, (applied) =>
      noteApplied(world, observers, applied),
    ),
    networkFaults: new Map(),
    adversaries: new Map(),
    stalls: createStalls(time, observers),
    controlAtConfirmation: undefined,
    proposalsRead: new Map(),
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
      world.life = begin(world, options, observers);
      for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) run(world.life);
    },
    note,
  };
  return world;
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
      ...(deployment === undefined ? {} : { deployment }),
      onApplied,
      onServed: (endpoint, mark) =>
        observe({ type: "served", at: time.now(), aggregator: name, endpoint, mark }),
      onStep: (say) => note(`${name}: ${say}`),
    }),
  );
  return new Map(aggregators.map((model) => [model.name, model]));
}

function begin(world: SimulatedWorld, options: RunOptions, observers: Observers): ProcessLife {
  const { time, disk, random, aggregators, plan } = world;
  const { observe } = observers;
  const log = quietLog();
  const pending = createPendingActions();
  const servers = [...aggregators.values(), createReceiver(time, observe)];
  const setup = setupOf(plan, world.variant, options.rules, log);
  const ofLife: ProcessEnvironment = {
    time,
    disk,
    random,
    killFileExists: () => world.killFileExists,
    serverAt: (url) => servers.find(({ baseUrl }) => url.href.startsWith(`${baseUrl}/`)),
    networkFaultsOf: (aggregator) => world.networkFaults.get(aggregator) ?? {},
    observe: (seen) => {
      if (seen.type === "step" && seen.durable) pending.add(seen.result.effects);
      observe(seen);
      if (seen.type !== "step") return;
      world.stalls.take(seen.result.effects);
      controlAtConfirmation(world, seen.result.effects);
    },
    onLeft: (request) => {
      if (request.server.name !== RECEIVER) observe(leftOf(time, request, pending.take));
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
  return startProcess(setup, sourcesOf(world, options), ofLife);
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

function controlAtConfirmation(world: SimulatedWorld, effects: readonly Effect[]): void {
  if (!effects.some((one) => one.type === "probe" && one.why === "confirm")) return;
  const { controlAtConfirmation: what } = world;
  world.controlAtConfirmation = undefined;
  if (what !== undefined) world.aggregators.get(what.aggregator)?.control(what.command);
}

function leftOf(
  time: VirtualTime,
  { server, outgoing, purpose, credential, isDirect }: SentRequest,
  take: (aggregator: string, path: string) => string | undefined,
): RunEvent {
  const path = outgoing.url.pathname.slice(new URL(server.baseUrl).pathname.length);
  const remediation = purpose === "act" ? take(server.name, path) : undefined;
  return {
    type: "sent",
    at: time.now(),
    aggregator: server.name,
    method: outgoing.method,
    path,
    purpose,
    credential,
    ...(isDirect ? { isDirect } : {}),
    ...(remediation === undefined ? {} : { remediation }),
  };
}

/** The aggregator has applied an action: the process may crash at that, and the adversary may undo it. */
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
