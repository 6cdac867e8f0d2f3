import type { Proposal } from "../../domain/remediation.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import type { RandomState } from "../../simulator/model/random.ts";
import type { EventKind, NetworkFaults, Plan } from "../plan.ts";
import type { ReplicaWorld } from "../replicas/replica-world.ts";
import type { RunEvent } from "../run-event.ts";
import type { SimulatedDisk } from "./disk.ts";
import type { ProcessLife } from "./process-life.ts";
import type { SimulatedAggregator } from "./simulated-aggregator.ts";
import type { Stalls } from "./stalls.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The simulated world while it runs; scheduled events change it. */
export type SimulatedWorld = {
  readonly plan: Plan;
  readonly time: VirtualTime;
  readonly disk: SimulatedDisk;
  /** The disk with the rows of a unit; that of `home` is `disk`. */
  readonly diskOf: (unit: string) => SimulatedDisk;
  /** At the end of the run. */
  readonly closeDisks: () => void;
  readonly random: RandomState;
  readonly aggregators: ReadonlyMap<string, SimulatedAggregator>;
  readonly networkFaults: Map<string, NetworkFaults>;
  /** How many repairs of each aggregator are still to be undone, and how long after each. */
  readonly adversaries: Map<string, { readonly after: Millis; times: number }>;
  readonly stalls: Stalls;
  /** Undefined if one process runs alone. */
  readonly replicas?: ReplicaWorld;
  /** The aggregator gets this when the reading that confirms the next action is requested. */
  controlAtConfirmation: Extract<EventKind, { do: "control_at_confirmation" }> | undefined;
  /** The proposal that each operator read last. */
  readonly proposalsRead: Map<string, Pick<Proposal, "id" | "digest">>;
  killFileExists: boolean;
  /** Undefined while the process is down. */
  life: ProcessLife | undefined;
  /** The variant that the files of settings and rules hold now. */
  variant: number;
  /** How long the process is down after its next crash or end. */
  downFor: Millis;
  /** That crash is a loss of power of its machine. */
  losesPower: boolean;
  faultsAreOver: boolean;
  /** The listeners for SIGHUP. */
  readonly hangups: Set<() => void>;
  /** Calls `run` as soon as a process is up. */
  readonly whenUp: (run: (life: ProcessLife) => void) => void;
  readonly start: () => void;
  readonly note: (text: string) => void;
};

export type Observers = {
  readonly time: VirtualTime;
  /** Shows an event of a unit; of `home` if none is named. */
  readonly observe: (seen: RunEvent, unit?: string) => void;
  readonly note: (text: string) => void;
};

/** How long a process is down after a crash that was not scheduled. */
export const USUAL_DOWN: Millis = SECOND;
