import { restore } from "../core/start.ts";
import { step } from "../core/step.ts";
import type { State } from "../core/state.ts";
import type { Result } from "../domain/result.ts";
import type { Change, Effect, Event, Finding, Policy, StepResult } from "../domain/step.ts";
import type { Clock, Instant } from "../domain/time.ts";

/**
 * One queue, one writer. Every event is stamped once, decided by `step`, committed, published, and
 * only then are its effects carried out: step -> commit -> effects. The loop itself is synchronous;
 * what takes time happens outside and comes back as an event.
 */
export type LoopWorld = {
  readonly clock: Clock;
  readonly journal: {
    readonly rows: () => Change[];
    readonly commit: (record: {
      at: Instant;
      changes: readonly Change[];
      findings: readonly Finding[];
    }) => Result<void, string>;
  };
  /** Starts an effect and returns at once. */
  readonly perform: (effect: Effect) => void;
  /** Shows what a step found; must not throw. */
  readonly publish: (event: Event, result: StepResult, at: Instant) => void;
  /** A bug in the core; `fatal` where it repeats and the process should end. */
  readonly onBug: (error: unknown, event: Event, fatal: boolean) => void;
};

export type Loop = {
  /** Puts an event into the inbox; it is handled before this returns, unless one is being handled. */
  readonly push: (event: Event) => void;
  readonly state: () => State;
  readonly policy: () => Policy;
  /** When the last event was handled: a loop that turns moves this. */
  readonly turnedAt: () => Instant;
  readonly journalWritable: () => boolean;
};

/** More bugs than this, and alerts cannot be trusted either: the process ends, loudly. */
export const MOST_BUGS = 3;

/** Findings that wait for a journal that cannot be written; the oldest go first. */
const MOST_UNWRITTEN_FINDINGS = 10_000;

export function createLoop(policy: Policy, world: LoopWorld): Loop {
  const inbox: Event[] = [];
  const unwritten = { changes: new Map<string, Change>(), findings: [] as Finding[] };
  let state = restore(world.journal.rows());
  let turning = false;
  let turnedAt = world.clock.now();
  let writable = true;
  let bugs = 0;

  /** Gives the ids of the remediations that may be sent: those whose request is on disk. */
  function commit(result: StepResult, at: Instant): boolean {
    for (const change of result.changes) {
      unwritten.changes.set(`${change.table} ${change.key}`, change);
    }
    unwritten.findings.push(...result.findings.filter((finding) => finding.type !== "polled"));
    unwritten.findings.splice(0, unwritten.findings.length - MOST_UNWRITTEN_FINDINGS);
    if (unwritten.changes.size === 0 && unwritten.findings.length === 0) return writable;
    const changes = [...unwritten.changes.values()];
    const committed = world.journal.commit({ at, changes, findings: unwritten.findings });
    if (committed.ok) {
      unwritten.changes.clear();
      unwritten.findings = [];
      if (!writable) tellJournal(true, "the journal can be written again", []);
      return true;
    }
    const unsent = result.effects.flatMap((effect) =>
      effect.type === "act" ? [effect.remediation] : [],
    );
    if (writable || unsent.length > 0) tellJournal(false, committed.problem, unsent);
    return false;
  }

  function tellJournal(now: boolean, detail: string, unsent: readonly string[]): void {
    writable = now;
    inbox.unshift({ type: "journal", writable: now, detail, unsent });
  }

  function turn(event: Event): void {
    const at = Math.max(state.at, world.clock.now());
    const result = step(policy, state, event, at);
    const durable = commit(result, at);
    world.publish(event, result, at);
    for (const effect of result.effects) {
      if (durable || effect.type !== "act") world.perform(effect);
    }
    turnedAt = at;
  }

  /** The state may be half changed: go back to what was committed, alert on, and act no more. */
  function recover(error: unknown, event: Event): void {
    bugs += 1;
    world.onBug(error, event, bugs > MOST_BUGS);
    if (bugs > MOST_BUGS) return;
    state = restore(world.journal.rows());
    inbox.unshift(
      { type: "started" },
      {
        type: "command",
        by: "aggwatch",
        reason: "a bug in the core; restart aggwatch when it is mended",
        command: { name: "kill", source: "bug" },
      },
    );
  }

  function push(event: Event): void {
    inbox.push(event);
    if (turning) return;
    turning = true;
    try {
      for (let next = inbox.shift(); next !== undefined; next = inbox.shift()) {
        try {
          turn(next);
        } catch (error) {
          recover(error, next);
        }
      }
    } finally {
      turning = false;
    }
  }

  return {
    push,
    state: () => state,
    policy: () => policy,
    turnedAt: () => turnedAt,
    journalWritable: () => writable,
  };
}
