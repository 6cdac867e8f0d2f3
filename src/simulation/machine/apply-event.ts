import type { Command } from "../../domain/command.ts";
import type { Proposal } from "../../domain/remediation.ts";
import type { CommandOutcome } from "../../io/api/server-source.ts";
import type { EventKind } from "../plan.ts";
import { SOUND } from "./disk.ts";
import type { ProcessLife } from "./process-life.ts";
import { describeEvent } from "../narration.ts";
import type { SimulatedWorld } from "./world.ts";

/** Applies a scheduled event. It has no effect if its object is missing, such as a proposal to decide on. */
export function applyEvent(world: SimulatedWorld, what: EventKind): void {
  world.note(describeEvent(what, world.plan));
  switch (what.do) {
    case "control":
      return void world.aggregators.get(what.aggregator)?.control(what.command);
    case "adversary":
      return void world.adversaries.set(what.aggregator, { after: what.after, times: what.times });
    case "network":
      return void world.networkFaults.set(what.aggregator, what.faults);
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
    case "control_at_confirmation":
      world.controlAtConfirmation = what;
      return;
    case "clock":
      return world.stalls.setClock(what.error);
    case "crash":
      setNext(world, what);
      return world.life?.dieAt(what.boundary);
    case "restart":
      setNext(world, what);
      return void world.life?.stop();
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
    case "read_proposal":
    case "approve_read":
      return world.whenUp((life) => attend(world, life, what));
    case "database":
    case "partition":
    case "lose_commits":
      return applyToReplicas(world, what);
    case "end_longest":
      return world.whenUp((life) => endLongest(world, life, what.what));
  }
}

/** Sets how the next process starts. */
function setNext(
  world: SimulatedWorld,
  what: Extract<EventKind, { do: "crash" | "restart" }>,
): void {
  world.variant = what.variant;
  world.downFor = what.downFor;
  world.losesPower = what.do === "crash" && what.losesPower === true;
}

function applyToReplicas(
  { replicas }: SimulatedWorld,
  what: Extract<EventKind, { do: "database" | "partition" | "lose_commits" }>,
): void {
  if (what.do === "database") replicas?.database.setFaults(what.faults);
  else if (what.do === "partition") replicas?.partition(what.whom, what.length);
  else replicas?.lose(what);
}

/** The operator stops the process for the repair: one that has found the damage commits nothing any more. */
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

/** Gives a command to the daemon, as the API does. */
export function command(world: SimulatedWorld, life: ProcessLife, by: string, what: Command): void {
  const note = ({ accepted, detail }: CommandOutcome): void => {
    if (!accepted) world.note(`${what.name} was not accepted: ${detail}`);
  };
  const outcome = life.source.command(by, "simulated", what);
  if (outcome instanceof Promise) void outcome.then(note);
  else note(outcome);
}

function longestOpen(life: ProcessLife): Proposal | undefined {
  const { proposal } = life.daemon.loop.state().tables;
  return [...proposal.values()].find(({ denial }) => denial === undefined);
}

type OnProposal = Extract<EventKind, { do: "decide" | "read_proposal" | "approve_read" }>;

/** An operator decides on or reads the proposal that has waited longest, or approves one that was read before. */
function attend(world: SimulatedWorld, life: ProcessLife, what: OnProposal): void {
  if (what.do === "decide") decide(world, life, what.by, what.approves);
  else if (what.do === "read_proposal") readProposal(world, life, what.by);
  else approveRead(world, life, what.by, what.byNow);
}

function decide(world: SimulatedWorld, life: ProcessLife, by: string, approves: boolean): void {
  const open = longestOpen(life);
  if (open === undefined) return;
  const { id: proposal, digest } = open;
  const given = approves ? { name: "approve" as const, proposal, digest } : undefined;
  command(world, life, by, given ?? { name: "deny", proposal });
}

function readProposal(world: SimulatedWorld, life: ProcessLife, by: string): void {
  const open = longestOpen(life);
  if (open !== undefined) world.proposalsRead.set(by, open);
}

function approveRead(world: SimulatedWorld, life: ProcessLife, by: string, byNow: boolean): void {
  const read = world.proposalsRead.get(by);
  if (read === undefined) return;
  const proposal = (byNow ? longestOpen(life)?.id : undefined) ?? read.id;
  command(world, life, by, { name: "approve", proposal, digest: read.digest });
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
