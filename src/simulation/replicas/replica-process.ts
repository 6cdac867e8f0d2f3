import type { Clock } from "../../domain/time.ts";
import { systemClock } from "../../io/process/clock.ts";
import { createGapDetector } from "../../io/process/gap.ts";
import { createCleanup } from "../../io/process/lifecycle.ts";
import type { Journal, JournalRecord } from "../../io/journal/journal.ts";
import type { LeaseStore } from "../../io/journal/lease-store.ts";
import type { SharedJournal } from "../../io/journal/shared-journal.ts";
import { nextRandom } from "../../simulator/model/random.ts";
import { createDaemon, LONGEST_USUAL_GAP, type Daemon } from "../../run/daemon.ts";
import { createLoopSource } from "../../run/loop-source.ts";
import type { CommitsLater, LoopJournal } from "../../run/commit/loop-journal.ts";
import { startReplica, type Owned, type OwnerLife } from "../../run/replica/replica.ts";
import type { Sources, WatchdogSetup } from "../../run/setup.ts";
import { createNetwork } from "../machine/network.ts";
import type { Machine } from "../machine/machines.ts";
import {
  createMortality,
  isOfAction,
  userOf,
  type Mortality,
  type ProcessEnvironment,
  type ProcessLife,
} from "../machine/process-life.ts";
import type { RunEvent } from "../run-event.ts";
import type { SharedDatabase } from "./shared-database.ts";
import { createTenure, type Tenure } from "./tenure.ts";

/** A process that is one of several replicas, from its start to its crash or its end. */
export type ReplicaProcess = Mortality & { readonly stop: () => Promise<void> };

export type ReplicaEnvironment = Omit<ProcessEnvironment, "disk" | "onLeft" | "observe"> & {
  readonly owner: string;
  readonly machine: Machine;
  readonly database: SharedDatabase;
  /** What people ask the journal for, whoever owns it. */
  readonly journal: Journal;
  readonly setup: () => WatchdogSetup;
  readonly sources: Sources;
  /** The database has written what an action needs, and the replica does not know yet. */
  readonly onActionWritten: () => void;
  /** It has begun to live as the owner: what it shows is of the run from now on, until another does. */
  readonly onOwner: (tenure: Tenure) => void;
  readonly onUp: (life: ProcessLife) => void;
  /** Shown by that tenure; left out if another has begun since. */
  readonly observe: (tenure: Tenure | undefined, seen: RunEvent) => void;
  readonly onLeft: (tenure: Tenure, request: Parameters<ProcessEnvironment["onLeft"]>[0]) => void;
};

export function startReplicaProcess(world: ReplicaEnvironment): ReplicaProcess {
  const { owner, machine, database, time } = world;
  let tenure: Tenure | undefined;
  const mortality = createMortality({
    time,
    observe: (seen) => {
      tenure?.showWritten();
      world.observe(tenure, seen);
    },
    onDeath: (boundary) => {
      tenure?.end();
      machine.dropTimers();
      world.onDeath(boundary);
    },
  });
  const { isAlive } = mortality;
  let stop = async (): Promise<void> => await Promise.resolve();
  const stopProcess = async (): Promise<void> =>
    await new Promise((resolve) => {
      const end = async (): Promise<void> => {
        await stop();
        mortality.die("stopped");
        resolve();
      };
      machine.run(() => void end());
    });
  machine.run(() => {
    if (!isAlive()) return;
    const replica = startReplica({
      owner,
      ...connect(),
      clocks: machine,
      live: (owned) => {
        const begun = live(world, mortality, owned, stopProcess);
        ({ tenure } = begun);
        return begun.life;
      },
    });
    stop = replica.stop;
  });

  function connect() {
    const onWritten = (record: JournalRecord): void => {
      tenure?.noteWritten(record);
      if (isOfAction(record)) world.onActionWritten();
    };
    const { leases, ...journal } = database.connect({ machine, isAlive, onWritten });
    const lose = (epoch: number): void => {
      if (tenure?.epoch === epoch) tenure.lostAt ??= time.now();
    };
    return { leases: toldBy(leases, lose), journal: fencedBy(journal, lose) };
  }

  return { ...mortality, stop: stopProcess };
}

/** The same, and what it says of a lease that another has. */
function toldBy(leases: LeaseStore, lose: (epoch: number) => void): LeaseStore {
  return {
    ...leases,
    renew: async (owner, epoch) => {
      const renewed = await leases.renew(owner, epoch);
      if (renewed.ok && !renewed.value) lose(epoch);
      return renewed;
    },
  };
}

