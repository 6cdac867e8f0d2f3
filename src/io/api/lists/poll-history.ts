import type { Finding } from "../../../domain/finding.ts";
import { POLL_OUTCOMES, type PollOutcome } from "../../../domain/observation.ts";
import { DAY, MINUTE, type Instant, type Millis } from "../../../domain/time.ts";

export type PollHistory = ReturnType<typeof createPollHistory>;

export type PastPolls = {
  readonly recent: readonly PastPoll[];
  readonly minutes: readonly PollMinute[];
};

type PastPoll = {
  readonly at: Instant;
  readonly outcome: PollOutcome;
  readonly durationMs: Millis;
  readonly detail: string;
};

/** The polls of a minute, or of a longer stretch. */
export type PollMinute = {
  readonly from: Instant;
  readonly counts: Record<PollOutcome, number>;
  /** The duration of all polls together, and of the longest. */
  sumMs: Millis;
  maxMs: Millis;
  /** Of the last poll that was not complete. */
  detail: string;
};

export const MOST_RECENT = 100;
const MOST_MINUTES = DAY / MINUTE;
/** In characters: a server may say much about its failure. */
const LONGEST_DETAIL = 200;

/** The recent polls of each poller: the last ones one by one, and at least a day of them by the minute. */
export function createPollHistory() {
  type Polls = { readonly recent: PastPoll[]; readonly minutes: PollMinute[] };
  const byPoller = new Map<string, Polls>();
  return {
    note: (at: Instant, finding: Finding): void => {
      const found = pollIn(finding);
      if (found === undefined) return;
      const { aggregator, poller, ...poll } = found;
      const key = `${aggregator}/${poller}`;
      const polls = byPoller.get(key) ?? { recent: [], minutes: [] };
      byPoller.set(key, polls);
      polls.recent.push({ at, ...poll });
      if (polls.recent.length > MOST_RECENT) polls.recent.shift();
      addTo(polls.minutes, minuteOf({ at, ...poll }), MINUTE);
      if (polls.minutes.length > MOST_MINUTES) polls.minutes.shift();
    },
    /** The polls of a poller, by the id of its entity, the oldest first. */
    of: (aggregator: string, poller: string): PastPolls =>
      byPoller.get(`${aggregator}/${poller}`) ?? { recent: [], minutes: [] },
  };
}

/** The poll that a finding is about; undefined if it is about none, or about a probe. */
export function pollIn(finding: Finding) {
  if (finding.type !== "polled" || finding.origin === "probe") return undefined;
  const { aggregator, id: poller = finding.poller, outcome, durationMs } = finding;
  const detail = finding.detail.slice(0, LONGEST_DETAIL);
  return { aggregator, poller, outcome, durationMs, detail };
}

function minuteOf({ at, outcome, durationMs, detail }: PastPoll): PollMinute {
  const counts = { complete: 0, partial: 0, truncated: 0, failed: 0, [outcome]: 1 };
  const why = outcome === "complete" ? "" : detail;
  return { from: at, counts, sumMs: durationMs, maxMs: durationMs, detail: why };
}

/** Joins minutes into longer stretches, which begin at multiples of their length. */
export function joined(minutes: readonly PollMinute[], lengthMs: Millis): PollMinute[] {
  const buckets: PollMinute[] = [];
  for (const minute of minutes) addTo(buckets, minute, lengthMs);
  return buckets;
}

/** Adds to the last bucket, or as a new one after it. Calls must be in the order of instants. */
function addTo(buckets: PollMinute[], added: PollMinute, lengthMs: Millis): void {
  const from = Math.floor(added.from / lengthMs) * lengthMs;
  const last = buckets.at(-1);
  if (last === undefined || last.from < from) {
    buckets.push({ ...added, from, counts: { ...added.counts } });
    return;
  }
  for (const outcome of POLL_OUTCOMES) last.counts[outcome] += added.counts[outcome];
  last.sumMs += added.sumMs;
  last.maxMs = Math.max(last.maxMs, added.maxMs);
  if (added.detail !== "") last.detail = added.detail;
}
