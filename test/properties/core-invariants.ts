import { expect } from "vitest";
import { createInspector } from "../../src/simulation/checkers/index.ts";
import type { RunEvent } from "../../src/simulation/run-event.ts";
import { START, type World } from "../core/world.ts";

/**
 * What must hold of every step, whatever happens: judged by the checkers of the simulation, which read
 * a ledger of their own.
 */
export function holdInvariants(world: World): void {
  const inspect = createInspector();
  const show = (seen: RunEvent): void => {
    for (const { invariant, text } of inspect(seen)) {
      // The chaos answers just what it likes, so that liveness is not to be had of it.
      if (!invariant.startsWith("9 ")) expect.unreachable(`${invariant}: ${text}`);
    }
  };
  // This world has no file that could be damaged.
  const soundAt = (at: number): void => show({ type: "checked", at, isDamaged: false });
  world.witness = (seen) => {
    show(seen);
    if (seen.type === "restarted") soundAt(seen.at);
  };
  soundAt(START);
}
