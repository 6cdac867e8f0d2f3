import { nextGuardAnswers, nextWakeUp, type Acting } from "./next-wake-up.ts";
import type { State } from "../core/state.ts";
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
  readonly note: (event: Event, result: StepResult, policy: Policy, state: State) => void;
};

/** `all` leaves none out: the same is to be found, only later. */
export function createTicks(which: "needed" | "all"): Ticks {
  /** The last tick that took place, or was left out. */
  let anchor: Instant = 0;
  /** That tick changed nothing, and nothing that ticks decide by has changed since. */
  let isQuiet = false;
  /** Of that tick, and never too late since. */
  let acting: Acting | undefined;
  /** The guards ask if a listing is complete, which is in no row. */
  let completeness = 0;

  function become(quiet: boolean): void {
    isQuiet = quiet;
    acting = undefined;
  }

  function due(policy: Policy, state: State): Instant {
    acting ??= nextGuardAnswers(policy, state, anchor);
    const wakeUp = nextWakeUp(policy, state, anchor, acting);
    return anchor + Math.max(1, Math.ceil((wakeUp - anchor) / SECOND)) * SECOND;
  }

  return {
    align: (at) => {
      anchor = at;
      become(false);
    },
    next: (policy, state, until) => {
      if (!isQuiet || which === "all") return anchor + SECOND;
      const isOld = acting !== undefined;
      const at = due(policy, state);
      if (!isOld || at >= until) return at;
      acting = undefined;
      return due(policy, state);
    },
    note: (event, result, policy, state) => {
      const isAsComplete = completeness === state.revisions.completeness;
      completeness = state.revisions.completeness;
      if (event.type === "tick") {
        anchor = state.at;
        become(result.changes.length + result.effects.length + result.findings.length === 0);
        return;
      }
      if (!isQuiet) return;
      if (event.type === "observed" && isAsComplete && showsNothingNew(result, state)) {
        acting ??= nextGuardAnswers(policy, state, anchor);
        if (!acting.waitsForReading) return;
      }
      become(false);
      // A tick that falls on the very instant of the event comes after it.
      const passed = Math.ceil((state.at - anchor) / SECOND) - 1;
      if (which === "needed") anchor += Math.max(0, passed) * SECOND;
    },
  };
}

/**
 * True of a reading that showed nothing new: it changed only its poller's last success, and the age of
 * its surfaces, which to the guards can only be younger than at the last tick.
 */
function showsNothingNew(
  { changes, effects, findings }: StepResult,
  { confirming }: State,
): boolean {
  if (effects.length > 0 || confirming.size > 0) return false;
  if (findings.some(({ type }) => type !== "polled")) return false;
  for (const { table, value } of changes) {
    const isPoller = table === "entity" && (value as { kind?: unknown } | null)?.kind === "poller";
    if (!isPoller && table !== "counter") return false;
  }
  return true;
}
