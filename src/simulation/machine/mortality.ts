import type { Boundary } from "../plan.ts";
import type { RunEvent } from "../run-event.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Whether a process is alive, and where it dies. */
export type Mortality = {
  readonly isAlive: () => boolean;
  /** It dies when it next passes the boundary, or at once if that is `now`; undefined: it does not. */
  readonly dieAt: (boundary: Boundary | undefined) => void;
  /** Work passes a boundary: the process dies if it is armed. */
  readonly pass: (boundary: Boundary) => void;
  /** Whether the process dies when it next passes the boundary. */
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
