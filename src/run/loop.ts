import { ruleHashes } from "../core/change/reload.ts";
import { stepInSlices } from "../core/step.ts";
import type { State } from "../core/state.ts";
import { messageOf } from "../domain/error-message.ts";
import { toEnd, type Slices } from "../domain/slices.ts";
import type { Event, Policy, ReloadRequest, StepResult, WatchListed } from "../domain/step.ts";
import type { Clock, Instant } from "../domain/time.ts";
import type { GapDetector } from "../io/process/gap.ts";
import type { TimeSlice } from "../io/process/time-slice.ts";
import { createBugRecovery } from "./bug-recovery.ts";
import { createCommits } from "./commit/commits.ts";
import type { Commits, CommitsWorld, Kept } from "./commit/loop-journal.ts";
import type { ReleaseWorld } from "./commit/release.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { createMemory, type MemoryWorld } from "./load-state.ts";

/**
 * One queue, one writer. Every event is stamped once, decided by `step`, committed, published, and
 * only then are its effects performed: step -> commit -> effects. The loop itself is synchronous; what
 * takes time happens outside and comes back as an event. A long event is handled in slices, between which the event
 * loop turns, and it stays one decision and one transaction: no other event is handled before it ends.
 */
export type Loop = Pick<
  Inbox<Decided>,
  "push" | "ask" | "askFirst" | "askInSlices" | "undisturbed" | "caughtUp" | "isBusy" | "idle"
> & {
  /**
   * Puts other rules and settings in force, as one event: before what waits, or after it if an aggregator has `moved`.
   * Gives what that step found; undefined if it failed: the policy before then stays in force.
   */
  readonly reload: (
    next: Policy,
    moved: readonly string[],
    request?: ReloadRequest,
  ) => StepResult | undefined;
  /** The same for other watch lists, before what waits; `listed` is what their sources gave, to be kept. */
  readonly rewatch: (next: Policy, listed: readonly WatchListed[]) => StepResult | undefined;
  /** Reads the state between two events: one that is being handled in slices is finished first. */
  readonly state: () => State;
  /** The same at once, perhaps in the middle of an event: only for what no event leaves half done. */
  readonly stateSoFar: () => State;
  /** If that was left for later: reads what the journal holds. It throws what to tell people. */
  readonly restore: (onRow: () => void) => Slices;
  readonly policy: () => Policy;
  /** The instant of the newest event, from which instants only grow. */
  readonly lastEventAt: () => Instant;
  readonly journalWritable: () => boolean;
  /** At the end of the process: what is known is on disk then, if it can be. */
  readonly end: () => void | Promise<void>;
  /** Handles, commits and releases nothing any more: the journal has another owner. */
  readonly abandon: () => void;
  /** Then nothing is done with what comes, and `ask`, `reload` and `rewatch` give undefined. */
  readonly isAbandoned: () => boolean;
  /** The message of the bug because of which it handles nothing any more; undefined if there is none. */
  readonly defect: () => string | undefined;
};

/** What the step of an event found, and what becomes of it; a shared journal says that later. */
type Decided = { readonly result: StepResult; readonly kept: Kept | Promise<Kept> };

export type LoopDependencies = Omit<
  CommitsWorld & ReleaseWorld & MemoryWorld,
  "between" | "pushFirst"
> & {
  readonly clock: Clock;
  /** Without it, every event is handled at once, however long that takes. */
  readonly slice?: TimeSlice | undefined;
  /** Says if nothing could be handled for long. A start is not a gap, however long it took. */
  readonly gaps?: GapDetector | undefined;
  /** Reports a bug in the core. If it is `fatal`, no event is handled any more. */
  readonly onBug: (error: unknown, event: Event, fatal: boolean) => void;
};

