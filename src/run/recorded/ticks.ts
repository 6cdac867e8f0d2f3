import { nextStir } from "../../core/next-stir.ts";
import type { State } from "../../core/state.ts";
import type { Event, Policy, StepResult } from "../../domain/step.ts";
import { SECOND, type Instant } from "../../domain/time.ts";

/**
 * When ticks fall due in a replay: each second, as in the daemon, counted from its start and set right
 * by every tick that was recorded. Those that would change nothing are left out.
 */
export type Ticks = {
  /** The process started, or a tick was recorded. */
  readonly align: (at: Instant) => void;
  readonly next: (policy: Policy, state: State) => Instant;
  /** Told of every step. */
  readonly note: (event: Event, result: StepResult, policy: Policy, state: State) => void;
};

/** `all` leaves none out: the same is to be found, only later. */
export function createTicks(which: "needed" | "all"): Ticks {
  /** The last tick that took place, or was left out. */
  let anchor: Instant = 0;
  /** That tick changed nothing, and nothing that ticks decide by has changed since. */
  let isQuiet = false;
  return {
    align: (at) => {
      anchor = at;
      isQuiet = false;
    },
    next: (policy, state) => {
      if (!isQuiet || which === "all") return anchor + SECOND;
      const stir = nextStir(policy, state, anchor);
      return anchor + Math.max(1, Math.ceil((stir - anchor) / SECOND)) * SECOND;
    },
    note: (event, result, policy, state) => {
      if (event.type === "tick") {
        anchor = state.at;
        isQuiet = result.changes.length + result.effects.length + result.findings.length === 0;
      } else if (isQuiet && (event.type !== "observed" || !isIdle(result, policy, state))) {
        isQuiet = false;
        // A tick that falls on the very instant of the event comes after it.
        const passed = Math.ceil((state.at - anchor) / SECOND) - 1;
        if (which === "needed") anchor += Math.max(0, passed) * SECOND;
      }
    },
  };
}

/**
 * A reading that told nothing new: nothing but its poller's last success has changed. Where an alert
 * wants its remediation it is not idle, as the guards ask for the age of the reading.
 */
function isIdle(
  { changes, effects, findings }: StepResult,
  { rules }: Policy,
  { firing, confirming, tables }: State,
): boolean {
  if (effects.length > 0 || confirming.size > 0) return false;
  if (findings.some(({ type }) => type !== "polled")) return false;
  for (const { table, value } of changes) {
    const isPoller = table === "entity" && (value as { kind?: unknown } | null)?.kind === "poller";
    if (!isPoller && table !== "counter") return false;
  }
  for (const key of firing) {
    if (rules.get(tables.alert.get(key)?.rule ?? "")?.act !== undefined) return false;
  }
  return true;
}
