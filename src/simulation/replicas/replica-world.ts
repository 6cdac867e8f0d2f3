import type { Journal } from "../../io/journal/journal.ts";
import { HOME } from "../../domain/lease.ts";
import type { Millis } from "../../domain/time.ts";
import type { Sources, WatchdogSetup } from "../../run/setup.ts";
import type { Machine } from "../machine/machines.ts";
import type { NetworkWorld, SentRequest, Server } from "../machine/network.ts";
import type { ProcessLife } from "../machine/process-life.ts";
import type { Stalls } from "../machine/stalls.ts";
import type { VirtualTime } from "../machine/virtual-time.ts";
import type { RunEvent } from "../run-event.ts";
import { createOwners, type Owners } from "./owners.ts";
import { unfencedText, unsharedUnits, wrongToLeave } from "./lease-checks.ts";
import { startReplicaProcess, type ReplicaProcess } from "./replica-process.ts";
import { createReplicaStalls, type ReplicaStalls } from "./replica-stalls.ts";
import { createSharedDatabase, type SharedDatabase } from "./shared-database.ts";
import type { Tenure } from "./tenure.ts";

/** Several replicas, each on a machine of its own, and one database. */
export type ReplicaWorld = Pick<Owners, "isQuiet" | "ends"> & {
  readonly database: SharedDatabase;
  /** Starts those that are down. */
  readonly start: () => void;
  readonly partition: (whom: "owner" | "standby", length: Millis) => void;
  readonly stalls: Stalls;
  /** The unit whose request is being answered: undefined if it comes from a replica that does not own it. */
  readonly answeringFor: () => string | undefined;
  /** Nothing is broken on purpose any more; gives how long that takes until it has its effect. */
  readonly endFaults: () => Millis;
};

export type ReplicaWorldParts = NetworkWorld & {
  readonly clockRates: readonly number[];
  readonly time: VirtualTime;
  readonly shards: number;
  readonly journalOf: (unit: string) => Journal;
  readonly killFileExists: () => boolean;
  readonly setup: (unit: string) => WatchdogSetup;
  readonly sources: (unit: string, whenAwake: (work: () => void) => void) => Sources;
  /** How long a request that acts may take at the most. */
  readonly longestRequestMs: Millis;
  readonly note: (text: string) => void;
  /** Shown by the owner of the unit. */
  readonly observe: (seen: RunEvent, unit: string) => void;
  readonly onLeft: (request: SentRequest, unit: string) => void;
  /** A request has left, whoever sends it. */
  readonly onAsked: (server: string) => void;
  readonly onTakeOver: (unit: string) => void;
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
  readonly owners: Owners;
  /** Whose request is just being answered. */
  asking: Tenure | undefined;
  lives: number;
  hasEnded: boolean;
};

/** The lease has run out by then, and another has taken it and read the rows. */
const TAKEN_OVER_AFTER: Millis = 25_000;

/** So long after it woke, its daemon has looked at both clocks. */
const SET_AFTER: Millis = 2_000;