export function createLoop(policy: Policy, dependencies: LoopDependencies): Loop {
  const { clock, gaps, slice } = dependencies;
  const onError = (error: unknown, event: Event): void => recover(error, event, lastEventAt);
  const inbox = createInbox<Decided>(handle, onError, noting(gaps, slice));
  const { pushFirst, between, finish, finishCurrent, close, ...shown } = inbox;
  const commits = createCommits({ ...dependencies, between, pushFirst });
  const { end, ...abandoning } = createEnds(close, commits);
  const recover = createBugRecovery({ ...dependencies, rollBack, resume: pushFirst, end });
  const replacements = new WeakMap<Event, Policy>();
  const { deleteOthers, ...memory } = createMemory(() => policy, dependencies);
  let lastEventAt = clock.now();

  function* handle(event: Event, answer: (decided: Decided) => void): Slices {
    // After `resumed`, the journal's failure would be reported later than the commit that repaired it.
    const awayMs = event.type === "journal" ? undefined : gaps?.look();
    if (awayMs !== undefined && event.type !== "started")
      return pushFirst([{ type: "resumed", since: lastEventAt, awayMs }, event]);
    const at = Math.max(lastEventAt, memory.stateSoFar().at, clock.now());
    lastEventAt = at;
    yield* deleteOthers(at, commits.noteChanges);
    const inForce = replacements.get(event) ?? policy;
    const result = yield* stepInSlices(inForce, memory.stateSoFar(), event, at);
    policy = inForce;
    yield* commits.add({ event, at, result, answer: (kept) => answer({ result, kept }) });
  }

  function rollBack(): Event {
    const { journalUnchecked } = memory.stateSoFar();
    commits.rollBack();
    toEnd(memory.restore());
    return journalUnchecked ? { type: "started", journal: "unchecked" } : { type: "started" };
  }

  function replacePolicy(next: Policy, event: Event): StepResult | undefined {
    replacements.set(event, next);
    return (leavesAny(policy, next, event) ? shown.ask : shown.askFirst)(event)?.result;
  }

  return {
    ...shown,
    ...memory,
    reload: (next, moved, request) => replacePolicy(next, policyChanged(policy, moved, request)),
    rewatch: (next, listed) => replacePolicy(next, { type: "watch_changed", listed }),
    state: () => {
      finishCurrent();
      return memory.stateSoFar();
    },
    policy: () => policy,
    lastEventAt: () => lastEventAt,
    journalWritable: commits.isWritable,
    end: () => {
      finish();
      return commits.end(lastEventAt);
    },
    ...abandoning,
  };
}

/** The end by a bug, and the end as there is another owner. */
function createEnds(
  close: () => void,
  commits: Pick<Commits, "abandon">,
): Pick<Loop, "abandon" | "isAbandoned" | "defect"> & { readonly end: (error: unknown) => void } {
  let isAbandoned = false;
  let defect: string | undefined;
  const drop = (): void => {
    close();
    commits.abandon();
  };
  return {
    end: (error) => {
      defect = messageOf(error);
      drop();
    },
    abandon: () => {
      isAbandoned = true;
      drop();
    },
    isAbandoned: () => isAbandoned,
    defect: () => defect,
  };
}

/** An event that takes long is not a gap: in each of its slices the process runs. */
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

function policyChanged(
  { rules }: Policy,
  moved: readonly string[],
  reload: ReloadRequest | undefined,
): Event {
  const event = { type: "policy_changed", rulesBefore: ruleHashes(rules), moved } as const;
  return reload === undefined ? event : { ...event, reload };
}

/**
 * If an aggregator is left, all that waits comes first: what was read at an address must not be judged as if it came from
 * another, at which an aggregator of the same name may be watched soon.
 */
function leavesAny(before: Policy, next: Policy, event: Event): boolean {
  const names = new Set(next.aggregators.map(({ name }) => name));
  const isRemoved = before.aggregators.some(({ name }) => !names.has(name));
  return isRemoved || (event.type === "policy_changed" && event.moved.length > 0);
}
