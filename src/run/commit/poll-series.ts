import type { Finding } from "../../domain/finding.ts";
import type { PollOutcome } from "../../domain/observation.ts";
import { MINUTE, type Instant, type Millis } from "../../domain/time.ts";

/** How bad an outcome is. */
const RANKS: Readonly<Record<PollOutcome, number>> = {
  complete: 0,
  truncated: 1,
  partial: 1,
  failed: 2,
};

/** How long it must stay better without being well, and how long it takes until one more recovery is picked at once. */
const BETTER_FOR: Millis = MINUTE;
/** A poller that fails now and then recovers at the instant at which it did; one that flaps leaves two lines a minute. */
const MOST_AT_ONCE = 5;

type Series = {
  readonly rank: number;
  /** When it was last read with this rank. */
  at: Instant;
  /** Each recovery that is picked moves it on by `BETTER_FOR`; it is at most `MOST_AT_ONCE` of them in the future. */
  readonly paidUntil: Instant;
};

/**
 * Picks the polls from which the journal knows when a poller began to fail, got worse or better, and recovered. What
 * was before the start of the process is unknown, so a first poll that succeeds is not picked.
 */
export function createPollSeries(): (at: Instant, finding: Finding) => boolean {
  const byPoller = new Map<string, Series>();
  return (at, finding) => {
    if (finding.type !== "polled" || finding.origin === "probe") return false;
    const key = `${finding.aggregator}/${finding.poller}`;
    const rank = RANKS[finding.outcome];
    const before = byPoller.get(key);
    if (rank === (before?.rank ?? 0)) {
      if (before !== undefined) before.at = at;
      return false;
    }
    const isBetter = before !== undefined && rank < before.rank;
    const isRecovery = isBetter && rank === 0;
    const paidUntil = Math.max(before?.paidUntil ?? at, at);
    if (isRecovery && paidUntil - at > (MOST_AT_ONCE - 1) * BETTER_FOR) return false;
    if (isBetter && !isRecovery && at - before.at < BETTER_FOR) return false;
    byPoller.set(key, { rank, at, paidUntil: isRecovery ? paidUntil + BETTER_FOR : paidUntil });
    return true;
  };
}
