import type { Result } from "../../domain/result.ts";
import type { Millis } from "../../domain/time.ts";

/**
 * After an outage, a replica leaves a lease that ran out meanwhile to its owner for so long: if the outage was the
 * owner's too, it goes on, and keeps what it was told and could not write. A connection that is being made as the outage
 * ends may take as long.
 */
export const SPARED_FOR: Millis = 3_000;

/** Decides whether a lease that has run out is left to its owner, by how the database answered so far. */
type Sparing = {
  /** Whether a question that is sent now leaves it. */
  readonly isSparing: () => boolean;
  /** Notes the answer to a question, and whether a lease was found that has run out and was left. */
  readonly note: (sentAt: Millis, answer: Result<unknown, string>, isSpared?: boolean) => void;
};

/** How often one may be left for so long without having been found renewed in between. */
export const MOST_SPARED = 3;

/**
 * It is left if the question before failed, as the next may be carried out only when an outage ends; and, after an
 * outage so long that the lease of an owner that renews it may have run out in it, for `SPARED_FOR`. Failures do not
 * begin that time again, and outages do so only a few times, so that a replica whose own link breaks now and then takes
 * over too.
 */
export function createSparing(renewedWithinMs: Millis, steadyNow: () => Millis): Sparing {
  let answeredAt: Millis = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  let isAfterOutage = false;
  /** Since when it is left; undefined if it was not found to have run out. */
  let leftSince: Millis | undefined;
  let times = 0;
  const isNewOutage = (): boolean =>
    hasFailed && steadyNow() - answeredAt >= renewedWithinMs && times < MOST_SPARED;
  return {
    isSparing: () => {
      const isOver = leftSince !== undefined && steadyNow() >= leftSince + SPARED_FOR;
      return isNewOutage() || (!isOver && (hasFailed || isAfterOutage));
    },
    note: (sentAt, { ok }, isSpared = false) => {
      if (ok && !isSpared) [isAfterOutage, leftSince, times] = [false, undefined, 0];
      else if (ok && isNewOutage())
        [isAfterOutage, leftSince, times] = [true, steadyNow(), times + 1];
      else if (ok) leftSince ??= steadyNow();
      if (ok) answeredAt = sentAt;
      hasFailed = !ok;
    },
  };
}
