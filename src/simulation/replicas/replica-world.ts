import { HOME } from "../../domain/lease.ts";
import type { Millis } from "../../domain/time.ts";
import type { Stalls } from "../machine/stalls.ts";
import { createOwners, type Owners } from "./owners.ts";
import { unsharedUnits } from "./lease-checks.ts";
import { createLostCommits, type LostCommits } from "./lost-commits.ts";
import { createReplicaStalls } from "./replica-stalls.ts";
import { begin, unowned, type ReplicaWorldParts, type Running } from "./running-replicas.ts";
import { createSharedDatabase, type SharedDatabase } from "./shared-database.ts";
import type { Tenure } from "./tenure.ts";

/** Several replicas, each on a machine of its own, and one database. */
export type ReplicaWorld = Pick<Owners, "isQuiet" | "ends"> & {
  readonly database: SharedDatabase;
  readonly lose: LostCommits["lose"];
  /** Starts the replicas that are down. */
  readonly start: () => void;
  readonly partition: (whom: "owner" | "standby", length: Millis) => void;
  readonly stalls: Stalls;
  /** The unit whose request is being answered: undefined if it comes from a replica that does not own it. */
  readonly answeringFor: () => string | undefined;
  /** Ends all faults; gives how long it takes until that has its effect. */
  readonly endFaults: () => Millis;
};

/** By then the lease has run out, and another replica has taken it and read the rows. */
const TAKEN_OVER_AFTER: Millis = 25_000;

/** How long after a machine woke its daemon has looked at both clocks. */
const SET_AFTER: Millis = 2_000;

export function createReplicaWorld(parts: ReplicaWorldParts): ReplicaWorld {
  const { time, clockRates } = parts;
  const commits = createLostCommits({
    ...parts,
    database: () => running.database,
    owners: () => running.owners,
    onPromoted: () => endForgotten(running),
  });
  const running: Running = {
    parts,
    database: createSharedDatabase({
      ...parts,
      ...commits,
      onUnfenced: (_unit, what) => unowned(running, what),
    }),
    commits,
    stalls: createReplicaStalls(
      parts,
      (machine, seen) => running.owners.showOf(machine, seen),
      () => running.owners.of(HOME)?.replica.machine,
    ),
    replicas: clockRates.map((rate, index) => ({
      name: `replica ${index + 1}`,
      machine: time.createMachine(rate),
      process: undefined,
      as: "",
    })),
    owners: createOwners(parts),
    asking: undefined,
    lives: 0,
    hasEnded: false,
  };
  const { database, stalls, replicas } = running;
  return {
    database,
    lose: commits.lose,
    start: () => {
      for (const replica of replicas) if (replica.process === undefined) begin(running, replica);
    },
    partition: (whom, length) => partition(running, whom, length),
    stalls,
    answeringFor: () => {
      const { asking, owners } = running;
      if (asking === undefined) return HOME;
      return owners.isOwner(asking) && !asking.written.isLost() ? asking.unit : undefined;
    },
    isQuiet: running.owners.isQuiet,
    ends: () => {
      // By the end, the replicas share all units.
      const unshared = unsharedUnits(replicas, running.owners.count, parts.shards);
      if (unshared !== undefined) unowned(running, unshared);
      return running.owners.ends();
    },
    endFaults: () => endFaults(running),
  };
}

function endFaults(running: Running): Millis {
  const { parts, database, stalls, commits, replicas } = running;
  const { time } = parts;
  running.hasEnded = true;
  stalls.end();
  commits.end();
  database.setFaults({});
  for (const { machine, process: own } of replicas) {
    own?.dieAt(undefined);
    database.setPartitioned(machine, false);
    // If a clock is set meanwhile, none says how long the machine slept.
    time.at(machine.wakesAt() + SET_AFTER, () => machine.setWallError(0));
  }
  const wakesIn = replicas.map(({ machine }) => machine.wakesAt() - time.now());
  return TAKEN_OVER_AFTER + Math.max(0, ...wakesIn);
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

/**
 * Restarts the machine of a replica that was suspended before a take-over that is now lost. Otherwise it would continue
 * under its epoch, but the checkers follow one owner after another, and never back.
 */
function endForgotten({ replicas, owners, database }: Running): void {
  for (const { process: own, as } of replicas) {
    const isForgotten = (tenure: Tenure): boolean =>
      !tenure.isOver() &&
      !owners.isOwner(tenure) &&
      database.isOwner(tenure.unit, as, tenure.epoch);
    if (own?.tenures().some(isForgotten) === true) own.die("restarted with the database");
  }
}
