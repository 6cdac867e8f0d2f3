import { setTimeout } from "node:timers/promises";
import type { Event } from "../domain/step.ts";
import { SECOND, type Instant } from "../domain/time.ts";
import type { Cleanup } from "../io/process/lifecycle.ts";
import type { HeartbeatReading, MetricsSource, ReplicaReading } from "../io/metrics/definition.ts";
import { createMetrics, type Metrics } from "../io/metrics/metrics.ts";
import type { PollerSlots } from "../io/schedule/slot-counts.ts";
import { checkKillFile } from "./service/check-kill-file.ts";
import { startLoop } from "./service/start-loop.ts";
import { whenIdle } from "./sliced-work.ts";
import type { JournalCheck } from "./journal-check.ts";
import { createPublisher, type Observers } from "./publisher.ts";
import { endActions, shutdownGrace } from "./service/shutdown-grace.ts";
import { createPerformers } from "./performers.ts";
import type { Lease } from "./replica/lease.ts";
import { createLoop, type Loop, type LoopDependencies } from "./loop.ts";
import { createMaintenance } from "./maintenance.ts";
import { createReloading, type FailedReading, type Reloading } from "./reloading.ts";
import { inForceOf, type InForce } from "../io/api/past/in-force.ts";
import { createRecorder, type Recorder } from "../record/recorder.ts";
import { policyOf, type Sources, type WatchdogSetup } from "./setup.ts";
import type { ConnectionWorld } from "./aggregator-connection.ts";
import { createWatchLists, type WatchLists } from "./watch-list/watch-lists.ts";
import { createPolling } from "./polling.ts";

/** Everything of a watchdog but its servers: what polls, decides, records and acts. */
export type Daemon = Pick<Parts, "loop" | "metrics" | "reloading" | "lists"> & {
  /** What became of the schedules' slots. */
  readonly slots: () => readonly PollerSlots[];
  /** Resolves if it cannot go on: a bug in the core, which comes again and again if the journal is its own. */
  readonly broken: Promise<unknown>;
  /** Takes up what was left at the last end, begins to poll, and adds what ends that to the cleanup. */
  readonly begin: (cleanup: Cleanup) => void;
  readonly close: () => void | Promise<void>;
  /** Another replica is the owner: stops deciding, committing and sending. What was started must still be ended. */
  readonly abandon: () => void;
  /** Writes readings without a change, which otherwise wait in memory for up to a minute. */
  readonly writeRecord: () => Promise<void>;
};

/** Time, network and disk, and who is shown what happens. */
export type DaemonDependencies = Omit<ConnectionWorld, "redactor"> &
  Omit<LoopDependencies, "perform" | "publish" | "onBug" | "recorder"> &
  Observers & {
    /** When the process started; without it, when the watching did. */
    readonly startedAt?: Instant;
    /** If the journal is shared: the lease by which this replica is the owner. */
    readonly lease?: Lease;
    readonly failedReading?: FailedReading | undefined;
    readonly fileExists: (path: string) => boolean;
    /** Bytes of the journal's files. */
    readonly journalBytes?: () => number;
    readonly heartbeat?: () => HeartbeatReading;
    /** If the journal is shared. */
    readonly replica?: () => ReplicaReading;
    /** Without it, the journal is known to be sound. */
    readonly journalCheck?: JournalCheck;
  };

/** As ticks come each second, the process was not running if there was no event for so long. */
export const LONGEST_USUAL_GAP = 3 * SECOND;
/** A view of the past waits no longer for what was read just now. */
const LONGEST_WRITE = 2 * SECOND;

/** With `sources`, rules and settings are read again while it runs. */
export function createDaemon(
  setup: WatchdogSetup,
  sources: Sources | undefined,
  dependencies: DaemonDependencies,
): Daemon {
  const parts = createParts(setup, sources, dependencies);
  const { loop, metrics, reloading, maintenance, lists, polling, lease, broken } = parts;
  // This counter must not fall, and the metrics are new.
  const bugsBefore = dependencies.replica?.().bugs ?? 0;
  metrics.count(Array.from({ length: bugsBefore }, () => ({ type: "bug" })));
  const beforeTick = (): void => {
    checkKillFile(setup.settings.actions.killFile, dependencies.fileExists, loop);
    lease.check();
    maintenance.check();
  };
  return {
    loop,
    metrics,
    reloading,
    lists,
    slots: polling.slotCounts,
    broken,
    begin: (cleanup) => {
      const stages = stagesOf(parts, beforeTick, dependencies);
      for (const [name, start] of stages) cleanup.add(name, start());
    },
    close: () => {
      polling.close();
      return loop.end();
    },
    abandon: loop.abandon,
    writeRecord: () => writeRecord(loop, parts.recorder),
  };
}

/** With the next commit, which comes at once. A journal that is slow is not waited for. */
async function writeRecord(loop: Loop, recorder: Pick<Recorder, "hurry">): Promise<void> {
  const written = recorder.hurry();
  if (written === undefined || !loop.journalWritable()) return;
  loop.push({ type: "tick" });
  await Promise.race([written, setTimeout(LONGEST_WRITE, undefined, { ref: false })]);
}

