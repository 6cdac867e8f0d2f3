import type { Effect } from "../../domain/step.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import { describeStall } from "../narration.ts";
import type { Stall } from "../plan.ts";
import type { RunEvent } from "../run-event.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** How the process comes to stand still, and how its wall clock is set. */
export type Stalls = {
  /** At once. */
  readonly stall: (how: Stall) => void;
  /** Once the reading before the next action is under way. */
  readonly stallAtConfirmation: (how: Stall) => void;
  /** Between the commit of the next action and its sending. */
  readonly stallAtAction: (how: Stall) => void;
  readonly setClock: (error: Millis) => void;
  /** None any more. */
  readonly end: () => void;
  /** To be called with what each step asks for. */
  readonly take: (effects: readonly Effect[]) => void;
};

/** The daemon looks at its clocks about as often. */
const JUST_NOW: Millis = 2 * SECOND;

/** Long enough after the reading was asked for that it has left, and too soon for its answer to be read. */
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
      // No clock says how long a machine slept if it was set back meanwhile.
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
