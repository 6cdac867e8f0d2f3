import { z } from "@hono/zod-openapi";
import { POLLER_KIND } from "../../../domain/lease.ts";
import { POLL_OUTCOMES } from "../../../domain/observation.ts";
import { DAY, MINUTE, type Millis } from "../../../domain/time.ts";
import { documented, instant, list, named, number, object, text, word } from "../codec.ts";
import type { ValueOf } from "../codec.ts";
import { entityRow, entityRowOf, openAlertsOf } from "./entity-row.ts";
import { joined, type PollMinute } from "./poll-history.ts";
import { atQuery, durationQuery, wordQuery } from "./query.ts";
import type { Moment } from "../past/moment.ts";
import { entitiesOfKind } from "./view.ts";

/** `GET /api/v1/pollers`: each poller, its last polls, and those of the last hours in buckets. */

const poll = object({
  at: instant,
  outcome: word(POLL_OUTCOMES),
  durationMs: number,
  detail: text,
});

const bucket = object({
  from: instant,
  until: instant,
  polls: number,
  complete: number,
  partial: number,
  truncated: number,
  failed: number,
  meanMs: number,
  maxMs: number,
  detail: documented(text, { description: "Of the last that was not complete." }),
});

const poller = object({
  entity: entityRow,
  recent: documented(list(poll), { description: "The last polls, the oldest first." }),
  buckets: documented(list(bucket), {
    description: "The polls of the span, the oldest first. A stretch without polls is left out.",
  }),
});

export const pollersAnswer = documented(
  object({
    at: instant,
    since: instant,
    bucketMs: number,
    rows: named("pollers", list(poller)),
  }),
  "Pollers",
);

export const pollersQuery = z.object({
  at: atQuery,
  aggregator: wordQuery,
  span: durationQuery("1d", DAY).openapi({ description: "How far back the buckets go." }),
  bucket: durationQuery("15m", DAY).openapi({ description: "How long one is; whole minutes." }),
});

type PollersQuery = z.infer<typeof pollersQuery>;

export function pollersIn(
  { view, polls: history, past }: Moment,
  query: PollersQuery,
): ValueOf<typeof pollersAnswer> {
  const bucketMs = Math.floor(query.bucket / MINUTE) * MINUTE;
  const begin = view.at - query.span;
  const since = Math.max(begin, past?.since ?? 0);
  const open = openAlertsOf(view);
  const rows = entitiesOfKind(view, POLLER_KIND)
    .filter(
      ([, { aggregator }]) => query.aggregator === undefined || query.aggregator === aggregator,
    )
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, entity]) => {
      const { recent, minutes } = history.of(entity.aggregator, entity.id);
      const own = minutes.filter(({ from }) => from >= begin && from <= view.at);
      return {
        entity: entityRowOf(entity, open(key), view.kinds),
        recent: recent.filter(({ at }) => at <= view.at),
        buckets: joined(own, bucketMs).map((one) => bucketOf(one, bucketMs)),
      };
    });
  return { at: view.at, since, bucketMs, rows };
}

function bucketOf(
  { from, counts, sumMs, maxMs, detail }: PollMinute,
  bucketMs: Millis,
): ValueOf<typeof bucket> {
  const polls = counts.complete + counts.partial + counts.truncated + counts.failed;
  const meanMs = Math.round(sumMs / polls);
  return {
    from,
    until: from + bucketMs,
    polls,
    ...counts,
    meanMs,
    maxMs: Math.round(maxMs),
    detail,
  };
}
