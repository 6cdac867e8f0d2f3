import type { Effect } from "../../domain/step.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import { describeStall } from "../narration.ts";
import type { Stall } from "../plan.ts";
import type { RunEvent } from "../run-event.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Pauses of the process, and changes of its wall clock. */
export type Stalls = {
  /** At once. */
  readonly stall: (how: Stall) => void;
  /** Right after the reading that confirms the next action was requested. */
  readonly stallAtConfirmation: (how: Stall) => void;
  /** Between the commit of the next action and its sending. */
  readonly stallAtAction: (how: Stall) => void;
  readonly setClock: (error: Millis) => void;
  /** No more pauses. */
  readonly end: () => void;
  /** Must be called with the effects of each step. */
  readonly take: (effects: readonly Effect[]) => void;
};

/** About how often the daemon looks at its clocks. */
const JUST_NOW: Millis = 2 * SECOND;

/** Long enough for the request of the reading to leave, and too short for its answer to be read. */
const UNDER_WAY: Millis = 1;

export function createStalls(
  time: VirtualTime,
  { observe, note }: { observe: (seen: RunEvent) => void; note: (text: string) => void },
): Stalls {
  let atConfirmation: Stall | undefined;
  let atAction: Stall | undefined;
  let wokeAt = Number.NEGATIVE_INFINITY;
  let clockSetAt = Number.NEGATIVE_INFINITY;
  const stall = ({ length, asleep }: Stall): void => {
    const from = time.now();
    if (asleep && from - clockSetAt > JUST_NOW) {
      time.suspend(length);
      wokeAt = time.now();
    } else time.block(length);
    observe({ type: "stood_still", at: time.now(), from });
  };
  let hasEnded = false;
  const begin = (how: Stall): void => {
    if (hasEnded) return;
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
      // If the wall clock is set meanwhile, no clock says how long the machine slept.
      if (time.now() === wokeAt) return;
      clockSetAt = time.now();
      time.setWallError(error);
    },
    end: () => {
      hasEnded = true;
    },
    take: (effects) => {
      const confirming = atConfirmation;
      if (
        confirming !== undefined &&
        effects.some((one) => one.type === "probe" && one.why === "confirm")
      ) {
        atConfirmation = undefined;
        time.at(time.now() + UNDER_WAY, () => begin(confirming));
      }
      const acting = atAction;
      if (acting === undefined || !effects.some(({ type }) => type === "act")) return;
      atAction = undefined;
      begin(acting);
    },
  };
}
