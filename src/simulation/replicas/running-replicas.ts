import type { Journal } from "../../io/journal/journal.ts";
import { HOME } from "../../domain/lease.ts";
import type { Millis } from "../../domain/time.ts";
import type { Sources, WatchdogSetup } from "../../run/setup.ts";
import type { SimulatedDisk } from "../machine/disk.ts";
import type { Machine } from "../machine/machines.ts";
import type { NetworkWorld, SentRequest, Server } from "../machine/network.ts";
import type { ProcessLife } from "../machine/process-life.ts";
import type { Stalls } from "../machine/stalls.ts";
import type { RunEvent } from "../run-event.ts";
import { wrongToLeave } from "./lease-checks.ts";
import type { LostCommits } from "./lost-commits.ts";
import type { Owners } from "./owners.ts";
import { startReplicaProcess, type ReplicaProcess } from "./replica-process.ts";
import type { SharedDatabase } from "./shared-database.ts";
import type { Tenure } from "./tenure.ts";

/** The replicas of a world while it runs: how their processes begin and end, and what they may show and send. */

export type ReplicaWorldParts = NetworkWorld & {
  readonly clockRates: readonly number[];
  readonly shards: number;
  readonly journalOf: (unit: string) => Journal;
  readonly diskOf: (unit: string) => Pick<SimulatedDisk, "keep">;
  readonly killFileExists: () => boolean;
  readonly setup: (unit: string) => WatchdogSetup;
  readonly sources: (unit: string, whenAwake: (work: () => void) => void) => Sources;
  /** How long a request that acts may take at most. */
  readonly longestRequestMs: Millis;
  readonly note: (text: string) => void;
  /** Shows an event of the owner of the unit. */
  readonly observe: (seen: RunEvent, unit: string) => void;
  readonly onLeft: (request: SentRequest, unit: string) => void;
  /** Any replica has sent a request. */
  readonly onAsked: (server: string) => void;
  readonly onTakeOver: (unit: string) => void;
  readonly onUp: (life: ProcessLife) => void;
  /** A replica died, the owner of `home` or another; gives how long it is down. */
  readonly onDeath: (wasOwner: boolean) => Millis;
};

type Replica = {
  readonly name: string;
  readonly machine: Machine;
  process: ReplicaProcess | undefined;
  /** The name of its process as an owner of leases. */
  as: string;
};

export type Running = {
  readonly parts: ReplicaWorldParts;
  readonly database: SharedDatabase;
  readonly commits: LostCommits;
  readonly stalls: Stalls;
  readonly replicas: readonly Replica[];
  readonly owners: Owners;
  /** The tenure whose request is being answered now. */
  asking: Tenure | undefined;
  lives: number;
  hasEnded: boolean;
};

export function unowned({ parts: { observe, time } }: Running, what: string): void {
  observe({ type: "unowned", at: time.now(), what }, HOME);
}

/** Events of the owner are part of the run. A commit of another replica is a violation; the rest does not matter. */
function show(running: Running, { name }: Replica, tenure: Tenure, seen: RunEvent): void {
  const { unit, epoch } = tenure;
  const isVoid = seen.type === "step" && tenure.written.isLost();
  if (running.owners.isOwner(tenure) && !isVoid) return running.parts.observe(seen, unit);
  if (seen.type === "step" && seen.durable && seen.result.changes.length > 0)
    unowned(running, `${name} commits ${unit} in epoch ${epoch}, and another owns it`);
}

/** The server at an address, which notes whose request it answers. */
function serverOf(running: Running, tenure: Tenure, url: URL): Server | undefined {
  const server = running.parts.serverAt(url);
  if (server === undefined) return undefined;
  return {
    ...server,
    handle: (outgoing, sentAt) => {
      running.asking = tenure;
      const reply = server.handle(outgoing, sentAt);
      running.asking = undefined;
      return reply;
    },
  };
}

/** Starts the next process of a replica. */
export function begin(running: Running, replica: Replica): void {
  const { parts, database, stalls } = running;
  running.lives += 1;
  const as = `${replica.name}, life ${running.lives}`;
  replica.as = as;
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
      const { unit, epoch } = tenure;
      // It has read rows that were lost since.
      if (running.commits.hasLost() && !database.isOwner(unit, as, epoch)) return false;
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
  // The dying process may still set timers. Later than this, the next process may have its own.
  time.at(time.now(), () => {
    if (replica.process === undefined) replica.machine.dropTimers();
  });
  const downFor = onDeath(running.owners.of(HOME)?.replica === replica);
  time.at(time.now() + Math.max(1, downFor), () => {
    if (replica.process === undefined) begin(running, replica);
  });
}
