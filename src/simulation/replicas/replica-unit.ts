import type { Clock } from "../../domain/time.ts";
import { HOME } from "../../domain/lease.ts";
import { systemClock } from "../../io/process/clock.ts";
import { createGapDetector } from "../../io/process/gap.ts";
import type { JournalRecord } from "../../io/journal/journal.ts";
import type { LeaseStore } from "../../io/postgres/lease-store.ts";
import type { SharedJournal } from "../../io/journal/shared-journal.ts";
import { nextRandom } from "../../simulator/model/random.ts";
import { createDaemon, LONGEST_USUAL_GAP, type Daemon } from "../../run/daemon.ts";
import { lastAtOf } from "../../run/load-state.ts";
import { createLoopSource } from "../../run/loop-source.ts";
import type { CommitsLater, LoopJournal } from "../../run/commit/loop-journal.ts";
import {
  startReplica,
  type Owned,
  type OwnerLife,
  type Replica,
} from "../../run/replica/replica.ts";
import { createNetwork } from "../machine/network.ts";
import { isOfAction } from "../machine/observed-journal.ts";
import type { Mortality } from "../machine/mortality.ts";
import { beginWork, userOf } from "../machine/process-life.ts";
import type { ReplicaEnvironment } from "./replica-environment.ts";
import { createTenure, type Tenure } from "./tenure.ts";

/** A unit within a process, which asks for the unit's lease and lives as its owner while it has the lease. */
export type SimulatedUnit = Pick<Replica, "hung" | "stop"> & {
  readonly unit: string;
  /** The last tenure that it had. */
  readonly tenure: () => Tenure | undefined;
};

type ReplicaLife = Mortality & {
  /** Stops the process cleanly. */
  readonly stop: () => Promise<void>;
};

export function startUnit(
  world: ReplicaEnvironment,
  unit: string,
  own: ReplicaLife,
): SimulatedUnit {
  const { owner, machine, database, time } = world;
  let tenure: Tenure | undefined;
  const onWritten = (record: JournalRecord): void => {
    tenure?.noteWritten(record);
    if (isOfAction(record)) world.onActionWritten();
  };
  // A database that has lost a take-over gives its epoch again: an answer to an older tenure says nothing of this one.
  const loser = (epoch: number): (() => void) => {
    const asking = tenure;
    return () => {
      const isOlder = asking !== tenure && asking?.epoch === epoch;
      if (tenure?.epoch === epoch && !isOlder) tenure.lostAt ??= time.now();
    };
  };
  const from = { machine, isAlive: own.isAlive, owner, onWritten };
  const { leases, ...journal } = database.connect(from, unit);
  const { hung, stop } = startReplica({
    owner,
    leases: toldBy(leases, loser),
    journal: fencedBy(journal, loser),
    clocks: machine,
    live: (owned) => {
      const begun = live(world, unit, own, owned);
      ({ tenure } = begun);
      return begun.life;
    },
  });
  return { unit, tenure: () => tenure, hung, stop };
}

/** The same store, which reports a renewal that was refused because another has the lease. */
function toldBy(leases: LeaseStore, loser: (epoch: number) => () => void): LeaseStore {
  return {
    ...leases,
    renew: async (owner, epoch) => {
      const lose = loser(epoch);
      const renewed = await leases.renew(owner, epoch);
      if (renewed.ok && !renewed.value) lose();
      return renewed;
    },
  };
}

function fencedBy(journal: SharedJournal, loser: (epoch: number) => () => void): SharedJournal {
  return {
    ...journal,
    commit: async (record, fence) => {
      const lose = loser(fence.epoch);
      const committed = await journal.commit(record, fence);
      if (!committed.ok && committed.problem.kind === "fenced") lose();
      return committed;
    },
  };
}

type Begun = { readonly tenure: Tenure; readonly life: OwnerLife };

function live(world: ReplicaEnvironment, unit: string, own: ReplicaLife, owned: Owned): Begun {
  const { machine, time } = world;
  const { epoch } = owned.lease;
  const tenure = createTenure({ unit, epoch }, (seen) => world.observe(tenure, seen), time.now);
  const isAlive = (): boolean => own.isAlive() && !tenure.isOver();
  const clock = systemClock(lastAtOf(owned.journal), machine);
  const daemon = spawnDaemon(world, owned, { tenure, mortality: own, isAlive, clock });
  const { loop, lists } = daemon;
  const isOwner = world.onOwner(tenure, loop.policy);
  tenure.begin(loop.policy(), loop.state());
  const cleanup = beginWork(daemon);
  if (isOwner && unit === HOME) {
    const { journal } = world;
    const source = createLoopSource({ loop, clock, lists, journal, lease: owned.lease });
    const ofReplica = { shown: tenure.state, isQuiet: tenure.isQuiet, whenAwake: machine.run };
    world.onUp({ daemon, source, ...own, isAlive, ...ofReplica });
  }
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
  { lease, journal, onTurn, onFenced }: Owned,
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
  const user = userOf({ onLeft: (request) => world.onLeft(tenure, request) }, mortality);
  const daemon = createDaemon(world.setup(tenure.unit), world.sources(tenure.unit), {
    clock,
    gaps: createGapDetector(LONGEST_USUAL_GAP, machine),
    journal: observed(journal, tenure, mortality),
    lease,
    onFenced,
    onTick: onTurn,
    random: () => nextRandom(world.random),
    createSender: createNetwork(
      { ...world, serverAt: (url) => world.serverAt(url, tenure) },
      { ...user, machine },
    ),
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

/** The journal of one tenure: commits pass their boundaries, and the tenure knows which are on their way. */
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
      tenure.noteCommitted(record, committed.ok);
      return committed;
    },
  };
}
