import type { Finding } from "../../../domain/finding.ts";
import type { PollOutcome } from "../../../domain/observation.ts";
import { DAY, MINUTE, type Instant, type Millis } from "../../../domain/time.ts";

/** How the polls of each poller went of late: the last ones one by one, and the last day by the minute. */
export type PollHistory = {
  readonly note: (at: Instant, finding: Finding) => void;
  /** Of a poller, by the id of its entity, with the polls up to an instant; the oldest first. */
  readonly of: (aggregator: string, poller: string) => PastPolls;
};

export type PastPolls = {
  readonly recent: readonly PastPoll[];
  readonly minutes: readonly PollMinute[];
};

export type PastPoll = {
  readonly at: Instant;
  readonly outcome: PollOutcome;
  readonly durationMs: Millis;
  readonly detail: string;
};

/** The polls of a stretch of time. */
export type PollMinute = {
  readonly from: Instant;
  readonly counts: Record<PollOutcome, number>;
  /** Of all of them together, and of the longest. */
  sumMs: Millis;
  maxMs: Millis;
  /** Of the last that was not complete. */
  detail: string;
};

export const MOST_RECENT = 100;
const MOST_MINUTES = DAY / MINUTE;
/** What a server said of its failure may be long. */
const LONGEST_DETAIL = 200;

export function createPollHistory(): PollHistory {
  type Polls = { readonly recent: PastPoll[]; readonly minutes: PollMinute[] };
  const byPoller = new Map<string, Polls>();
  return {
    note: (at, finding) => {
      if (finding.type !== "polled" || finding.origin === "probe") return;
      const key = `${finding.aggregator}/${finding.id ?? finding.poller}`;
      const polls = byPoller.get(key) ?? { recent: [], minutes: [] };
      byPoller.set(key, polls);
      const { outcome, durationMs } = finding;
      const detail = finding.detail.slice(0, LONGEST_DETAIL);
      polls.recent.push({ at, outcome, durationMs, detail });
      if (polls.recent.length > MOST_RECENT) polls.recent.shift();
      addTo(polls.minutes, { at, outcome, durationMs, detail }, MINUTE);
      if (polls.minutes.length > MOST_MINUTES) polls.minutes.shift();
    },
    of: (aggregator, poller) =>
      byPoller.get(`${aggregator}/${poller}`) ?? { recent: [], minutes: [] },
  };
}

/** Adds a poll to the last bucket, or to a new one after it. Polls come in the order of their instants. */
export function addTo(buckets: PollMinute[], poll: PastPoll, lengthMs: Millis): void {
  const from = Math.floor(poll.at / lengthMs) * lengthMs;
  let last = buckets.at(-1);
  if (last === undefined || last.from < from) {
    const counts = { complete: 0, partial: 0, truncated: 0, failed: 0 };
    last = { from, counts, sumMs: 0, maxMs: 0, detail: "" };
    buckets.push(last);
  }
  last.counts[poll.outcome] += 1;
  last.sumMs += poll.durationMs;
  last.maxMs = Math.max(last.maxMs, poll.durationMs);
  if (poll.outcome !== "complete") last.detail = poll.detail;
}

/** Minutes joined to longer stretches, which begin at multiples of their length. */
export function joined(minutes: readonly PollMinute[], lengthMs: Millis): PollMinute[] {
  const buckets: PollMinute[] = [];
  for (const minute of minutes) {
    const from = Math.floor(minute.from / lengthMs) * lengthMs;
    const last = buckets.at(-1);
    if (last === undefined || last.from < from) {
      buckets.push({ ...minute, from, counts: { ...minute.counts } });
      continue;
    }
    for (const outcome of ["complete", "partial", "truncated", "failed"] as const)
      last.counts[outcome] += minute.counts[outcome];
    last.sumMs += minute.sumMs;
    last.maxMs = Math.max(last.maxMs, minute.maxMs);
    if (minute.detail !== "") last.detail = minute.detail;
  }
  return buckets;
}
