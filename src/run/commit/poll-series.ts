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

/** What stays better for so long is better. */
const BETTER_FOR: Millis = MINUTE;
/** So many recoveries are picked at once, and one more each time that this has passed: one that flaps leaves few lines. */
const MOST_AT_ONCE = 5;
const ONE_MORE_EVERY: Millis = 5 * MINUTE;

type Series = {
  readonly rank: number;
  /** When it was last read with this rank. */
  at: Instant;
  /** Each recovery that is picked at once moves it on by `ONE_MORE_EVERY`, to at most `MOST_AT_ONCE` of them from now. */
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
    const isUnsure = isBetter && at - before.at < BETTER_FOR;
    const paidUntil = Math.max(before?.paidUntil ?? at, at);
    const isSpare = paidUntil - at <= (MOST_AT_ONCE - 1) * ONE_MORE_EVERY;
    if (isUnsure && !(rank === 0 && isSpare)) return false;
    byPoller.set(key, { rank, at, paidUntil: isUnsure ? paidUntil + ONE_MORE_EVERY : paidUntil });
    return true;
  };
}
