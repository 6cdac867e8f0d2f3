import type { Machine } from "../machine/machines.ts";
import { createStalls, JUST_NOW, type Stalls } from "../machine/stalls.ts";
import type { RunEvent } from "../run-event.ts";

/** Pauses of the owner's machine; the others continue. `observe` shows an event of every unit that runs on a machine. */
export function createReplicaStalls(
  surroundings: Parameters<typeof createStalls>[0],
  observe: (machine: Machine, seen: RunEvent) => void,
  machine: () => Machine | undefined,
): Stalls {
  const { time } = surroundings;
  return createStalls(surroundings, {
    pause: (length, asleep) => {
      const own = machine();
      const from = time.now();
      if (own === undefined || own.wakesAt() > from) return;
      own.pause(length, asleep);
      time.at(from + length, () => {
        if (machine() === own) observe(own, { type: "stood_still", at: time.now(), from });
      });
    },
    setClock: (error) => {
      const own = machine();
      if (own === undefined || time.now() - own.wakesAt() < JUST_NOW) return false;
      own.setWallError(error);
      return true;
    },
  });
}
