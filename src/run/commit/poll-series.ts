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

/**
 * A poller is found to be well again once in this time, and to be better if it has been so for as long: a flapping one
 * leaves at most two lines a minute.
 */
const BETTER_FOR: Millis = MINUTE;

type Series = {
  readonly rank: number;
  /** When it was last read with this rank. */
  at: Instant;
  /** When it was last picked as well again. */
  readonly recoveredAt: Instant;
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
    const { recoveredAt = -Infinity } = before ?? {};
    if (before !== undefined && rank < before.rank) {
      const since = rank === 0 ? recoveredAt : before.at;
      if (at - since < BETTER_FOR) return false;
    }
    byPoller.set(key, { rank, at, recoveredAt: rank === 0 ? at : recoveredAt });
    return true;
  };
}
