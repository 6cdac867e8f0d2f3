import { formatDuration, SECOND, type Instant, type Millis } from "../../domain/time.ts";

/**
 * Whether the work is really being done. The heartbeat is sent only while it is, and `/healthz` gives the
 * same reasons. In doubt it is withheld: a dead man's switch that is silent too often is a nuisance,
 * and one that pings for a watchdog that sees nothing is worse than none.
 */
export const HEARTBEAT_REASONS = [
  /** The first polls since the start are not done. */
  "starting",
  /** The loop has processed no tick for too long. */
  "loop_still",
  /** A schedule has not fired when it should have. */
  "schedule_silent",
  /** A poller has read nothing within its `stale_after`. */
  "poll_overdue",
  /** The journal is not written. */
  "journal_failing",
  /** Notifications wait, and no channel delivers them. */
  "notifier_silent",
] as const;
export type HeartbeatReason = (typeof HEARTBEAT_REASONS)[number];

/** Faults that a restart may end: `/healthz` answers 503. A restart repairs neither an aggregator nor a disk. */
export const MENDED_BY_RESTART: ReadonlySet<HeartbeatReason> = new Set([
  "loop_still",
  "schedule_silent",
]);

export type WorkFault = {
  readonly reason: HeartbeatReason;
  /** A sentence without its full stop. */
  readonly detail: string;
};

/** What is known of the work at one instant. */
export type WorkFacts = {
  readonly at: Instant;
  readonly startedAt: Instant;
  /** When it went on after it could not run: what was not done meanwhile is not a fault. Undefined if it always could. */
  readonly resumedAt?: Instant | undefined;
  /** When the loop had processed the last tick, with its commit. */
  readonly tickedAt: Instant;
  /** The bug in the core because of which the loop handles nothing any more; undefined if there is none. */
  readonly defect?: string | undefined;
  /** A loop that has not turned for longer is stuck. */
  readonly stillAfterMs: Millis;
  readonly pollers: readonly PollerFacts[];
  readonly journal: {
    /** Why it cannot be written; undefined while it can. */
    readonly problem: string | undefined;
    /** When something was last written; undefined if nothing was since the start. */
    readonly committedAt: Instant | undefined;
  };
  /** Since when something waits in every channel; undefined if a channel is empty, or if that does not count. */
  readonly notifiersSilentSince: Instant | undefined;
  /** What other units of the same watchdog do; undefined if this one is all. */
  readonly others?: OtherUnits | undefined;
};

export type OtherUnits = {
  /** Whether any of them has something to poll, as far as is known: then this one need not have. */
  readonly isWatching: boolean;
  readonly faults: readonly WorkFault[];
};

export type PollerFacts = {
  readonly aggregator: string;
  readonly poller: string;
  readonly intervalMs: Millis;
  readonly staleAfterMs: Millis;
  /** When the poller was configured: at the start, or by a reload. */
  readonly since: Instant;
  /** When its schedule last fired, whatever the outcome of the poll, or was replaced by this one. */
  readonly firedAt: Instant | undefined;
  /** When the last successful poll was sent. */
  readonly lastSuccess: Instant | undefined;
};

/** How late a schedule may be: a busy process is not a dead scheduler. */
export const SCHEDULE_GRACE: Millis = 15 * SECOND;

/** How long notifications may wait before the channels count as silent. */
export const NOTIFIER_GRACE: Millis = 300 * SECOND;

/** Every fault; empty while the work is being done. */
export function faultsOf(facts: WorkFacts): readonly WorkFault[] {
  const { pollers, others, notifiersSilentSince: silentSince } = facts;
  return [
    ...loopFaults(facts),
    ...(pollers.length === 0 && others?.isWatching !== true
      ? [fault("poll_overdue", "nothing is watched: no poller has anything to ask for")]
      : pollers.flatMap((one) => pollerFaults(one, facts))),
    ...(others?.faults ?? []),
    ...journalFaults(facts),
    ...(silentSince !== undefined && facts.at - silentSince > NOTIFIER_GRACE
      ? [fault("notifier_silent", notifierDetail(facts.at - silentSince))]
      : []),
  ];
}

function loopFaults({ at, tickedAt, startedAt, stillAfterMs, defect }: WorkFacts): WorkFault[] {
  if (defect !== undefined)
    return [
      fault("loop_still", `nothing is decided any more, because of a bug in the core: ${defect}`),
    ];
  const stillMs = at - Math.max(tickedAt, startedAt);
  if (stillMs <= stillAfterMs) return [];
  return [fault("loop_still", `the loop has not turned for ${formatDuration(stillMs)}`)];
}

function workingSince({ startedAt, resumedAt = startedAt }: WorkFacts): Instant {
  return Math.max(startedAt, resumedAt);
}

function fault(reason: HeartbeatReason, detail: string): WorkFault {
  return { reason, detail };
}

function notifierDetail(silentMs: Millis): string {
  return `no notifier has taken what waits for ${formatDuration(silentMs)}`;
}

function pollerFaults(poller: PollerFacts, facts: WorkFacts): WorkFault[] {
  const { at } = facts;
  const { intervalMs, staleAfterMs, firedAt, lastSuccess } = poller;
  const name = `${poller.aggregator}/${poller.poller}`;
  const since = Math.max(workingSince(facts), poller.since);
  const found: WorkFault[] = [];
  const silentMs = at - Math.max(since, firedAt ?? since);
  if (silentMs > intervalMs + SCHEDULE_GRACE) {
    const detail = `the schedule of ${name} has not fired for ${formatDuration(silentMs)}, and should every ${formatDuration(intervalMs)}`;
    found.push(fault("schedule_silent", detail));
  }
  // What was read before the start proves nothing of this process.
  const readAt = lastSuccess !== undefined && lastSuccess >= since ? lastSuccess : undefined;
  const unreadMs = at - (readAt ?? since);
  if (unreadMs > staleAfterMs) {
    const detail = `${name} has read nothing for ${formatDuration(unreadMs)} (stale_after is ${formatDuration(staleAfterMs)})`;
    found.push(fault("poll_overdue", detail));
  } else if (readAt === undefined) {
    found.push(fault("starting", `the first poll of ${name} is not done`));
  }
  return found;
}

/** Every poll that reads something is written, so while pollers read, the journal is never idle for long. */
function journalFaults(facts: WorkFacts): WorkFault[] {
  const { at, journal, pollers } = facts;
  const since = workingSince(facts);
  if (journal.problem !== undefined) return [fault("journal_failing", journal.problem)];
  if (pollers.length === 0) return [];
  const idleMs = at - Math.max(since, journal.committedAt ?? since);
  const longestMs = Math.max(...pollers.map(({ staleAfterMs }) => staleAfterMs)) + SCHEDULE_GRACE;
  if (idleMs <= longestMs) return [];
  const detail = `nothing was written to the journal for ${formatDuration(idleMs)}`;
  return [fault("journal_failing", detail)];
}
