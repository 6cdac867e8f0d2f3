import type { AppliedCommand, Command, KillSource } from "../../domain/command.ts";
import type { Slices } from "../../domain/slices.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { WatchEntry } from "../../domain/watch.ts";
import { put, remove, type Draft } from "../draft.ts";
import { hold, release, silence, unsilence } from "./holds.ts";
import { decide } from "../act/decide.ts";
import { rampText, startRamp } from "../act/storm.ts";
import { releaseQuarantine } from "../act/tug-of-war.ts";
import { addWatched, removeWatched } from "./watch-commands.ts";

/** Applies a command. Every command leaves a finding: who gave it, what it asked, and if it was applied. */
export function* applyCommand(draft: Draft, command: Command, by: string, reason: string): Slices {
  const outcome = yield* execute(draft, command, by, reason);
  if (isCopied(command)) return;
  draft.findings.push({ type: "command", by, reason, name: command.name, ...outcome });
}

/** Operators gave it to `home`, whose finding says so once for all units. */
function isCopied(command: Command): boolean {
  return command.name === "silence" ? command.id !== undefined : "copied" in command;
}

function* execute(
  draft: Draft,
  command: Command,
  by: string,
  reason: string,
): Slices<AppliedCommand> {
  switch (command.name) {
    case "kill": {
      const { source } = command;
      const detail = `${alreadyKilled(draft, source)}no action is sent until it is released`;
      kill(draft, source, by, reason);
      return { subject: source, accepted: true, detail };
    }
    case "unkill": {
      const { source } = command;
      const was = draft.state.tables.kill.has(source);
      unkill(draft, source, by, reason);
      return { subject: source, accepted: true, detail: remainingKills(draft, was) };
    }
    case "approve":
    case "deny": {
      const approved = command.name === "approve";
      const digest = approved ? command.digest : undefined;
      return decide(draft, { id: command.proposal, approved, digest, by, reason });
    }
    case "hold":
      return {
        subject: command.id ?? "",
        ...(yield* hold(draft, { ...command, until: endOf(draft, command), by, reason })),
      };
    case "release":
      return { subject: command.hold, ...release(draft, command.hold) };
    case "silence":
      return {
        subject: "",
        ...(yield* silence(draft, { ...command, until: endOf(draft, command), by, reason })),
      };
    case "unsilence":
      return { subject: command.silence, ...unsilence(draft, command.silence) };
    case "release_quarantine":
      return { subject: command.entity, ...releaseQuarantine(draft, command.entity, by) };
    case "watch":
      return { subject: watchSubject(command), ...addWatched(draft, command, by, reason) };
    case "unwatch":
      return { subject: watchSubject(command), ...removeWatched(draft, command) };
    default:
      return unknownCommand(command satisfies never);
  }
}

/** A standby of a later version may pass on one that this version does not have. */
function unknownCommand({ name }: { readonly name: string }): AppliedCommand {
  const detail = `nothing was done: the replica that has the lease is of a version that does not know the command ${name}; upgrade it first`;
  return { subject: "", accepted: false, detail };
}

function endOf({ at }: Draft, { until, forMs }: Extract<Command, { until: Instant }>): Instant {
  return forMs === undefined ? until : at + forMs;
}

function watchSubject({ aggregator, entry }: Extract<Command, { entry: WatchEntry }>): string {
  return `${aggregator}/${entry.kind}/${entry.target}`;
}

export function kill(draft: Draft, source: KillSource, by: string, reason: string): void {
  if (draft.state.tables.kill.has(source)) return;
  put(draft, "kill", source, { source, since: draft.at, by, reason });
  draft.findings.push({ type: "kill", source, on: true, by, detail: reason });
}

/** Acting grows from one action on, so that what waited does not act all at once. */
export function unkill(draft: Draft, source: KillSource, by: string, reason: string): void {
  if (!remove(draft, "kill", source)) return;
  startRamp(draft, `the kill switch (${source}) was released`);
  const stillOn = [...draft.state.tables.kill.keys()];
  draft.findings.push({ type: "kill", source, on: false, by, stillOn, detail: reason });
}

/** The first reason is kept, as it says since when nothing is done. */
function alreadyKilled({ state }: Draft, source: KillSource): string {
  const known = state.tables.kill.get(source);
  if (known === undefined) return "";
  const { since, by, reason } = known;
  return `already on since ${formatInstant(since)} by ${by}, whose reason is kept (${reason}); `;
}

/** Each source is released separately, so others may keep the switch on. */
function remainingKills(draft: Draft, was: boolean): string {
  const rest = [...draft.state.tables.kill.keys()];
  const wasOff = was ? "" : "it was not on; ";
  if (rest.length > 0)
    return `${wasOff}no action is sent still: the kill switch is on (${rest.join(", ")})`;
  if (!was) return "the kill switch was not on, so nothing changed";
  return `the kill switch is off; ${rampText(draft)}`;
}
