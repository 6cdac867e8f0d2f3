import type { Command } from "../../domain/command.ts";
import { command, repairJournal } from "./apply-event.ts";
import type { Millis } from "../../domain/time.ts";
import { RECEIVER } from "./receiver.ts";
import type { ProcessLife } from "./process-life.ts";
import { USUAL_DOWN, type SimulatedWorld } from "./world.ts";

/**
 * Ends all faults, and everything that operators had put in the way of acting. Entities that are bad stay bad:
 * those are for the watchdog. Gives how long it takes until a watchdog works again.
 */
export function endFaults(world: SimulatedWorld): Millis {
  world.faultsAreOver = true;
  world.note("all faults end");
  for (const [name, model] of world.aggregators) {
    model.control({ do: "clear_faults" });
    for (const { name: exchange } of model.truth().exchanges)
      model.control({ do: "stop_flapping", exchange });
    world.networkFaults.delete(name);
  }
  world.networkFaults.delete(RECEIVER);
  world.adversaries.clear();
  world.disk.fail(undefined);
  world.disk.failNextAction(undefined);
  world.disk.slow(0);
  world.stalls.end();
  world.controlAtConfirmation = undefined;
  world.time.setWallError(0);
  world.killFileExists = false;
  world.life?.dieAt(undefined);
  // The process may have been asked to stop, and not have stopped yet.
  world.downFor = USUAL_DOWN;
  repairJournal(world);
  world.start();
  const isOverIn = world.replicas?.endFaults() ?? 0;
  world.whenUp((life) => {
    for (const one of liftings(life)) command(world, life, "operator", one);
  });
  return isOverIn;
}

/** The commands that end an operator's kill switch and the holds; maintenance windows stay. */
function liftings(life: ProcessLife): Command[] {
  const { tables } = life.daemon.loop.state();
  return [
    { name: "unkill", source: "operator" },
    ...[...tables.hold.keys()]
      .filter((id) => !id.startsWith("maintenance-"))
      .map((hold): Command => ({ name: "release", hold })),
  ];
}
