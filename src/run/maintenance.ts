import { isDeepStrictEqual } from "node:util";
import type { Hold } from "../domain/hold.ts";
import { MINUTE, type Clock, type Instant } from "../domain/time.ts";
import { openWindows, type MaintenanceWindow } from "../io/schedule/maintenance-windows.ts";
import type { Loop } from "./loop.ts";

/** To be called often; it checks the windows once a minute, and when they were edited. */
type Maintenance = { readonly check: () => void };

/**
 * Makes a hold of each maintenance window that is open. It goes by the windows that are open, not by those that
 * begin, so that one that began during a restart is held too.
 */
export function createMaintenance(
  windows: () => readonly MaintenanceWindow[],
  world: { readonly clock: Clock; readonly loop: Pick<Loop, "push" | "state"> },
): Maintenance {
  const made = new Map<string, Held>();
  let checkedAt: Instant = Number.NEGATIVE_INFINITY;
  let checked: readonly MaintenanceWindow[] = [];
  return {
    check: () => {
      const at = world.clock.now();
      const isSameMinute = Math.floor(at / MINUTE) === Math.floor(checkedAt / MINUTE);
      if (isSameMinute && windows() === checked) return;
      checkedAt = at;
      checked = windows();
      for (const { window, until } of openWindows(checked, at)) {
        const id = `maintenance-${window.name}`;
        // One that an operator has released stays released for the rest of the window.
        const held = { scope: window.scope, until };
        if (isSame(made.get(id), held)) continue;
        made.set(id, held);
        if (isSame(world.loop.state().tables.hold.get(id), held)) continue;
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

type Held = Pick<Hold, "scope" | "until">;

function isSame(standing: Held | undefined, { scope, until }: Held): boolean {
  return standing?.until === until && isDeepStrictEqual(standing.scope, scope);
}
