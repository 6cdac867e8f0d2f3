import type { Command } from "../../domain/command.ts";
import type { What } from "./plan.ts";
import type { Process } from "./process.ts";
import { tellHappening } from "./tell.ts";
import type { SimulatedWorld } from "./world.ts";

/** Carries out what is planned. What cannot be done just then is left out, as in life. */
export function carryOut(world: SimulatedWorld, what: What): void {
  world.tell(tellHappening(what, world.plan));
  switch (what.do) {
    case "model":
      world.models.get(what.aggregator)?.control(what.command);
      return;
    case "adversary":
      world.adversaries.set(what.aggregator, { after: what.after, times: what.times });
      return;
    case "wire":
      world.troubles.set(what.aggregator, what.trouble);
      return;
    case "disk":
      return world.disk.fail(what.fault === "none" ? undefined : what.fault);
    case "slow_disk":
      return world.disk.slow(what.length);
    case "stall":
      return world.time.block(what.length);
    case "clock":
      return world.time.setWallError(what.error);
    case "crash":
      world.variant = what.variant;
      world.downFor = what.downFor;
      return world.process?.dieAt(what.boundary);
    case "restart":
      world.variant = what.variant;
      world.downFor = what.downFor;
      void world.process?.stop();
      return;
    case "reload":
      world.variant = what.variant;
      for (const hangUp of world.hangups) hangUp();
      return;
    case "kill_file":
      world.killFileExists = what.exists;
      return;
    case "command":
      return world.whenUp((process) => command(world, process, what.by, what.command));
    case "hold":
    case "silence": {
      const { do: name, by, scope, length } = what;
      return world.whenUp((process) => {
        const until = process.operating.now() + length;
        command(world, process, by, { name, scope, until });
      });
    }
    case "decide":
      return world.whenUp((process) => decide(world, process, what.by, what.approves));
    case "end_longest":
      return world.whenUp((process) => endLongest(world, process, what.what));
  }
}

/** As the API does. */
export function command(world: SimulatedWorld, process: Process, by: string, what: Command): void {
  const { accepted, detail } = process.operating.command(by, "simulated", what);
  if (!accepted) world.tell(`${what.name} was not accepted: ${detail}`);
}

function decide(world: SimulatedWorld, process: Process, by: string, approves: boolean): void {
  const { proposal } = process.daemon.loop.state().tables;
  const open = [...proposal.values()].find(({ denial }) => denial === undefined);
  if (open === undefined) return;
  command(world, process, by, { name: approves ? "approve" : "deny", proposal: open.id });
}

function endLongest(
  world: SimulatedWorld,
  process: Process,
  what: "hold" | "silence" | "quarantine",
): void {
  const { tables } = process.daemon.loop.state();
  const [key] = tables[what].keys();
  if (key === undefined) return;
  const commands = {
    hold: { name: "release", hold: key },
    silence: { name: "unsilence", silence: key },
    quarantine: { name: "release_quarantine", entity: key },
  } as const;
  command(world, process, "operator", commands[what]);
}
