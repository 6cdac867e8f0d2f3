import type { State } from "../../core/state.ts";
import type { Clock } from "../../domain/time.ts";
import { createGapDetector, type GapDetector } from "../../io/process/gap.ts";
import { systemClock } from "../../io/process/clock.ts";
import type { SimulatedDisk } from "./disk.ts";
import { createMortality, type Mortality } from "./mortality.ts";
import { observedJournal } from "./observed-journal.ts";
import type { Journal } from "../../io/journal/journal.ts";
import { createCleanup, type Cleanup } from "../../io/process/lifecycle.ts";
import { nextRandom } from "../../simulator/model/random.ts";
import { createDaemon, LONGEST_USUAL_GAP, type Daemon } from "../../run/daemon.ts";
import type { LoopSource } from "../../io/api/server-source.ts";
import { lastAtOf } from "../../run/load-state.ts";
import { createLoopSource } from "../../run/loop-source.ts";
import type { JournalCheck } from "../../run/journal-check.ts";
import type { Sources, WatchdogSetup } from "../../run/setup.ts";
import {
  createNetwork,
  type SentRequest,
  type NetworkClient,
  type NetworkWorld,
} from "./network.ts";
import type { RunEvent } from "../run-event.ts";

/** One life of the daemon: from its start to its crash or its end. */
export type ProcessLife = Pick<Mortality, "isAlive" | "dieAt" | "pass"> & {
  readonly daemon: Daemon;
  readonly source: LoopSource;
  /** Stops cleanly, as on SIGTERM. */
  readonly stop: () => Promise<void>;
  /** Of a replica: the state after the step that was shown last. */
  readonly shown?: () => State;
  /** Of a replica: does the work once its machine is awake. */
  readonly whenAwake?: (work: () => void) => void;
  /** Of a replica: every step that was decided was shown. */
  readonly isQuiet?: () => boolean;
};

export type ProcessEnvironment = NetworkWorld & {
  readonly disk: SimulatedDisk;
  readonly killFileExists: () => boolean;
  readonly observe: (seen: RunEvent) => void;
  readonly onLeft: (request: SentRequest) => void;
  readonly onDeath: (boundary: string) => void;
};

/**
 * Starts a process on the journal of the disk; undefined if it ends at once, as the rest of a large commit cannot be
 * brought in while the disk fails. Once it dies, nothing answers it any more.
 */
export function startProcess(
  setup: WatchdogSetup,
  sources: Sources,
  world: ProcessEnvironment,
): ProcessLife | undefined {
  const { time, observe } = world;
  const mortality = createMortality(world);
  const { isArmed } = mortality;
  const opened = world.disk.open(() => isArmed("within_commit") || isArmed("commit_complete"));
  if (!opened.ok) {
    if (!world.disk.isFailing()) throw new Error(`the journal cannot be opened: ${opened.problem}`);
    world.onDeath("at the start");
    return undefined;
  }
  const machine = { wall: time.wall, steady: time.steady };
  const clock = systemClock(lastAtOf(opened.value), machine);
  const gaps = createGapDetector(LONGEST_USUAL_GAP, machine);
  const own = { mortality, clock, gaps, journal: opened.value };
  const daemon = spawnDaemon(setup, sources, world, own);
  const { loop } = daemon;
  observe({ type: "restarted", at: time.now(), policy: loop.policy(), state: loop.state() });
  const cleanup = beginWork(daemon);
  return {
    daemon,
    source: createLoopSource({ loop, clock, lists: daemon.lists, journal: opened.value }),
    ...mortality,
    stop: async () => {
      await cleanup.run();
      mortality.die("stopped");
    },
  };
}

/** Lets the daemon begin its work; the cleanup ends it. */
export function beginWork(daemon: Daemon): Cleanup {
  const cleanup = createCleanup((name, error) => {
    throw new Error(`what has begun could not be ended: ${name}`, { cause: error });
  });
  cleanup.add("clients", daemon.close);
  daemon.begin(cleanup);
  return cleanup;
}

function spawnDaemon(
  setup: WatchdogSetup,
  sources: Sources,
  world: ProcessEnvironment,
  {
    mortality: { isAlive, pass, isArmed },
    clock,
    gaps,
    journal,
  }: {
    readonly mortality: Mortality;
    readonly clock: Clock;
    readonly gaps: GapDetector;
    readonly journal: Journal;
  },
): Daemon {
  const { time, observe } = world;
  const watched = observedJournal(journal, world.disk, { isAlive, pass, isArmed });
  const daemon = createDaemon(setup, sources, {
    clock,
    gaps,
    journal: watched,
    journalCheck: checkOf(journal, world, isAlive),
    random: () => nextRandom(world.random),
    createSender: createNetwork(world, userOf(world, { isAlive, pass })),
    fileExists: () => world.killFileExists(),
    onStep: (event, result, stampedAt) => {
      if (!isAlive()) return;
      const { loop } = daemon;
      const durable = watched.isDurable();
      const shown = { event, result, durable, policy: loop.policy(), state: loop.state() };
      const disk = world.disk.isSynced() ? {} : ({ unsynced: true } as const);
      observe({ type: "step", at: time.now(), stampedAt, ...shown, ...disk });
      // The step comes first: it is on disk, even if the process dies now.
      pass("after_commit");
      if (isArmed("commit_complete") && world.disk.isCommitComplete()) pass("commit_complete");
      if (result.effects.some(({ type }) => type === "act")) pass("after_commit_of_action");
    },
    onBug: (error, event) => {
      if (!isAlive()) return;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      observe({ type: "threw", at: time.now(), error: text, event: event.type });
    },
  });
  return daemon;
}

/** The check of the journal: finds the damage that there is when it ends. */
function checkOf(
  journal: Journal,
  { disk, time, observe }: ProcessEnvironment,
  isAlive: () => boolean,
): JournalCheck {
  return {
    begin: (onSound) => {
      const timer = setTimeout(() => {
        if (!isAlive()) return;
        const { isDamaged } = disk.damage();
        observe({ type: "checked", at: time.now(), isDamaged });
        if (isDamaged) journal.condemn("the journal is damaged");
        else onSound();
      }, disk.damage().checkTakes);
      return () => clearTimeout(timer);
    },
  };
}

export function userOf(
  world: Pick<ProcessEnvironment, "onLeft">,
  { isAlive, pass }: Pick<Mortality, "isAlive" | "pass">,
): NetworkClient {
  return {
    isAlive,
    onLeft: (request) => {
      world.onLeft(request);
      if (request.purpose === "act") pass("action_left");
    },
    onAnswered: ({ purpose }) => {
      if (purpose === "act") pass("action_answered");
    },
  };
}
