import type { Journal } from "../../io/journal/journal.ts";
import type { CommitStamp, Fence } from "../../io/journal/shared-journal.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import type { Sources, WatchdogSetup } from "../../run/setup.ts";
import type { Machine } from "../machine/machines.ts";
import type { NetworkWorld, SentRequest, Server } from "../machine/network.ts";
import type { ProcessLife } from "../machine/process-life.ts";
import type { Stalls } from "../machine/stalls.ts";
import type { VirtualTime } from "../machine/virtual-time.ts";
import type { RunEvent } from "../run-event.ts";
import { startReplicaProcess, type ReplicaProcess } from "./replica-process.ts";
import { createReplicaStalls, type ReplicaStalls } from "./replica-stalls.ts";
import { createSharedDatabase, type SharedDatabase } from "./shared-database.ts";
import type { Tenure } from "./tenure.ts";

/** Several replicas, each on a machine of its own, and one database. */
export type ReplicaWorld = {
  readonly database: SharedDatabase;
  /** Starts those that are down. */
  readonly start: () => void;
  readonly partition: (whom: "owner" | "standby", length: Millis) => void;
  readonly stalls: Stalls;
  /** A request is being answered that comes from a replica which is not the owner. */
  readonly isAnsweringOther: () => boolean;
  /** Nothing is broken on purpose any more; gives how long that takes until it has its effect. */
  readonly endFaults: () => Millis;
};

export type ReplicaWorldParts = NetworkWorld & {
  readonly rates: readonly number[];
  readonly time: VirtualTime;
  readonly journal: Journal;
  readonly killFileExists: () => boolean;
  readonly setup: () => WatchdogSetup;
  readonly sources: (whenAwake: (work: () => void) => void) => Sources;
  /** How long a request that acts may take at the most. */
  readonly longestRequestMs: Millis;
  readonly note: (text: string) => void;
  /** Shown by the owner. */
  readonly observe: (seen: RunEvent) => void;
  readonly onLeft: (request: SentRequest) => void;
  readonly onUp: (life: ProcessLife) => void;
  /** The replica died that was the owner, or another. Gives how long it is down. */
  readonly onDeath: (wasOwner: boolean) => Millis;
};

type Replica = {
  readonly name: string;
  readonly machine: Machine;
  process: ReplicaProcess | undefined;
};

type Running = {
  readonly parts: ReplicaWorldParts;
  readonly database: SharedDatabase;
  readonly stalls: ReplicaStalls;
  readonly replicas: readonly Replica[];
  /** Who lives as the owner, or did last. */
  owner: { readonly replica: Replica; readonly tenure: Tenure } | undefined;
  /** Whose request is just being answered. */
  asking: Replica | undefined;
  lives: number;
  hasEnded: boolean;
};

/** The lease has run out by then, and another has taken it and read the rows. */
const TAKEN_OVER_AFTER: Millis = 25_000;

/** So long after it woke, its daemon has looked at both clocks. */
const SET_AFTER: Millis = 2_000;

export function createReplicaWorld(parts: ReplicaWorldParts): ReplicaWorld {
  const { time, rates } = parts;
  const running: Running = {
    parts,
    database: createSharedDatabase({
      ...parts,
      onUnfenced: (fence, found) => unowned(running, unfencedText(fence, found)),
    }),
    stalls: createReplicaStalls(parts, () => running.owner?.replica.machine),
    replicas: rates.map((rate, index) => ({
      name: `replica ${index + 1}`,
      machine: time.createMachine(rate),
      process: undefined,
    })),
    owner: undefined,
    asking: undefined,
    lives: 0,
    hasEnded: false,
  };
  const { database, stalls, replicas } = running;
  return {
    database,
    start: () => {
      for (const replica of replicas) if (replica.process === undefined) begin(running, replica);
    },
    partition: (whom, length) => partition(running, whom, length),
    stalls,
    isAnsweringOther: () =>
      running.asking !== undefined && running.asking !== running.owner?.replica,
    endFaults: () => {
      running.hasEnded = true;
      stalls.end();
      database.setFaults({});
      for (const { machine, process: own } of replicas) {
        own?.dieAt(undefined);
        database.setPartitioned(machine, false);
        // No clock says how long it slept if it is set meanwhile.
        time.at(machine.wakesAt() + SET_AFTER, () => machine.setWallError(0));
      }
      const wakesIn = replicas.map(({ machine }) => machine.wakesAt() - time.now());
      return TAKEN_OVER_AFTER + Math.max(0, ...wakesIn);
    },
  };
}