type Parts = ReturnType<typeof createParts>;

/** They refer to each other, so some are given those that are made after them as functions. */
function createParts(
  setup: WatchdogSetup,
  sources: Sources | undefined,
  dependencies: DaemonDependencies,
) {
  const { clock, journal, lease: held } = dependencies;
  const { redactor } = setup;
  const stopping = { polls: new AbortController(), actions: new AbortController() };
  const world = { ...dependencies, redactor, isCutOff: () => held?.leftMs() === 0 };
  const push = (event: Event): Promise<void> => handled(loop, event);
  const lists: WatchLists = createWatchLists({
    clock,
    redactor,
    rows: journal.rows,
    loop: () => loop,
    polling: () => polling,
    metrics: () => metrics,
    inForce: () => reloading.setup(),
  });
  const first = lists.effective(setup);
  const policy = policyOf(first);
  const polling = createPolling(first, { ...world, signal: stopping.polls.signal, push });
  const { notifying, lease, effects } = createPerformers(world, {
    loop: () => loop,
    setup: () => reloading.setup(),
    polling,
    actSignal: stopping.actions.signal,
  });
  const metrics: Metrics = createMetrics({
    policy,
    source: () => sourceOf(setup, { loop, reloading, lists, polling }, dependencies),
    undisturbed: (work) => loop.undisturbed(work),
    onError: (metric, error) => setup.log.error({ err: error, metric }, "metric cannot be read"),
    hasExemplars: setup.tracing !== undefined,
  });
  const shown = { ...dependencies, onResumed: polling.pollAll, tracing: setup.tracing };
  const { broken, ...published } = createPublisher(setup.log, metrics, shown);
  const onLost = (): void => reportGap(setup, metrics);
  // It is recorded with the very event that is being handled.
  const inForce = (): InForce => inForceOf(loop.policy(), loop.stateSoFar());
  const recorder = createRecorder(() => loop.policy().aggregators, { inForce, onLost });
  const shell = { recorder, perform: effects.perform, ...published };
  const loop: Loop = createLoop(policy, { ...dependencies, ...shell });
  const maintenance = createMaintenance(() => reloading.maintenance(), { clock, loop });
  const known = { loop, maintenance, polling, metrics, lists };
  const reloading: Reloading = createReloading(setup, sources, { ...dependencies, ...known });
  return { ...known, reloading, effects, notifying, lease, stopping, broken, recorder };
}

/** Resolves when the event has been handled. */
async function handled(loop: Loop, event: Event): Promise<void> {
  loop.push(event);
  await loop.caughtUp();
}

function reportGap({ log }: WatchdogSetup, metrics: Metrics): void {
  metrics.count([{ type: "record_lost" }]);
  log.warn("the record has a gap: what was observed waited too long for the journal");
}

/** What the metrics are read from at a scrape. */
function sourceOf(
  { version, nodeVersion, tracing }: WatchdogSetup,
  { loop, reloading, lists, polling }: Pick<Parts, "loop" | "reloading" | "lists" | "polling">,
  { startedAt, journalBytes, heartbeat, replica }: DaemonDependencies,
): MetricsSource {
  return {
    version,
    nodeVersion,
    startedAt: startedAt ?? loop.state().startedAt,
    policy: loop.policy(),
    state: loop.state(),
    journalWritable: loop.journalWritable(),
    reload: reloading.reading(),
    watched: lists.reading,
    slots: polling.slotCounts,
    clients: polling.clientReadings,
    journalBytes: journalBytes?.(),
    heartbeat: heartbeat?.(),
    replica: replica?.(),
    tracing: tracing?.reading(),
  };
}

/**
 * What begins, each with what ends it. The last ends first: there are no more polls by the time that
 * the requests under way get theirs. What the loop may ask for at its start can be ended before it starts.
 */
function stagesOf(
  { loop, polling, effects, notifying, reloading, lists, stopping }: Parts,
  beforeTick: () => void,
  { journalCheck, lease, gaps }: Pick<DaemonDependencies, "journalCheck" | "lease" | "gaps">,
): ReadonlyArray<readonly [name: string, start: () => () => void | Promise<void>]> {
  const reason = new Error("aggwatch is stopping");
  const abortActions = (): void => stopping.actions.abort(reason);
  const startPolling = (): (() => Promise<void>) => {
    polling.start();
    return async () => {
      stopping.polls.abort(reason);
      await polling.stop();
    };
  };
  // Side by side, as each may take its whole time.
  const endRequests = async (): Promise<void> => {
    const { actionsMs } = shutdownGrace(lease);
    await Promise.all([endActions(effects, actionsMs, abortActions, gaps), notifying.stop()]);
  };
  const onSound = (): void => loop.push({ type: "journal_checked" });
  return [
    ["requests under way", () => endRequests],
    ["loop", () => startLoop(loop, lists, beforeTick, journalCheck !== undefined)],
    [
      "journal check",
      () => journalCheck?.begin(onSound, (work) => whenIdle(loop, work)) ?? (() => undefined),
    ],
    ["scheduler", startPolling],
    ["reloading", reloading.listen],
    ["watch lists", lists.listen],
  ];
}
