import { nextForReadings, nextWakeUp } from "./next-wake-up.ts";
import type { State } from "../core/state.ts";
import { isIdle } from "../record/recorder.ts";
import type { Event, Policy, StepResult } from "../domain/step.ts";
import { SECOND, type Instant } from "../domain/time.ts";

/**
 * When ticks fall due in a replay: each second, as in the daemon, counted from its start and set right
 * by every tick that was recorded. Those that would change nothing are left out.
 */
export type Ticks = {
  /** The process started, or a tick was recorded. */
  readonly align: (at: Instant) => void;
  /** When the next one is due; any instant at or after `until` if none is before that. */
  readonly next: (policy: Policy, state: State, until: Instant) => Instant;
  /** Called after every step. */
  readonly note: (event: Event, result: StepResult, state: State) => void;
  /** If no tick is due, and a reading that shows nothing new changes nothing, until then, this instant included. */
  readonly isQuietUntil: (policy: Policy, state: State, at: Instant) => boolean;
};

/** `all` leaves none out: the same is to be found, only later. */
export function createTicks(which: "needed" | "all"): Ticks {
  return new TickRun(which);
}

class TickRun implements Ticks {
  private readonly which: "needed" | "all";
  /** The last tick that took place, or was left out. */
  private anchor: Instant = 0;
  /** That tick changed nothing, and nothing that ticks decide by has changed since. */
  private isQuiet = false;
  /** Until then no tick is due, and readings that show nothing new change nothing; never too late since the last step. */
  private quietUntil: Instant = 0;

  constructor(which: "needed" | "all") {
    this.which = which;
  }

  align(at: Instant): void {
    this.anchor = at;
    this.become(false);
  }

  isQuietUntil(policy: Policy, state: State, at: Instant): boolean {
    if (!this.isQuiet || this.which === "all") return false;
    if (at <= this.quietUntil) return true;
    // A tick that falls on the very instant of an event comes after it.
    const changes = nextForReadings(policy, state, this.anchor);
    this.quietUntil = Math.min(this.due(policy, state, at), changes - 1);
    return at <= this.quietUntil;
  }

  next(policy: Policy, state: State, until: Instant): Instant {
    if (!this.isQuiet || this.which === "all") return this.anchor + SECOND;
    return this.due(policy, state, until);
  }

  note(event: Event, result: StepResult, state: State): void {
    if (event.type === "tick") {
      this.anchor = state.at;
      this.become(isIdle(result));
      return;
    }
    if (!this.isQuiet) return;
    this.quietUntil = 0;
    if (event.type === "observed" && showsNothingNew(result, state)) return;
    this.become(false);
    // A tick that falls on the very instant of the event comes after it.
    const passed = Math.ceil((state.at - this.anchor) / SECOND) - 1;
    if (this.which === "needed") this.anchor += Math.max(0, passed) * SECOND;
  }

  private become(quiet: boolean): void {
    this.isQuiet = quiet;
    this.quietUntil = 0;
  }

  private due(policy: Policy, state: State, by: Instant): Instant {
    const { anchor } = this;
    const wakeUp = nextWakeUp(policy, state, anchor, by);
    return anchor + Math.max(1, Math.ceil((wakeUp - anchor) / SECOND)) * SECOND;
  }
}

/**
 * True of a reading that showed nothing new: it changed only its poller's last success, and the age of
 * its surfaces, which to the guards can only be younger than at the last tick, and none waits for it.
 */
function showsNothingNew(
  { changes, effects, findings }: StepResult,
  { confirming, waiting }: State,
): boolean {
  if (effects.length > 0 || confirming.size > 0 || waiting.isStale) return false;
  if (findings.some(({ type }) => type !== "polled")) return false;
  for (const { table, value } of changes) {
    const isPoller = table === "entity" && (value as { kind?: unknown } | null)?.kind === "poller";
    if (!isPoller && table !== "counter") return false;
  }
  return true;
}
