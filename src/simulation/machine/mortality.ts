import type { Boundary } from "../plan.ts";
import type { RunEvent } from "../run-event.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Whether a process is alive, and where it dies. */
export type Mortality = ReturnType<typeof createMortality>;

export function createMortality({
  time,
  observe,
  onDeath,
}: {
  readonly time: Pick<VirtualTime, "now">;
  readonly observe: (seen: RunEvent) => void;
  readonly onDeath: (boundary: string) => void;
}) {
  let isAlive = true;
  let armed: Boundary | undefined;
  const die = (boundary: string): void => {
    if (!isAlive) return;
    isAlive = false;
    observe({ type: "crashed", at: time.now(), boundary });
    onDeath(boundary);
  };
  return {
    isAlive: (): boolean => isAlive,
    die,
    /** Work passes a boundary: the process dies if it is armed. */
    pass: (boundary: Boundary): void => {
      if (armed === boundary) die(boundary.replaceAll("_", " "));
    },
    /** Whether the process dies when it next passes the boundary. */
    isArmed: (boundary: Boundary): boolean => armed === boundary,
    /** It dies when it next passes the boundary, or at once if that is `now`; undefined: it does not. */
    dieAt: (boundary: Boundary | undefined): void => {
      if (boundary === "now") die("between two events");
      else armed = boundary;
    },
  };
}