function partition(running: Running, whom: "owner" | "standby", length: Millis): void {
  const { parts, replicas, database } = running;
  const own = running.owner?.replica ?? replicas[0];
  const cut = whom === "owner" ? own : replicas.find((one) => one !== own);
  if (cut === undefined || running.hasEnded) return;
  const { time } = parts;
  database.setPartitioned(cut.machine, true);
  time.at(time.now() + length, () => database.setPartitioned(cut.machine, false));
}

function unowned({ parts: { observe, time } }: Running, what: string): void {
  observe({ type: "unowned", at: time.now(), what });
}

function unfencedText(fence: Fence, found: CommitStamp): string {
  const { epoch, sequence, after } = fence;
  return `commit ${sequence} of epoch ${epoch}, which follows ${after}, is written over ${found.sequence} of epoch ${found.epoch}`;
}

/** What it has begun to deliver may be tried once more. */
const ENDS_WITHIN: Millis = SECOND;

/** Who was told that another has its lease stands by. */
function checkStandby(running: Running, name: string, tenure: Tenure): void {
  const { time } = running.parts;
  const { lostAt } = tenure;
  if (lostAt === undefined || time.now() - lostAt <= ENDS_WITHIN) return;
  const told = `${Math.round(time.now() - lostAt)} ms ago`;
  unowned(
    running,
    `${name} asks in epoch ${tenure.epoch}; it was told ${told} that another has the lease`,
  );
}

/** By the database, and not by what the replica believes. */
function checkLease(running: Running, { name }: Replica, as: string, { epoch }: Tenure): void {
  const { time, longestRequestMs } = running.parts;
  const until = running.database.leasedUntil(as, epoch) ?? Number.NEGATIVE_INFINITY;
  const leftMs = until - time.now();
  if (leftMs >= longestRequestMs) return;
  const left = Number.isFinite(leftMs) ? `${Math.round(leftMs)} ms of its lease` : "no lease";
  unowned(running, `${name} sends an action in epoch ${epoch}, and has ${left} left`);
}

/** What the owner shows is of the run; another shows nothing that matters, or something that must not be. */
function show(running: Running, { name }: Replica, tenure: Tenure | undefined, seen: RunEvent) {
  if (tenure !== undefined && running.owner?.tenure === tenure) return running.parts.observe(seen);
  if (seen.type === "step" && seen.durable && seen.result.changes.length > 0)
    unowned(running, `${name} commits in epoch ${tenure?.epoch}, and another owns it`);
}

/** The same server, which knows who asks. */
function serverOf(running: Running, replica: Replica, url: URL): Server | undefined {
  const server = running.parts.serverAt(url);
  if (server === undefined) return undefined;
  return {
    ...server,
    handle: (outgoing) => {
      running.asking = replica;
      const reply = server.handle(outgoing);
      running.asking = undefined;
      return reply;
    },
  };
}

function begin(running: Running, replica: Replica): void {
  const { parts, database, stalls } = running;
  const { time, note } = parts;
  running.lives += 1;
  const as = `${replica.name}, life ${running.lives}`;
  note(`${as} starts`);
  const whenAwake = (work: () => void): void =>
    replica.machine.run(() => {
      if (replica.process?.isAlive() === true) work();
    });
  replica.process = startReplicaProcess({
    ...parts,
    owner: as,
    machine: replica.machine,
    database,
    sources: parts.sources(whenAwake),
    serverAt: (url) => serverOf(running, replica, url),
    onActionWritten: stalls.atAction,
    observe: (tenure, seen) => show(running, replica, tenure, seen),
    onOwner: (tenure) => {
      note(`${as} is the owner, in epoch ${tenure.epoch}`);
      running.owner?.tenure.showWritten();
      if (running.owner?.tenure.isOver() === false)
        parts.observe({ type: "crashed", at: time.now(), boundary: "another replica took over" });
      running.owner = { replica, tenure };
    },
    onLeft: (tenure, request) => {
      if (request.purpose === "act") checkLease(running, replica, as, tenure);
      checkStandby(running, replica.name, tenure);
      if (request.purpose === "act" || running.owner?.tenure === tenure) parts.onLeft(request);
    },
    onDeath: () => {
      note(`${as} ends`);
      end(running, replica);
    },
  });
}

function end(running: Running, replica: Replica): void {
  const { time, onDeath } = running.parts;
  replica.process = undefined;
  // What the dying still does may set timers; by then the next process may have its own.
  time.at(time.now(), () => {
    if (replica.process === undefined) replica.machine.dropTimers();
  });
  const downFor = onDeath(running.owner?.replica === replica);
  time.at(time.now() + Math.max(1, downFor), () => {
    if (replica.process === undefined) begin(running, replica);
  });
}
