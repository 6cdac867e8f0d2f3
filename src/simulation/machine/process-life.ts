import type { State } from "../../core/state.ts";
import type { Clock } from "../../domain/time.ts";
import { createGapDetector, type GapDetector } from "../../io/process/gap.ts";
import { systemClock } from "../../io/process/clock.ts";
import type { SimulatedDisk } from "./disk.ts";
import type { Journal, JournalRecord } from "../../io/journal/journal.ts";
import { createCleanup } from "../../io/process/lifecycle.ts";
import { nextRandom, type RandomState } from "../../simulator/model/random.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { createDaemon, LONGEST_USUAL_GAP, type Daemon } from "../../run/daemon.ts";
import type { LoopSource } from "../../io/api/server-source.ts";
import { createLoopSource } from "../../run/loop-source.ts";
import type { JournalCheck } from "../../run/journal-check.ts";
import type { Sources, WatchdogSetup } from "../../run/setup.ts";
import type { Boundary } from "../plan.ts";
import {
  createNetwork,
  type SentRequest,
  type NetworkClient,
  type NetworkWorld,
} from "./network.ts";
import type { RunEvent } from "../run-event.ts";

/** One life of the daemon: from its start to its crash or its end. */
export type ProcessLife = {
  readonly daemon: Daemon;
  readonly source: LoopSource;
  readonly isAlive: () => boolean;
  /** It dies when it next passes there; at once if that is `now`. */
  readonly dieAt: (boundary: Boundary | undefined) => void;
  /** Work passes a boundary: it dies there if it is to. */
  readonly pass: (boundary: Boundary) => void;
  /** Ends in good order, as SIGTERM does. */
  readonly stop: () => Promise<void>;
  /** Of a replica: the state as far as it is committed and was shown. */
  readonly shown?: () => State;
  /** Of a replica: does something with it, once its machine runs. */
  readonly whenAwake?: (work: () => void) => void;
  /** Of a replica: all that was decided was shown. */
  readonly isQuiet?: () => boolean;
};

export type ProcessEnvironment = NetworkWorld & {
  readonly disk: SimulatedDisk;
  readonly random: RandomState;
  readonly time: VirtualTime;
  readonly killFileExists: () => boolean;
  readonly observe: (seen: RunEvent) => void;
  readonly onLeft: (request: SentRequest) => void;
  readonly onDeath: (boundary: string) => void;
};

/** Starts a process on what is on the disk. What it may touch stops answering when it dies. */
export function startProcess(
  setup: WatchdogSetup,
  sources: Sources,
  world: ProcessEnvironment,
): ProcessLife {
  const { time, observe } = world;
  const mortality = createMortality(world);
  const { isArmed } = mortality;
  const opened = world.disk.open(() => isArmed("within_commit") || isArmed("commit_complete"));
  if (!opened.ok) throw new Error(`the journal cannot be opened: ${opened.problem}`);
  const lastAt = opened.value.row("counter", "at");
  const machine = { wall: time.wall, steady: time.steady };
  const clock = systemClock(typeof lastAt === "number" ? lastAt : 0, machine);
  const gaps = createGapDetector(LONGEST_USUAL_GAP, machine);
  const own = { mortality, clock, gaps, journal: opened.value };
  const daemon = spawnDaemon(setup, sources, world, own);
  const { loop } = daemon;
  observe({ type: "restarted", at: time.now(), policy: loop.policy(), state: loop.state() });
  const cleanup = createCleanup((name, error) => {
    throw new Error(`what has begun could not be ended: ${name}`, { cause: error });
  });
  cleanup.add("clients", daemon.close);
  daemon.begin(cleanup);
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

/** Whether a process lives, and where it is to die. */
export type Mortality = Pick<ProcessLife, "isAlive" | "dieAt" | "pass"> & {
  /** It dies when it passes there next. */
  readonly isArmed: (boundary: Boundary) => boolean;
  readonly die: (boundary: string) => void;
};

export function createMortality({
  time,
  observe,
  onDeath,
}: Pick<ProcessEnvironment, "time" | "observe" | "onDeath">): Mortality {
  let isAlive = true;
  let armed: Boundary | undefined;
  const die = (boundary: string): void => {
    if (!isAlive) return;
    isAlive = false;
    observe({ type: "crashed", at: time.now(), boundary });
    onDeath(boundary);
  };
  return {
    isAlive: () => isAlive,
    die,
    pass: (boundary) => {
      if (armed === boundary) die(boundary.replaceAll("_", " "));
    },
    isArmed: (boundary) => armed === boundary,
    dieAt: (boundary) => {
      if (boundary === "now") die("between two events");
      else armed = boundary;
    },
  };
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
  const watched = observed(journal, world.disk, { isAlive, pass, isArmed });
  const daemon = createDaemon(setup, sources, {
    clock,
    gaps,
    journal: watched,
    journalCheck: checkOf(journal, world, isAlive),
    random: () => nextRandom(world.random),
    createSender: createNetwork(world, userOf(world, isAlive, pass)),
    fileExists: () => world.killFileExists(),
    onStep: (event, result, stampedAt) => {
      if (!isAlive()) return;
      const { loop } = daemon;
      const durable = watched.isDurable();
      const shown = { event, result, durable, policy: loop.policy(), state: loop.state() };
      observe({ type: "step", at: time.now(), stampedAt, ...shown });
      // The step comes first: it is on disk, whatever becomes of the process now.
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

/** Finds the damage that is there when it ends. */
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
  isAlive: () => boolean,
  pass: (boundary: Boundary) => void,
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

/** The journal of one process: a dead one writes nothing, and each commit passes its boundaries. */
function observed(
  journal: Journal,
  disk: SimulatedDisk,
  { isAlive, pass, isArmed }: Pick<Mortality, "isAlive" | "pass" | "isArmed">,
): Pick<Journal, "rows" | "commit" | "inPlace"> & { readonly isDurable: () => boolean } {
  let isCommitted = true;
  return {
    rows: () => (isAlive() ? journal.rows() : []),
    inPlace: journal.inPlace,
    commit: (record) => {
      const acts = isOfAction(record);
      pass("before_commit");
      if (acts) pass("before_commit_of_action");
      if (!isAlive()) return { ok: true, value: undefined };
      const commit = (): ReturnType<Journal["commit"]> => {
        const slices = journal.commitInSlices(record);
        for (let slice = slices.next(); ; slice = slices.next()) {
          if (slice.done === true) return slice.value;
          if (isArmed("within_commit") && !disk.isCommitComplete()) pass("within_commit");
          // It is in force: the process dies once its step was seen, and the next one brings the rest in.
          const isLeft = isArmed("commit_complete") && disk.isCommitComplete();
          if (isLeft || !isAlive()) return { ok: true, value: undefined };
        }
      };
      const committed = acts ? disk.commitAction(commit) : commit();
      isCommitted = committed.ok;
      return committed;
    },
    /** Since the step before; a step that has nothing to write is as good as written. */
    isDurable: () => {
      const isDurable = isCommitted;
      isCommitted = true;
      return isDurable;
    },
  };
}

/** It holds the row of an action that is about to be sent. */
export function isOfAction({ changes }: JournalRecord): boolean {
  return changes.some(
    ({ table, value }) =>
      table === "remediation" &&
      (value as { readonly state?: string } | undefined)?.state === "requested",
  );
}
