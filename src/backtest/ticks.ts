import { nextForReadings, nextWakeUp } from "./next-wake-up.ts";
import type { State } from "../core/state.ts";
import { isIdle } from "../record/recorder.ts";
import type { Event, Policy, StepResult } from "../domain/step.ts";
import { SECOND, type Instant } from "../domain/time.ts";

/**
 * When ticks are due in a replay: each second, as in the daemon, counted from its start and from each recorded tick.
 * Ticks that would change nothing are left out.
 */
export class Ticks {
  private readonly which: "needed" | "all";
  /** The last tick, even if it was left out. */
  private anchor: Instant = 0;
  /** That tick changed nothing, and no input of a tick has changed since. */
  private isQuiet = false;
  /** `isQuietUntil` is true up to here. Each step sets it back, so it is never too late. */
  private quietUntil: Instant = 0;

  /** `all` leaves no tick out: a slower replay, with the same findings. */
  constructor(which: "needed" | "all") {
    this.which = which;
  }

  /** Call it if the process started, or a tick was recorded. */
  align(at: Instant): void {
    this.anchor = at;
    this.become(false);
  }

  /** Whether, up to and including `at`, no tick is due, and readings that show nothing new change nothing. */
  isQuietUntil(policy: Policy, state: State, at: Instant): boolean {
    if (!this.isQuiet || this.which === "all") return false;
    if (at <= this.quietUntil) return true;
    // A tick at the very instant of an event comes after it.
    const changes = nextForReadings(policy, state, this.anchor);
    this.quietUntil = Math.min(this.due(policy, state, at), changes - 1);
    return at <= this.quietUntil;
  }

  /** When the next tick is due; any instant at or after `until` if none is due before. */
  next(policy: Policy, state: State, until: Instant): Instant {
    if (!this.isQuiet || this.which === "all") return this.anchor + SECOND;
    return this.due(policy, state, until);
  }

  /** Called after every step. */
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
    // A tick at the very instant of the event comes after it.
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
 * Whether a reading showed nothing new: it changed only its poller's last success and the age of its surfaces, which
 * are only younger than at the last tick, and no guard needs to be asked again.
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
