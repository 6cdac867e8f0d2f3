import type { Policy } from "../domain/step.ts";
import { SECOND, type Clock, type Instant } from "../domain/time.ts";
import type { Journal } from "../io/journal/journal.ts";
import type { Cleanup } from "../io/process/lifecycle.ts";
import { createFindingLog } from "../io/process/log-findings.ts";
import type { HeartbeatReading } from "../io/metrics/definition.ts";
import { createMetrics, type Metrics } from "../io/metrics/metrics.ts";
import type { PollerSlots } from "../io/schedule/slot-counts.ts";
import { pause } from "../io/process/pause.ts";
import { createEffects, type Effects } from "./effects.ts";
import { createLoop, type Loop, type LoopDependencies } from "./loop.ts";
import { createMaintenance, type Maintenance } from "./maintenance.ts";
import { createReloading, type Reloading } from "./reloading.ts";
import { createNotifying, type Notifying } from "./notifying.ts";
import { createRecorder, writeRest } from "../record/recorder.ts";
import { policyOf, type Sources, type WatchdogSetup } from "./setup.ts";
import type { LineWorld } from "./watched.ts";
import { createWatchLists, type WatchLists } from "./watch-list/watch-lists.ts";
import { createWatching, type Watching } from "./watching.ts";

/** Everything of a watchdog but its servers: what asks, decides, records and acts. */
export type Daemon = {
  readonly loop: Loop;
  readonly metrics: Metrics;
  readonly reloading: Reloading;
  readonly lists: WatchLists;
  /** What became of the schedules' slots. */
  readonly slots: () => readonly PollerSlots[];
  /** Resolves where it cannot go on: a bug in the core that comes again and again. */
  readonly broken: Promise<unknown>;
  /** Takes up what was left at the last end. Nothing is asked yet. */
  readonly wake: () => void;
  /** Begins to ask, and adds what ends that to the cleanup. */
  readonly begin: (cleanup: Cleanup) => void;
  readonly close: () => void;
};

/** What the world is to a daemon: its time, its wire, its disk. */
export type DaemonWorld = LineWorld & {
  readonly clock: Clock;
  readonly journal: Pick<Journal, "rows" | "commit">;
  readonly fileExists: (path: string) => boolean;
  /** A tick has gone through the loop, commit and all. */
  readonly onTick?: (at: Instant) => void;
  /** Bytes of the journal's files. */
  readonly journalBytes?: () => number;
  readonly heartbeat?: () => HeartbeatReading;
  /** Shown each step, before anybody else is told of it. */
  readonly witness?: LoopDependencies["publish"];
  /** Told of each bug in the core. */
  readonly onBug?: LoopDependencies["onBug"];
};

const TICK = SECOND;
/** How long a shutdown waits for the answers of actions that are under way. */
const ACTIONS_GET = 3 * SECOND;

/** With `sources`, rules and settings are read anew while it runs. */
export function createDaemon(
  setup: WatchdogSetup,
  sources: Sources | undefined,
  world: DaemonWorld,
): Daemon {
  const lists = watchListsOf(world, () => ({ loop, watching, metrics, reloading }));
  const first = lists.effective(setup);
  const policy = policyOf(first);
  const stopping = createStopping();
  const push: Loop["push"] = (event) => loop.push(event);
  const watching = createWatching(first, { ...world, signal: stopping.polls.signal, push });
  const { clientOf, probeRequest } = watching;
  const actSignal = stopping.actions.signal;
  const notifying = createNotifying({
    ...world,
    push,
    settings: () => reloading.notify(),
    isRecorded: () => loop.journalWritable(),
  });
  const notify = notifying.perform;
  const effects = createEffects({ push, clientOf, probeRequest, notify, actSignal });
  const { perform } = effects;
  const metrics = metricsOf(setup, policy, world, () => ({ loop, watching, reloading, lists }));
  const telling = createTelling(setup, metrics, world);
  const recorder = createRecorder(() => loop.policy().aggregators);
  const loop: Loop = createLoop(policy, { ...world, recorder, perform, ...telling.ofLoop });
  const reloading = createReloading(setup, sources, { ...world, loop, watching, metrics, lists });
  const maintenance = createMaintenance(reloading.maintenance, { ...world, loop });
  const look = (): void => {
    lookForKillFile(setup.settings.actions.killFile, world.fileExists, loop);
    maintenance.look();
  };
  return {
    loop,
    metrics,
    reloading,
    lists,
    slots: watching.slotCounts,
    broken: telling.broken,
    wake: () => {
      loop.push({ type: "started" });
      lists.sync();
      look();
    },
    begin: (cleanup) =>
      begin(cleanup, { look, push, watching, effects, notifying, reloading, lists, stopping }),
    close: () => {
      watching.close();
      writeRest(recorder, world.journal, loop.lastEventAt());
    },
  };
}

