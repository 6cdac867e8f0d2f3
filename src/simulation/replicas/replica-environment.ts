import type { Policy } from "../../domain/step.ts";
import type { Journal } from "../../io/journal/journal.ts";
import type { Sources, WatchdogSetup } from "../../run/setup.ts";
import type { Machine } from "../machine/machines.ts";
import type { NetworkWorld, Server } from "../machine/network.ts";
import type { ProcessEnvironment, ProcessLife } from "../machine/process-life.ts";
import type { RunEvent } from "../run-event.ts";
import type { SharedDatabase } from "./shared-database.ts";
import type { Tenure } from "./tenure.ts";

/** The surroundings of a replica, and the observers of what it does. */
export type ReplicaEnvironment = Omit<NetworkWorld, "serverAt"> &
  Pick<ProcessEnvironment, "killFileExists" | "onDeath"> & {
    readonly owner: string;
    readonly machine: Machine;
    readonly database: SharedDatabase;
    /** How many units of senders the replicas share. */
    readonly shards: number;
    /** The journal of `home`, for the questions of people, whoever the owner is. */
    readonly journal: Journal;
    readonly setup: (unit: string) => WatchdogSetup;
    readonly sources: (unit: string) => Sources;
    readonly serverAt: (url: URL, asking: Tenure) => Server | undefined;
    /** The database has written the commit of an action, and the replica does not know yet. */
    readonly onActionWritten: () => void;
    /** It is the owner of a unit now: its events are part of the run until another is. False if another is already. */
    readonly onOwner: (tenure: Tenure, policy: () => Policy) => boolean;
    /** It owns `home`. */
    readonly onUp: (life: ProcessLife) => void;
    /** Shows an event of the tenure, which does not matter if another has begun since. */
    readonly observe: (tenure: Tenure, seen: RunEvent) => void;
    readonly onLeft: (tenure: Tenure, request: Parameters<ProcessEnvironment["onLeft"]>[0]) => void;
  };