export function createReplicaWorld(parts: ReplicaWorldParts): ReplicaWorld {
  const { time, clockRates } = parts;
  const running: Running = {
    parts,
    database: createSharedDatabase({
      ...parts,
      onUnfenced: (unit, fence, found) => unowned(running, unfencedText(unit, fence, found)),
    }),
    stalls: createReplicaStalls(
      { ...parts, observe: (machine, seen) => running.owners.showOf(machine, seen) },
      () => running.owners.of(HOME)?.replica.machine,
    ),
    replicas: clockRates.map((rate, index) => ({
      name: `replica ${index + 1}`,
      machine: time.createMachine(rate),
      process: undefined,
    })),
    owners: createOwners(parts),
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
    answeringFor: () => {
      const { asking, owners } = running;
      if (asking === undefined) return HOME;
      return owners.isOwner(asking) ? asking.unit : undefined;
    },
    isQuiet: running.owners.isQuiet,
    ends: () => {
      // By then they have shared all units out.
      const unshared = unsharedUnits(replicas, running.owners.count, parts.shards);
      if (unshared !== undefined) unowned(running, unshared);
      return running.owners.ends();
    },
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
  const own = running.owners.of(HOME)?.replica ?? replicas[0];
  const cut = whom === "owner" ? own : replicas.find((one) => one !== own);
  if (cut === undefined || running.hasEnded) return;
  const { time } = parts;
  database.setPartitioned(cut.machine, true);
  time.at(time.now() + length, () => database.setPartitioned(cut.machine, false));
}

function unowned({ parts: { observe, time } }: Running, what: string): void {
  observe({ type: "unowned", at: time.now(), what }, HOME);
}

/** What the owner shows is of the run; another shows nothing that matters, or something that must not be. */
function show(running: Running, { name }: Replica, tenure: Tenure, seen: RunEvent): void {
  const { unit, epoch } = tenure;
  if (running.owners.isOwner(tenure)) return running.parts.observe(seen, unit);
  if (seen.type === "step" && seen.durable && seen.result.changes.length > 0)
    unowned(running, `${name} commits ${unit} in epoch ${epoch}, and another owns it`);
}

/** The same server, which knows who asks. */
function serverOf(running: Running, tenure: Tenure, url: URL): Server | undefined {
  const server = running.parts.serverAt(url);
  if (server === undefined) return undefined;
  return {
    ...server,
    handle: (outgoing) => {
      running.asking = tenure;
      const reply = server.handle(outgoing);
      running.asking = undefined;
      return reply;
    },
  };
}

function begin(running: Running, replica: Replica): void {
  const { parts, database, stalls } = running;
  running.lives += 1;
  const as = `${replica.name}, life ${running.lives}`;
  parts.note(`${as} starts`);
  const whenAwake = (work: () => void): void =>
    replica.machine.run(() => {
      if (replica.process?.isAlive() === true) work();
    });
  replica.process = startReplicaProcess({
    ...parts,
    owner: as,
    machine: replica.machine,
    database,
    journal: parts.journalOf(HOME),
    sources: (unit) => parts.sources(unit, whenAwake),
    serverAt: (url, tenure) => serverOf(running, tenure, url),
    onActionWritten: stalls.atAction,
    observe: (tenure, seen) => show(running, replica, tenure, seen),
    onOwner: (tenure, policy) => {
      parts.note(`${as} is the owner${ofUnit(tenure)}, in epoch ${tenure.epoch}`);
      return running.owners.takeOver({ replica, tenure, policy });
    },
    onLeft: (tenure, request) => leave(running, { name: replica.name, as, tenure }, request),
    onDeath: () => {
      parts.note(`${as} ends`);
      end(running, replica);
    },
  });
}

function ofUnit({ unit }: Tenure): string {
  return unit === HOME ? "" : ` of ${unit}`;
}

function leave(
  running: Running,
  who: { readonly name: string; readonly as: string; readonly tenure: Tenure },
  request: SentRequest,
): void {
  const { parts, database, owners } = running;
  const { tenure } = who;
  const { leasedUntil } = database;
  const wrong = wrongToLeave({ ...parts, ...who, leasedUntil, now: parts.time.now() }, request);
  for (const what of wrong) unowned(running, what);
  parts.onAsked(request.server.name);
  if (request.purpose === "act" || owners.isOwner(tenure)) parts.onLeft(request, tenure.unit);
}

function end(running: Running, replica: Replica): void {
  const { time, onDeath } = running.parts;
  replica.process = undefined;
  // What the dying still does may set timers; by then the next process may have its own.
  time.at(time.now(), () => {
    if (replica.process === undefined) replica.machine.dropTimers();
  });
  const downFor = onDeath(running.owners.of(HOME)?.replica === replica);
  time.at(time.now() + Math.max(1, downFor), () => {
    if (replica.process === undefined) begin(running, replica);
  });
}
