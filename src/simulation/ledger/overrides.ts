import type { Command } from "../../domain/command.ts";
import type { Scope } from "../../domain/hold.ts";
import type { Instant } from "../../domain/time.ts";
import type { State } from "../../core/state.ts";
import type { Step } from "../run-event.ts";
import { DurableMap } from "./durable-map.ts";

type Hold = { readonly scope: Scope; readonly from: Instant; readonly until: Instant };

/** The start of a ramp, and what ended then. */
export type Ramp = { readonly at: Instant; readonly why: string };

/** After so many intervals, a ramp is over. */
export const RAMP_INTERVALS = 6;

/** Whether the ramp is over; it stays over, even if the intervals become longer later. */
export function isOver({ at: from }: Ramp, { policy, stampedAt: at }: Step): boolean {
  return at - from >= RAMP_INTERVALS * policy.acting.rampIntervalMs;
}

/** Holds and the kill switch, as operators and the shell commanded them. */
export class Overrides {
  readonly holds = new DurableMap<Hold>({
    keys: ({ hold }) => hold.keys(),
    read: ({ hold }, id) => hold.get(id),
  });
  /** Since when the kill switch is on, by its source. */
  readonly kills = new DurableMap<Instant>({
    keys: ({ kill }) => [...kill.values()].map(({ source }) => source),
    read: killedSince,
  });
  /** The ramp after the last override that ended; undefined if it is over. */
  lastEnd: Ramp | undefined;

  record(step: Step): void {
    const { event, stampedAt: at } = step;
    if (this.lastEnd !== undefined && isOver(this.lastEnd, step)) this.lastEnd = undefined;
    if (event.type === "started") for (const source of LIFTED_BY_START) this.kills.delete(source);
    if (event.type === "journal" && event.writable) this.kills.delete("journal");
    if (event.type === "journal" && !event.writable) this.kills.set("journal", at);
    for (const [id, { until }] of this.holds) {
      if (until > at) continue;
      this.holds.delete(id);
      this.lastEnd = { at, why: `the hold ${id} has run out` };
    }
    this.recordCommand(step);
    for (const one of step.result.findings) {
      if (one.type === "kill" && !one.on) this.lastEnd = { at, why: `${one.source} let go` };
      if (one.type === "hold" && one.change === "ended")
        this.lastEnd = { at, why: `the hold ${one.hold.id} has ended` };
    }
  }

  private recordCommand(step: Step): void {
    const { command, subject } = acceptedCommand(step) ?? {};
    const at = step.stampedAt;
    if (command?.name === "kill") this.kills.set(command.source, at);
    if (command?.name === "unkill") this.kills.delete(command.source);
    if (command?.name === "release") this.holds.delete(command.hold);
    if (command?.name === "hold" && subject !== undefined)
      this.holds.set(subject, { scope: command.scope, from: at, until: command.until });
  }

  /** Commits were lost: no process knows of what ended after `since`. */
  lose(since: Instant): void {
    if (this.lastEnd !== undefined && this.lastEnd.at > since) this.lastEnd = undefined;
  }
}

/** Sources of the kill switch that a start lifts; if the cause remains, the new process finds it again. */
const LIFTED_BY_START = ["journal", "bug"];

export function killedSince({ kill }: State["tables"], source: string): Instant | undefined {
  return [...kill.values()].find((one) => one.source === source)?.since;
}

type AcceptedCommand = {
  readonly command: Command;
  readonly by: string;
  /** What it is about: the id of a hold or a proposal, the key of an entity. */
  readonly subject: string;
};

export function acceptedCommand({ event, result }: Step): AcceptedCommand | undefined {
  if (event.type !== "command") return undefined;
  const answer = result.findings.find((finding) => finding.type === "command");
  if (answer?.accepted !== true) return undefined;
  return { command: event.command, by: event.by, subject: answer.subject };
}
