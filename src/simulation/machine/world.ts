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
  /** Where the rows of a unit are; those of `home` are on the disk. */
  readonly diskOf: (unit: string) => SimulatedDisk;
  /** At the end of the run. */
  readonly closeDisks: () => void;
  readonly random: RandomState;
  readonly aggregators: ReadonlyMap<string, SimulatedAggregator>;
  readonly networkFaults: Map<string, NetworkFaults>;
  /** How often each aggregator's repairs are still undone, and how long after. */
  readonly adversaries: Map<string, { readonly after: Millis; times: number }>;
  readonly stalls: Stalls;
  /** Left out if there is one process alone. */
  readonly replicas?: ReplicaWorld;
  /** The aggregator is given this as the reading before the next action is asked for. */
  controlAtConfirmation: Extract<EventKind, { do: "control_at_confirmation" }> | undefined;
  /** The proposal that each operator has read last. */
  readonly proposalsRead: Map<string, Pick<Proposal, "id" | "digest">>;
  killFileExists: boolean;
  /** Undefined while it is down. */
  life: ProcessLife | undefined;
  /** What the files of settings and rules hold now. */
  variant: number;
  /** After the next crash or end, the process is down for so long. */
  downFor: Millis;
  /** That crash, or end, is one of its machine. */
  losesPower: boolean;
  faultsAreOver: boolean;
  /** The listeners for SIGHUP. */
  readonly hangups: Set<() => void>;
  /** Runs it as soon as a process is up. */
  readonly whenUp: (run: (life: ProcessLife) => void) => void;
  readonly start: () => void;
  readonly note: (text: string) => void;
};

export type Observers = {
  readonly time: VirtualTime;
  /** What is seen of a unit; of `home` if none is named. */
  readonly observe: (seen: RunEvent, unit?: string) => void;
  readonly note: (text: string) => void;
};

/** How long a process is down after a crash that was not scheduled. */
export const USUAL_DOWN: Millis = SECOND;
