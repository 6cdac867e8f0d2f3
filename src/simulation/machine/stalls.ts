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
  /** Must be called when an action was committed and is not sent yet. */
  readonly atAction: () => void;
};

type Surroundings = { readonly time: VirtualTime; readonly note: (text: string) => void };

/** What stands still. */
type Machine = {
  readonly pause: (length: Millis, asleep: boolean) => void;
  /** Sets its wall clock; not if it has just slept, as no clock then says for how long. Returns whether it did. */
  readonly setClock: (error: Millis) => boolean;
};

/** About how often the daemon looks at its clocks: if one is set meanwhile, none says how long it slept. */
export const JUST_NOW: Millis = 2 * SECOND;

/** Long enough for the request of the reading to leave, and too short for its answer to be read. */
const UNDER_WAY: Millis = 1;

export function createStalls({ time, note }: Surroundings, { pause, setClock }: Machine): Stalls {
  let atConfirmation: Stall | undefined;
  let atAction: Stall | undefined;
  let clockSetAt = Number.NEGATIVE_INFINITY;
  let hasEnded = false;
  const stall = ({ length, asleep }: Stall): void =>
    pause(length, asleep && time.now() - clockSetAt > JUST_NOW);
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
      if (setClock(error)) clockSetAt = time.now();
    },
    end: () => {
      hasEnded = true;
    },
    take: (effects) => {
      const how = atConfirmation;
      const isConfirming = effects.some((one) => one.type === "probe" && one.why === "confirm");
      if (how === undefined || !isConfirming) return;
      atConfirmation = undefined;
      time.at(time.now() + UNDER_WAY, () => begin(how));
    },
    atAction: () => {
      const how = atAction;
      atAction = undefined;
      if (how !== undefined) begin(how);
    },
  };
}

/** The stalls of the one machine of a process that runs alone. */
export function createProcessStalls(
  observers: Surroundings & { readonly observe: (seen: RunEvent) => void },
): Stalls {
  const { time, observe } = observers;
  let wokeAt = Number.NEGATIVE_INFINITY;
  const stalls = createStalls(observers, {
    pause: (length, asleep) => {
      const from = time.now();
      if (asleep) {
        time.suspend(length);
        wokeAt = time.now();
      } else time.block(length);
      observe({ type: "stood_still", at: time.now(), from });
    },
    setClock: (error) => {
      const isSet = time.now() !== wokeAt;
      if (isSet) time.setWallError(error);
      return isSet;
    },
  });
  return {
    ...stalls,
    take: (effects) => {
      stalls.take(effects);
      if (effects.some(({ type }) => type === "act")) stalls.atAction();
    },
  };
}
