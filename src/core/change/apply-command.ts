import type { Command, KillSource } from "../../domain/step.ts";
import { put, remove, type Draft } from "../draft.ts";
import { hold, release, silence, unsilence } from "./holds.ts";
import { decide } from "../act/propose.ts";
import { startRamp } from "../act/storm.ts";
import { releaseQuarantine } from "../act/tug-of-war.ts";
import { addWatched, removeWatched } from "./watch-commands.ts";

/** What operators ask for. Every command leaves a finding: who, what, and whether it was done. */
export function applyCommand(draft: Draft, command: Command, by: string, reason: string): void {
  const { accepted, detail, subject } = carryOut(draft, command, by, reason);
  const { name } = command;
  draft.findings.push({
    type: "command",
    by,
    reason,
    name,
    subject: subject ?? subjectOf(command),
    accepted,
    detail,
  });
}

type Done = { readonly accepted: boolean; readonly detail: string; readonly subject?: string };

/** What a command is about, where it says so itself. */
function subjectOf(command: Command): string {
  switch (command.name) {
    case "kill":
    case "unkill":
      return command.source;
    case "approve":
    case "deny":
      return command.proposal;
    case "hold":
      return command.id ?? "";
    case "silence":
      return "";
    case "release":
      return command.hold;
    case "unsilence":
      return command.silence;
    case "release_quarantine":
      return command.entity;
    case "watch":
    case "unwatch":
      return `${command.aggregator}/${command.entry.kind}/${command.entry.target}`;
  }
}

function carryOut(draft: Draft, command: Command, by: string, reason: string): Done {
  switch (command.name) {
    case "kill":
      kill(draft, command.source, by, reason);
      return { accepted: true, detail: "no action is sent until it is released" };
    case "unkill":
      unkill(draft, command.source, reason);
      return { accepted: true, detail: stillKilled(draft) };
    case "approve":
    case "deny":
      return decide(draft, command.proposal, command.name === "approve", by, reason);
    case "hold":
      return hold(draft, { ...command, by, reason });
    case "release":
      return release(draft, command.hold);
    case "silence":
      return silence(draft, { ...command, by, reason });
    case "unsilence":
      return unsilence(draft, command.silence);
    case "release_quarantine":
      return releaseQuarantine(draft, command.entity, by);
    case "watch":
      return addWatched(draft, command, by, reason);
    case "unwatch":
      return removeWatched(draft, command);
  }
}

export function kill(draft: Draft, source: KillSource, by: string, reason: string): void {
  if (draft.state.tables.kill.has(source)) return;
  put(draft, "kill", source, { source, since: draft.at, by, reason });
  draft.findings.push({ type: "kill", source, on: true, detail: reason });
}

/** What waited meanwhile does not all act at once. */
export function unkill(draft: Draft, source: KillSource, reason: string): void {
  if (!remove(draft, "kill", source)) return;
  startRamp(draft, `the kill switch (${source}) was released`);
  draft.findings.push({ type: "kill", source, on: false, detail: reason });
}

/** Each source is released on its own, so the release of one may change nothing. */
function stillKilled(draft: Draft): string {
  const rest = [...draft.state.tables.kill.keys()];
  if (rest.length === 0) return "the kill switch is off; acting grows from one action";
  return `no action is sent still: the kill switch is on (${rest.join(", ")})`;
}
