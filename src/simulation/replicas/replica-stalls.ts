import type { Effect } from "../../domain/step.ts";
import type { Millis } from "../../domain/time.ts";
import type { Machine } from "../machine/machines.ts";
import type { Stalls } from "../machine/stalls.ts";
import type { VirtualTime } from "../machine/virtual-time.ts";
import { describeStall } from "../narration.ts";
import type { Stall } from "../plan.ts";
import type { RunEvent } from "../run-event.ts";

/** Pauses of the owner's machine; the others continue. */
export type ReplicaStalls = Stalls & {
  /** The database has written the commit of an action, and its owner does not know yet. */
  readonly atAction: () => void;
};

/** About how often the daemon looks at its clocks: if one is set meanwhile, none says how long it slept. */
const JUST_NOW: Millis = 2_000;

export function createReplicaStalls(
  world: {
    readonly time: VirtualTime;
    /** Shows an event of every unit that runs on the machine. */
    readonly observe: (machine: Machine, seen: RunEvent) => void;
    readonly note: (text: string) => void;
  },
  machine: () => Machine | undefined,
): ReplicaStalls {
  const { time, observe, note } = world;
  let atConfirmation: Stall | undefined;
  let atAction: Stall | undefined;
  let clockSetAt = Number.NEGATIVE_INFINITY;
  let hasEnded = false;
  const stall = ({ length, asleep }: Stall): void => {
    const own = machine();
    const from = time.now();
    if (own === undefined || hasEnded || own.wakesAt() > from) return;
    own.pause(length, asleep && from - clockSetAt > JUST_NOW);
    time.at(from + length, () => {
      if (machine() === own) observe(own, { type: "stood_still", at: time.now(), from });
    });
  };
  const begin = (how: Stall): void => {
    note(describeStall(how));
    stall(how);
  };
  return {
    stall,
    stallAtConfirmation: (how) => {
      atConfirmation = how;
    },
    stallAtAction: (how) => {
      atAction = how;
    },
    setClock: (error) => {
      const own = machine();
      if (own === undefined || time.now() - own.wakesAt() < JUST_NOW) return;
      clockSetAt = time.now();
      own.setWallError(error);
    },
    end: () => {
      hasEnded = true;
    },
    take: (effects: readonly Effect[]) => {
      const how = atConfirmation;
      const isConfirming = effects.some((one) => one.type === "probe" && one.why === "confirm");
      if (how === undefined || !isConfirming) return;
      atConfirmation = undefined;
      time.at(time.now() + 1, () => begin(how));
    },
    atAction: () => {
      const how = atAction;
      atAction = undefined;
      if (how !== undefined) begin(how);
    },
  };
}
