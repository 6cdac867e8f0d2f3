import { sendersNumber } from "../domain/lease.ts";

/** How an aggregator's rate is shared out, if its senders are spread over units. */

type Rate = { readonly requestsPerSecond: number; readonly concurrency: number };

/** What one unit may ask, and how much slower it asks once its lease has run out. */
type RateShare = Rate & { readonly cutOffSlowdown: number; readonly onlyPolls: boolean };

/** The largest number of units: each has a lease to be renewed. */
export const MOST_SHARDS = 256;

/** The share of the rate that is for `home`, so that what acts never waits for the senders. */
const HOME_SHARE = 0.2;
/**
 * The share for all owners whose lease has run out while the database does not answer: they cannot know if another has
 * taken over, and go on slowly.
 */
const CUT_OFF_SHARE = 0.1;

/**
 * A share belongs to the unit, and not to its owner: it moves with the lease, so that the sum never exceeds the rate,
 * however units move.
 */
export function rateShare(rate: Rate, unit: string, shards: number): RateShare {
  const { requestsPerSecond, concurrency } = rate;
  const isHome = sendersNumber(unit) === undefined;
  const share = isHome ? HOME_SHARE : (1 - HOME_SHARE - CUT_OFF_SHARE) / shards;
  const cutOff = CUT_OFF_SHARE / (shards + 1);
  const ofHome = Math.max(1, Math.floor(concurrency * HOME_SHARE));
  return {
    requestsPerSecond: requestsPerSecond * share,
    concurrency: isHome ? ofHome : Math.floor((concurrency - ofHome) / shards),
    cutOffSlowdown: Math.ceil(share / cutOff),
    // Only home acts.
    onlyPolls: !isHome,
  };
}

/** Refuses shards without a database, and so many that one of them could not ask anything. */
export function shardsCheck({
  journal: { postgres, shards },
  aggregators,
}: {
  readonly journal: { readonly postgres: object | undefined; readonly shards: number };
  readonly aggregators: ReadonlyArray<{ readonly rate: Rate }>;
}) {
  if (shards === 0) return [];
  if (postgres === undefined)
    return [
      {
        path: ["journal", "shards"],
        follows: [["journal", "postgres"]],
        message: '"shards" needs PostgreSQL: one aggwatch alone has a journal in a file',
        hint: "set journal.postgres (or AGGWATCH_DATABASE_URL), or leave it at 0",
      },
    ];
  return aggregators.flatMap(({ rate }, index) => {
    const { concurrency } = rate;
    if (rateShare(rate, "senders/1", shards).concurrency > 0) return [];
    return [
      {
        path: ["aggregators", index, "rate", "concurrency"],
        message: `"concurrency" is shared out to ${shards} units and to what acts, and ${concurrency} are too few`,
        hint: `make it ${Math.ceil(shards / (1 - HOME_SHARE)) + 1} or more, or journal.shards less`,
      },
    ];
  });
}
