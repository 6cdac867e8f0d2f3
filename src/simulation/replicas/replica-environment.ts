import type { Policy } from "../../domain/step.ts";
import type { Journal } from "../../io/journal/journal.ts";
import type { Sources, WatchdogSetup } from "../../run/setup.ts";
import type { Machine } from "../machine/machines.ts";
import type { NetworkWorld, Server } from "../machine/network.ts";
import type { ProcessEnvironment, ProcessLife } from "../machine/process-life.ts";
import type { RunEvent } from "../run-event.ts";
import type { SharedDatabase } from "./shared-database.ts";
import type { Tenure } from "./tenure.ts";

/** What a replica finds around it, and who looks on. */
export type ReplicaEnvironment = Omit<NetworkWorld, "serverAt"> &
  Pick<ProcessEnvironment, "killFileExists" | "onDeath"> & {
    readonly owner: string;
    readonly machine: Machine;
    readonly database: SharedDatabase;
    /** So many units of senders are shared out. */
    readonly shards: number;
    /** What people ask the journal of \`home\` for, at any owner. */
    readonly journal: Journal;
    readonly setup: (unit: string) => WatchdogSetup;
    readonly sources: (unit: string) => Sources;
    readonly serverAt: (url: URL, asking: Tenure) => Server | undefined;
    /** The database has written what an action needs, and the replica does not know yet. */
    readonly onActionWritten: () => void;
    /** It has begun to live as the owner of a unit: what it shows of that is of the run from now on, until another does. */
    readonly onOwner: (tenure: Tenure, policy: () => Policy) => boolean;
    /** It owns \`home\`. */
    readonly onUp: (life: ProcessLife) => void;
    /** Shown by that tenure; what another has begun since is of no more matter. */
    readonly observe: (tenure: Tenure, seen: RunEvent) => void;
    readonly onLeft: (tenure: Tenure, request: Parameters<ProcessEnvironment["onLeft"]>[0]) => void;
  };