/** The parts come into being after the metrics, which look at them only when they are scraped. */
function metricsOf(
  { version, nodeVersion, log }: WatchdogSetup,
  policy: Policy,
  world: Pick<DaemonWorld, "journalBytes" | "heartbeat">,
  parts: () => Pick<Daemon, "loop" | "reloading" | "lists"> & { readonly watching: Watching },
): Metrics {
  return createMetrics({
    policy,
    source: () => {
      const { loop, reloading, lists, watching } = parts();
      return {
        version,
        nodeVersion,
        policy: loop.policy(),
        state: loop.state(),
        journalWritable: loop.journalWritable(),
        reload: reloading.reading(),
        watched: lists.reading,
        slots: watching.slotCounts,
        clients: watching.clientReadings,
        journalBytes: world.journalBytes?.(),
        heartbeat: world.heartbeat?.(),
      };
    },
    onError: (metric, error) => log.error({ err: error, metric }, "metric cannot be read"),
  });
}

/** The parts come into being after the lists, as they are made of these. */
function watchListsOf(
  { clock, journal }: DaemonWorld,
  parts: () => Pick<Daemon, "loop" | "metrics" | "reloading"> & { readonly watching: Watching },
): WatchLists {
  return createWatchLists({
    clock,
    rows: journal.rows,
    loop: () => parts().loop,
    watching: () => parts().watching,
    metrics: () => parts().metrics,
    inForce: () => parts().reloading.setup(),
  });
}

type Stopping = { readonly polls: AbortController; readonly actions: AbortController };

function createStopping(): Stopping {
  return { polls: new AbortController(), actions: new AbortController() };
}

/** Shows what was found, and what went wrong. */
function createTelling(
  { log }: WatchdogSetup,
  metrics: Metrics,
  { witness, onBug: showBug, onTick }: Pick<DaemonWorld, "witness" | "onBug" | "onTick">,
): {
  readonly broken: Promise<unknown>;
  readonly ofLoop: Pick<LoopDependencies, "publish" | "onBug">;
} {
  const writeLog = createFindingLog(log);
  const broken = Promise.withResolvers<unknown>();
  return {
    broken: broken.promise,
    ofLoop: {
      publish: (event, result, at) => {
        witness?.(event, result, at);
        metrics.changed(result.changes);
        metrics.count(result.findings);
        writeLog(result.findings);
        if (event.type === "tick") onTick?.(at);
      },
      onBug: (error, event, fatal) => {
        showBug?.(error, event, fatal);
        metrics.count([{ type: "bug" }]);
        log.fatal({ err: error, event: event.type, fatal }, "bug in the core: actions are stopped");
        if (fatal) broken.resolve(error);
      },
    },
  };
}

/** What begins last ends first: no more polls, then the actions under way get their time. */
function begin(
  cleanup: Cleanup,
  parts: {
    readonly look: Maintenance["look"];
    readonly push: Loop["push"];
    readonly watching: Watching;
    readonly effects: Effects;
    readonly notifying: Notifying;
    readonly reloading: Reloading;
    readonly lists: WatchLists;
    readonly stopping: Stopping;
  },
): void {
  const { watching, effects, notifying, stopping } = parts;
  const reason = new Error("aggwatch is stopping");
  cleanup.add("actions", async () => {
    const waiting = new AbortController();
    await Promise.race([effects.settle(), pause(ACTIONS_GET, waiting.signal)]);
    waiting.abort();
    stopping.actions.abort(reason);
    await effects.settle();
  });
  cleanup.add("notifications", notifying.stop);
  const ticker = setInterval(() => {
    parts.look();
    parts.push({ type: "tick" });
  }, TICK);
  cleanup.add("ticker", () => clearInterval(ticker));
  watching.start();
  cleanup.add("scheduler", async () => {
    stopping.polls.abort(reason);
    await watching.stop();
  });
  cleanup.add("reloading", parts.reloading.listen());
  cleanup.add("watch lists", parts.lists.listen());
}

/** The kill file is looked for before every tick, so it holds at most a second after it appears. */
function lookForKillFile(
  killFile: string,
  fileExists: (path: string) => boolean,
  loop: Loop,
): void {
  const exists = fileExists(killFile);
  if (exists === loop.state().tables.kill.has("file")) return;
  loop.push({
    type: "command",
    by: killFile,
    reason: exists ? `the file ${killFile} exists` : `the file ${killFile} is gone`,
    command: { name: exists ? "kill" : "unkill", source: "file" },
  });
}
