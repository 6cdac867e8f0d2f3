import { expect } from "vitest";
import { createCheckers } from "../../src/simulation/checkers/index.ts";
import type { World } from "../core/world.ts";

/**
 * What must hold of every step, whatever happens: judged by the checkers of the simulation, which keep
 * books of their own.
 */
export function holdInvariants(world: World): void {
  const checkers = createCheckers();
  world.witness = (seen) => {
    for (const { invariant, witness } of checkers) {
      // The chaos answers just what it likes, so that liveness is not to be had of it.
      if (invariant.startsWith("9 ")) continue;
      for (const violation of witness(seen)) expect.unreachable(`${invariant}: ${violation}`);
    }
  };
}