function fencedBy(journal: SharedJournal, lose: (epoch: number) => void): SharedJournal {
  return {
    ...journal,
    commit: async (record, fence) => {
      const committed = await journal.commit(record, fence);
      if (!committed.ok && committed.problem.kind === "fenced") lose(fence.epoch);
      return committed;
    },
  };
}

type Begun = { readonly tenure: Tenure; readonly life: OwnerLife };

function live(
  world: ReplicaEnvironment,
  mortality: Mortality,
  owned: Owned,
  stop: () => Promise<void>,
): Begun {
  const { machine, time } = world;
  const rows = [...owned.journal.rows()];
  const { epoch } = owned.lease;
  const tenure = createTenure(epoch, (seen) => world.observe(tenure, seen), time.now);
  const isAlive = (): boolean => mortality.isAlive() && !tenure.isOver();
  const lastAt = rows.find(({ table, key }) => table === "counter" && key === "at")?.value;
  const clock = systemClock(typeof lastAt === "number" ? lastAt : 0, machine);
  const daemon = spawnDaemon(world, owned, { tenure, mortality, isAlive, clock });
  const { loop, lists } = daemon;
  world.onOwner(tenure);
  tenure.begin(loop.policy(), loop.state());
  const cleanup = createCleanup((name, error) => {
    throw new Error(`what has begun could not be ended: ${name}`, { cause: error });
  });
  cleanup.add("clients", daemon.close);
  daemon.begin(cleanup);
  const source = createLoopSource({ loop, clock, lists, journal: world.journal });
  const ofReplica = {
    shown: tenure.state,
    isQuiet: tenure.isQuiet,
    whenAwake: machine.run,
  };
  world.onUp({ daemon, source, ...mortality, isAlive, stop, ...ofReplica });
  const abandon = (): void => {
    tenure.showWritten();
    if (isAlive()) world.observe(tenure, { type: "crashed", at: time.now(), boundary: LOST });
    tenure.end();
    daemon.abandon();
    void cleanup.run();
  };
  return { tenure, life: { stop: cleanup.run, abandon } };
}

function spawnDaemon(
  world: ReplicaEnvironment,
  { lease, journal, onFenced }: Owned,
  own: {
    readonly tenure: Tenure;
    readonly mortality: Mortality;
    readonly isAlive: () => boolean;
    readonly clock: Clock;
  },
): Daemon {
  const { machine, time } = world;
  const { tenure, mortality, isAlive, clock } = own;
  const { pass } = mortality;
  const user = userOf({ onLeft: (request) => world.onLeft(tenure, request) }, isAlive, pass);
  const daemon = createDaemon(world.setup(), world.sources, {
    clock,
    gaps: createGapDetector(LONGEST_USUAL_GAP, machine),
    journal: observed(journal, tenure, mortality),
    lease,
    onFenced,
    random: () => nextRandom(world.random),
    createSender: createNetwork(world, { ...user, isAlive: mortality.isAlive, machine }),
    fileExists: () => world.killFileExists(),
    onDecided: (decided) => {
      const { loop } = daemon;
      tenure.decide(decided, loop.stateSoFar(), loop.policy());
    },
    onStep: (_event, result) => {
      if (!isAlive()) return;
      tenure.show();
      pass("after_commit");
      if (result.effects.some(({ type }) => type === "act")) pass("after_commit_of_action");
    },
    onBug: (error, event) => {
      if (!isAlive()) return;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      world.observe(tenure, { type: "threw", at: time.now(), error: text, event: event.type });
    },
  });
  return daemon;
}

const LOST = "it lost its lease";

/** The journal of one tenure: it passes its boundaries, and the tenure knows what is on its way. */
function observed(journal: LoopJournal, tenure: Tenure, { isAlive, pass }: Mortality): LoopJournal {
  const { rows, commitLater } = journal as CommitsLater & Pick<LoopJournal, "rows">;
  return {
    rows,
    commitLater: async (record) => {
      pass("before_commit");
      if (isOfAction(record)) pass("before_commit_of_action");
      if (!isAlive()) return await new Promise(() => undefined);
      tenure.noteSent(record);
      const committed = await commitLater(record);
      tenure.noteCommitted(committed.ok);
      return committed;
    },
  };
}
