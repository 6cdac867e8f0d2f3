import { MINUTE, type Clock, type Instant } from "../domain/time.ts";
import { openWindows, type MaintenanceWindow } from "../io/schedule/maintenance-windows.ts";
import type { Loop } from "./loop.ts";

export type Maintenance = { readonly look: () => void };

/**
 * Makes a hold of each maintenance window that is open, once a minute. By what is, and not by what
 * begins: a window that is open and not held is held, whenever that is noticed.
 */
export function createMaintenance(
  windows: () => readonly MaintenanceWindow[],
  world: { readonly clock: Clock; readonly loop: Pick<Loop, "push" | "state"> },
): Maintenance {
  const made = new Map<string, Instant>();
  let lookedAt: Instant = Number.NEGATIVE_INFINITY;
  return {
    look: () => {
      const at = world.clock.now();
      if (Math.floor(at / MINUTE) === Math.floor(lookedAt / MINUTE)) return;
      lookedAt = at;
      for (const { window, until } of openWindows(windows(), at)) {
        const id = `maintenance-${window.name}`;
        // One that an operator has released stays released for the rest of the window.
        if (made.get(id) === until) continue;
        made.set(id, until);
        if (world.loop.state().tables.hold.get(id)?.until === until) continue;
        world.loop.push({
          type: "command",
          by: "maintenance",
          reason: window.reason,
          command: { name: "hold", id, scope: window.scope, until },
        });
      }
    },
  };
}
