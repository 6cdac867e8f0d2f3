import { ruleHashes } from "../core/change/reload.ts";
import { stepInSlices } from "../core/step.ts";
import type { State } from "../core/state.ts";
import type { Result } from "../domain/result.ts";
import type { Slices } from "../domain/slices.ts";
import type { Effect, Event, Policy, StepResult, WatchListed } from "../domain/step.ts";
import type { Clock, Instant } from "../domain/time.ts";
import type { GapDetector } from "../io/process/gap.ts";
import type { Journal } from "../io/journal/journal.ts";
import type { TimeSlice } from "../io/process/time-slice.ts";
import { createBacklog } from "./backlog.ts";
import { createBugRecovery } from "./bug-recovery.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { deleteRows, loadState } from "./load-state.ts";
import type { Recorder } from "../record/recorder.ts";

/**
 * One queue, one writer. Every event is stamped once, decided by `step`, committed, published, and
 * only then are its effects performed: step -> commit -> effects. The loop itself is synchronous; what
 * takes time happens outside and comes back as an event. A long event is handled in slices, between which the event
 * loop turns, and it stays one decision and one transaction: no other event is handled before it ends.
 */
export type Loop = Pick<Inbox<Decided>, "push" | "ask" | "isBusy" | "idle"> & {
  /**
   * Puts other rules and settings in force, as one event of the inbox. Gives what that step found;
   * undefined if it failed: the policy before then stays in force.
   */
  readonly reload: (next: Policy, moved: readonly string[]) => StepResult | undefined;
  /** The same for other watch lists; `listed` is what their sources gave, to be kept. */
  readonly rewatch: (next: Policy, listed: readonly WatchListed[]) => StepResult | undefined;
  /** Never in the middle of an event: one that is being handled in slices is brought to its end first. */
  readonly state: () => State;
  /** The same, perhaps in the middle of an event: for what must answer at once, and reads what no event leaves half done. */
  readonly stateSoFar: () => State;
  readonly policy: () => Policy;
  /** The instant of the newest event, from which instants only grow. */
  readonly lastEventAt: () => Instant;
  readonly journalWritable: () => boolean;
};

/** What the step of an event found, and whether that is on disk. */
export type Decided = { readonly result: StepResult; readonly durable: boolean };

export type LoopDependencies = {
  readonly clock: Clock;
  readonly journal: Pick<Journal, "rows" | "commit"> &
    Partial<Pick<Journal, "inPlace" | "commitInSlices">>;
  /** Without it, every event is handled at once, however long that takes. */
  readonly slice?: TimeSlice | undefined;
  /** Says if nothing could be handled for long. A start is no gap, however long it took. */
  readonly gaps?: GapDetector | undefined;
  /** Keeps what was observed, for the replay; without it, that is not kept. */
  readonly recorder?: Recorder;
  /** Starts an effect and returns at once. */
  readonly perform: (effect: Effect) => void;
  /** Shows what a step found, in slices if that may be much; must not throw. */
  readonly publish: (event: Event, result: StepResult, at: Instant) => Slices | undefined | void;
  /** Reports a bug in the core. If it is `fatal`, no event is handled any more, and the process should end. */
  readonly onBug: (error: unknown, event: Event, fatal: boolean) => void;
};

export function createLoop(policy: Policy, dependencies: LoopDependencies): Loop {
  const { clock, gaps, journal, recorder, slice, perform, publish, onBug } = dependencies;
  const sliced = noting(gaps, slice);
  const onError = (error: unknown, event: Event): void => recover(error, event, lastEventAt);
  const { pushFirst, finish, close, ...shown } = createInbox<Decided>(handle, onError, sliced);
  const backlog = createBacklog(journal, recorder);
  const recover = createBugRecovery({ rollBack, resume: pushFirst, end: close, onBug });
  const replacements = new WeakMap<Event, Policy>();
  let { state, others } = loadState(policy, journal);
  let lastEventAt = Math.max(state.at, clock.now());
  let writable = true;

  function* handle(event: Event, answer: (decided: Decided) => void): Slices {
    // Behind `resumed`, what the journal did would be said after the commit that mended it.
    const awayMs = event.type === "journal" ? undefined : gaps?.look();
    if (awayMs !== undefined && event.type !== "started")
      return pushFirst([{ type: "resumed", since: lastEventAt, awayMs }, event]);
    const at = Math.max(lastEventAt, clock.now());
    lastEventAt = at;
    if (others.length > 0) others = deleteRows(journal, others, at);
    const inForce = replacements.get(event) ?? policy;
    const result = yield* stepInSlices(inForce, state, event, at);
    policy = inForce;
    const committed = yield* backlog.commit(result, at, event);
    answer({ result, durable: committed.ok });
    yield* publish(event, result, at) ?? [];
    const unsent = performAll(result.effects, committed.ok, perform);
    if (committed.ok === writable && unsent.length === 0) return;
    writable = committed.ok;
    pushFirst([journalChanged(committed, unsent)]);
  }

  function rollBack(): Event {
    const { journalUnchecked } = state;
    backlog.dropChanges();
    ({ state, others } = loadState(policy, journal));
    // Starting lifts what a failing journal had stopped; if it still fails, that is found anew.
    writable = true;
    return journalUnchecked ? { type: "started", journal: "unchecked" } : { type: "started" };
  }

  function replacePolicy(next: Policy, event: Event): StepResult | undefined {
    replacements.set(event, next);
    return shown.ask(event)?.result;
  }

  return {
    ...shown,
    reload: (next, moved) => replacePolicy(next, policyChanged(policy, moved)),
    rewatch: (next, listed) => replacePolicy(next, { type: "watch_changed", listed }),
    state: () => {
      finish();
      return state;
    },
    stateSoFar: () => state,
    policy: () => policy,
    lastEventAt: () => lastEventAt,
    journalWritable: () => writable,
  };
}

/** An event that takes long is no gap: in each of its slices the process runs. */
function noting(
  gaps: GapDetector | undefined,
  slice: TimeSlice | undefined,
): TimeSlice | undefined {
  if (gaps === undefined || slice === undefined) return slice;
  const next = async (): Promise<void> => {
    await slice.next();
    gaps.noteRunning();
  };
  return { ...slice, next };
}

/** Gives the actions that are not sent. */
function performAll(
  effects: readonly Effect[],
  isDurable: boolean,
  perform: LoopDependencies["perform"],
): readonly Action[] {
  for (const effect of effects) if (isDurable || !isAction(effect)) perform(effect);
  return isDurable ? [] : effects.filter(isAction);
}

function policyChanged({ rules }: Policy, moved: readonly string[]): Event {
  return { type: "policy_changed", rulesBefore: ruleHashes(rules), moved };
}

/** Goes before all other events: what they decide depends on it. */
function journalChanged(committed: Result<void, string>, unsent: readonly Action[]): Event {
  const detail = committed.ok ? "the journal can be written again" : committed.problem;
  const ids = unsent.map(({ remediation }) => remediation);
  return { type: "journal", writable: committed.ok, detail, unsent: ids };
}

type Action = Extract<Effect, { type: "act" }>;

/** While nothing can be written, no action is sent. */
function isAction(effect: Effect): effect is Action {
  return effect.type === "act";
}
