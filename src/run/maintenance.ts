import { isDeepStrictEqual } from "node:util";
import type { Hold } from "../domain/hold.ts";
import type { Event } from "../domain/step.ts";
import { MINUTE, SECOND, type Clock, type Instant, type Millis } from "../domain/time.ts";
import { openWindows, type MaintenanceWindow } from "../io/schedule/maintenance-windows.ts";
import type { Loop } from "./loop.ts";

export type Maintenance = {
  /** To be called often; it checks the windows once a minute, and when they were edited. */
  readonly check: () => void;
  /** The commands of `prepare`. */
  readonly missing: (next: readonly MaintenanceWindow[]) => readonly HoldEvent[];
  /** Holds what is open of the windows that a reload brings into force; if it fails, the next check releases it. */
  readonly prepare: (next: readonly MaintenanceWindow[]) => void;
};

/**
 * Makes a hold of each maintenance window that is open. It goes by the windows that are open, not by those that
 * begin, so that one that began during a restart is held too. If windows were edited, the holds of those that are not
 * open any more are released.
 */
export function createMaintenance(
  windows: () => readonly MaintenanceWindow[],
  world: { readonly clock: Clock; readonly loop: Pick<Loop, "push" | "askFirst" | "state"> },
): Maintenance {
  const made = new Map<string, Held>();
  let checkedAt: Instant = Number.NEGATIVE_INFINITY;
  let checked = NONE;

  /** One that an operator has released stays released for the rest of the window. */
  function isNew({ command }: HoldEvent): boolean {
    if (isSame(made.get(command.id), command)) return false;
    return !isSame(world.loop.state().tables.hold.get(command.id), command);
  }

  function missing(next: readonly MaintenanceWindow[]): HoldEvent[] {
    return holdsOf(next, world.clock.now()).filter(isNew);
  }

  /** What runs out now ends by itself. */
  function releaseOthers(open: ReadonlySet<string>, at: Instant): void {
    for (const { id, until } of world.loop.state().tables.hold.values()) {
      if (!id.startsWith(PREFIX) || open.has(id) || until <= at) continue;
      made.delete(id);
      const reason = "its window is not open any more, as the config was edited";
      world.loop.push({
        type: "command",
        by: OWNER,
        reason,
        command: { name: "release", hold: id },
      });
    }
  }

  return {
    check: () => {
      const at = world.clock.now();
      const isSameMinute = Math.floor(at / MINUTE) === Math.floor(checkedAt / MINUTE);
      const isEdited = windows() !== checked;
      if (isSameMinute && !isEdited) return;
      checkedAt = at;
      checked = windows();
      const open = holdsOf(checked, at);
      for (const event of open) {
        if (isNew(event)) world.loop.push(event);
        made.set(event.command.id, event.command);
      }
      if (isEdited) releaseOthers(new Set(open.map(({ command }) => command.id)), at);
    },
    missing,
    prepare: (next) => {
      checked = NONE;
      // A reload does not wait for what waits either, and must come after them.
      for (const event of missing(next)) world.loop.askFirst(event);
    },
  };
}

/** Other than any that are in force. */
const NONE: readonly MaintenanceWindow[] = [];
const OWNER = "maintenance";
/** No person's hold has such an id; a person's token may have the owner's name. */
const PREFIX = "maintenance-";

type HoldEvent = Extract<Event, { type: "command" }> & {
  readonly command: Held & { name: "hold"; id: string };
};

/**
 * So long a hold outlasts a window at whose end one is open: the next check makes the hold of that one, up to a second
 * later, or more if a tick has to wait. What they both cover must not act in between.
 */
const OVERLAP: Millis = 15 * SECOND;

function holdsOf(windows: readonly MaintenanceWindow[], at: Instant): HoldEvent[] {
  return openWindows(windows, at).map(({ window: { name, scope, reason }, until: end }) => {
    const until = openWindows(windows, end).length > 0 ? end + OVERLAP : end;
    const command = { name: "hold", id: `${PREFIX}${name}`, scope, until } as const;
    return { type: "command", by: OWNER, reason, command };
  });
}

type Held = Pick<Hold, "scope" | "until">;

function isSame(held: Held | undefined, { scope, until }: Held): boolean {
  return held?.until === until && isDeepStrictEqual(held.scope, scope);
}
