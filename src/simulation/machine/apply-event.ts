import type { Command } from "../../domain/command.ts";
import type { EventKind } from "../plan.ts";
import { SOUND } from "./disk.ts";
import type { ProcessLife } from "./process-life.ts";
import { describeEvent } from "../narration.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

/** Applies a scheduled event. What cannot be done just then is left out. */
export function applyEvent(world: SimulatedWorld, what: EventKind): void {
  world.note(describeEvent(what, world.plan));
  switch (what.do) {
    case "control":
      world.aggregators.get(what.aggregator)?.control(what.command);
      return;
    case "adversary":
      world.adversaries.set(what.aggregator, { after: what.after, times: what.times });
      return;
    case "network":
      world.networkFaults.set(what.aggregator, what.faults);
      return;
    case "disk":
      return world.disk.fail(what.fault === "none" ? undefined : what.fault);
    case "disk_at_action":
      return world.disk.failNextAction(what.fault);
    case "slow_disk":
      return world.disk.slow(what.length);
    case "journal":
      return world.disk.setDamage(what);
    case "repair_journal":
      return repairJournal(world);
    case "stall":
      return world.stalls.stall(what);
    case "stall_at_confirmation":
      return world.stalls.stallAtConfirmation(what);
    case "stall_at_action":
      return world.stalls.stallAtAction(what);
    case "clock":
      return world.stalls.setClock(what.error);
    case "crash":
      world.variant = what.variant;
      world.downFor = what.downFor;
      return world.life?.dieAt(what.boundary);
    case "restart":
      world.variant = what.variant;
      world.downFor = what.downFor;
      void world.life?.stop();
      return;
    case "reload":
      world.variant = what.variant;
      for (const hangUp of world.hangups) hangUp();
      return;
    case "kill_file":
      world.killFileExists = what.exists;
      return;
    case "command":
      return world.whenUp((life) => command(world, life, what.by, what.command));
    case "hold":
    case "silence":
      return world.whenUp((life) => override(world, life, what));
    case "decide":
      return world.whenUp((life) => decide(world, life, what.by, what.approves));
    case "end_longest":
      return world.whenUp((life) => endLongest(world, life, what.what));
  }
}

/** The operator stops the process for it; one that had found the damage commits nothing any more. */
export function repairJournal({ disk, life }: SimulatedWorld): void {
  const { isDamaged } = disk.damage();
  disk.setDamage(SOUND);
  if (isDamaged) life?.dieAt("now");
}

function override(
  world: SimulatedWorld,
  life: ProcessLife,
  { do: name, by, scope, length }: Extract<EventKind, { do: "hold" | "silence" }>,
): void {
  command(world, life, by, { name, scope, until: life.source.now() + length });
}

/** As the API does. */
export function command(world: SimulatedWorld, life: ProcessLife, by: string, what: Command): void {
  const { accepted, detail } = life.source.command(by, "simulated", what);
  if (!accepted) world.note(`${what.name} was not accepted: ${detail}`);
}

function decide(world: SimulatedWorld, life: ProcessLife, by: string, approves: boolean): void {
  const { tables } = life.daemon.loop.state();
  const open = [...tables.proposal.values()].find(({ denial }) => denial === undefined);
  if (open === undefined) return;
  const { id: proposal, digest } = open;
  command(
    world,
    life,
    by,
    approves ? { name: "approve", proposal, digest } : { name: "deny", proposal },
  );
}

function endLongest(
  world: SimulatedWorld,
  life: ProcessLife,
  what: "hold" | "silence" | "quarantine",
): void {
  const { tables } = life.daemon.loop.state();
  const [key] = tables[what].keys();
  if (key === undefined) return;
  const commands = {
    hold: { name: "release", hold: key },
    silence: { name: "unsilence", silence: key },
    quarantine: { name: "release_quarantine", entity: key },
  } as const;
  command(world, life, "operator", commands[what]);
}
