import type { Boundary } from "../plan.ts";
import type { RunEvent } from "../run-event.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Whether a process lives, and where it is to die. */
export type Mortality = {
  readonly isAlive: () => boolean;
  /** It dies when it next passes there; at once if that is `now`. */
  readonly dieAt: (boundary: Boundary | undefined) => void;
  /** Work passes a boundary: it dies there if it is to. */
  readonly pass: (boundary: Boundary) => void;
  /** It dies when it passes there next. */
  readonly isArmed: (boundary: Boundary) => boolean;
  readonly die: (boundary: string) => void;
};

export function createMortality({
  time,
  observe,
  onDeath,
}: {
  readonly time: Pick<VirtualTime, "now">;
  readonly observe: (seen: RunEvent) => void;
  readonly onDeath: (boundary: string) => void;
}): Mortality {
  let isAlive = true;
  let armed: Boundary | undefined;
  const die = (boundary: string): void => {
    if (!isAlive) return;
    isAlive = false;
    observe({ type: "crashed", at: time.now(), boundary });
    onDeath(boundary);
  };
  return {
    isAlive: () => isAlive,
    die,
    pass: (boundary) => {
      if (armed === boundary) die(boundary.replaceAll("_", " "));
    },
    isArmed: (boundary) => armed === boundary,
    dieAt: (boundary) => {
      if (boundary === "now") die("between two events");
      else armed = boundary;
    },
  };
}
