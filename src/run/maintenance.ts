import { MINUTE, type Clock, type Instant } from "../domain/time.ts";
import { openWindows, type MaintenanceWindow } from "../io/schedule/maintenance-windows.ts";
import type { Loop } from "./loop.ts";

/** To be called often; it checks the windows once a minute. */
type Maintenance = { readonly check: () => void };

/**
 * Makes a hold of each maintenance window that is open. It goes by the windows that are open, not by those that
 * begin, so that one that began during a restart is held too.
 */
export function createMaintenance(
  windows: () => readonly MaintenanceWindow[],
  world: { readonly clock: Clock; readonly loop: Pick<Loop, "push" | "state"> },
): Maintenance {
  const made = new Map<string, Instant>();
  let checkedAt: Instant = Number.NEGATIVE_INFINITY;
  return {
    check: () => {
      const at = world.clock.now();
      if (Math.floor(at / MINUTE) === Math.floor(checkedAt / MINUTE)) return;
      checkedAt = at;
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
