import { ruleHashes } from "../core/change/reload.ts";
import { restore } from "../core/start.ts";
import { step } from "../core/step.ts";
import type { State } from "../core/state.ts";
import type { Effect, Event, Policy, StepResult, WatchListed } from "../domain/step.ts";
import type { Clock, Instant } from "../domain/time.ts";
import type { Journal } from "../io/journal/journal.ts";
import { createBacklog } from "./backlog.ts";
import { createBugCount } from "./bug-count.ts";
import { createInbox } from "./inbox.ts";
import type { Recorder } from "../record/recorder.ts";
import { createQuestions, type Asked } from "./questions.ts";

/**
 * One queue, one writer. Every event is stamped once, decided by `step`, committed, published, and
 * only then are its effects carried out: step -> commit -> effects. The loop itself is synchronous;
 * what takes time happens outside and comes back as an event.
 */
export type LoopWorld = {
  readonly clock: Clock;
  readonly journal: Pick<Journal, "rows" | "commit">;
  /** Keeps what was observed, for the replay; without it, that is not kept. */
  readonly recorder?: Recorder;
  /** Starts an effect and returns at once. */
  readonly perform: (effect: Effect) => void;
  /** Shows what a step found; must not throw. */
  readonly publish: (event: Event, result: StepResult, at: Instant) => void;
  /** A bug in the core; `fatal` where it repeats: nothing is handled any more, the process should end. */
  readonly onBug: (error: unknown, event: Event, fatal: boolean) => void;
};

export type Loop = {
  /** Puts an event into the inbox; it is handled before this returns, unless one is being handled. */
  readonly push: (event: Event) => void;
  /**
   * Puts other rules and settings in force, as one event of the inbox. Gives what that step found;
   * undefined where it failed: the policy before is then in force.
   */
  readonly reload: (next: Policy, moved: readonly string[]) => StepResult | undefined;
  /** The same for other watch lists; `listed` is what their sources gave, to be kept. */
  readonly rewatch: (next: Policy, listed: readonly WatchListed[]) => StepResult | undefined;
  /**
   * Pushes an event, and gives what its step found and whether that is on disk; undefined where the
   * step failed. Not while an event is handled.
   */
  readonly ask: (event: Event) => Asked | undefined;
  readonly state: () => State;
  readonly policy: () => Policy;
  /** When the last event was handled: a loop that turns moves this. */
  readonly turnedAt: () => Instant;
  readonly journalWritable: () => boolean;
};

export function createLoop(startPolicy: Policy, world: LoopWorld): Loop {
  let policy = startPolicy;
  const inbox = createInbox(turn, recover);
  const backlog = createBacklog(world.journal, world.recorder);
  let state = restore(world.journal.rows());
  let turnedAt = Math.max(state.at, world.clock.now());
  let writable = true;
  const bugs = createBugCount();
  let isEnded = false;
  let replacement: Policy | undefined;
  const questions = createQuestions((event) => push(event), inbox.isTurning);

  /** An event about the journal goes before all others: what they decide depends on it. */
  function tellJournal(now: boolean, detail: string, unsent: readonly string[]): void {
    writable = now;
    inbox.pushFirst({ type: "journal", writable, detail, unsent });
  }

  function turn(event: Event): void {
    const at = Math.max(turnedAt, world.clock.now());
    turnedAt = at;
    const next = bringsPolicy(event) ? replacement : undefined;
    const result = step(next ?? policy, state, event, at);
    if (next !== undefined) policy = next;
    const committed = backlog.commit(result, at, event);
    questions.answer(event, { result, durable: committed.ok });
    world.publish(event, result, at);
    if (committed.ok) {
      for (const effect of result.effects) world.perform(effect);
      if (!writable) tellJournal(true, "the journal can be written again", []);
      return;
    }
    const { durable, unsent } = withoutActs(result.effects);
    for (const effect of durable) world.perform(effect);
    if (writable || unsent.length > 0) tellJournal(false, committed.problem, unsent);
  }

  /** The state may be half changed: go back to what was committed, alert on, and act no more. */
  function recover(error: unknown, event: Event): void {
    if (bugs.isTooMany(turnedAt)) return endWith(error, event);
    world.onBug(error, event, false);
    try {
      backlog.dropChanges();
      state = restore(world.journal.rows());
    } catch (unreadable) {
      return endWith(unreadable, event);
    }
    // Starting lifts what a failing journal had stopped; if it still fails, that is told anew.
    writable = true;
    inbox.pushFirst({ type: "started" }, KILLED_BY_BUG);
  }

  /** State cannot be trusted: not another event is decided by it. */
  function endWith(error: unknown, event: Event): void {
    isEnded = true;
    inbox.clear();
    world.onBug(error, event, true);
  }

  const push = (event: Event): void => (isEnded ? undefined : inbox.push(event));

  /** `event` is of those that bring a policy with them. */
  function adopt(next: Policy, event: Event): StepResult | undefined {
    replacement = next;
    const answer = questions.ask(event);
    replacement = undefined;
    return answer?.result;
  }

  return {
    push,
    reload: (next, moved) => adopt(next, policyChanged(policy, moved)),
    rewatch: (next, listed) => adopt(next, { type: "watch_changed", listed }),
    ask: questions.ask,
    state: () => state,
    policy: () => policy,
    turnedAt: () => turnedAt,
    journalWritable: () => writable,
  };
}

function policyChanged({ rules }: Policy, moved: readonly string[]): Event {
  return { type: "policy_changed", rulesBefore: ruleHashes(rules), moved };
}

function bringsPolicy({ type }: Event): boolean {
  return type === "policy_changed" || type === "watch_changed";
}

const KILLED_BY_BUG: Event = {
  type: "command",
  by: "aggwatch",
  reason: "a bug in the core; restart aggwatch when it is mended",
  command: { name: "kill", source: "bug" },
};

/** What may be carried out although nothing was written, and the remediations that may not be sent. */
function withoutActs(effects: readonly Effect[]): { durable: Effect[]; unsent: string[] } {
  return {
    durable: effects.filter((effect) => effect.type !== "act"),
    unsent: effects.flatMap((effect) => (effect.type === "act" ? [effect.remediation] : [])),
  };
}
