import type { Facts } from "../../../domain/entity.ts";
import { DOUBT_REASONS, POLL_OUTCOMES } from "../../../domain/observation.ts";
import { SECOND } from "../../../domain/time.ts";
import { counter, entityGauge, gauge, histogram, scrapedCounter } from "../builders.ts";
import type { Metric } from "../definition.ts";
import { AGGREGATOR, oneOf, POLLER } from "../labels.ts";

const LABELS = [AGGREGATOR, POLLER] as const;
const POLLERS = { labels: LABELS, kinds: ["poller"] } as const;
const POLL_OUTCOME = oneOf("outcome", POLL_OUTCOMES);

/** How the aggregators are polled. */
export const pollMetrics: readonly Metric[] = [
  entityGauge({
    name: "aggwatch_up",
    help: "1 if the poller's last poll, or its first while that goes on, read at least one of its surfaces, else 0.",
    ...POLLERS,
    value: ({ facts }) => Number(facts["up"] ?? hasBegunToRead(facts)),
  }),
  entityGauge({
    name: "aggwatch_poller_stale",
    help: "1 if the poller has read nothing for longer than stale_after, else 0.",
    ...POLLERS,
    value: ({ facts }) => Number(facts["stale"] === true),
  }),
  entityGauge({
    name: "aggwatch_poller_failing_surfaces",
    help: "Surfaces (senders, orders, listings) whose last reading failed.",
    ...POLLERS,
    value: ({ facts }) => Number(facts["failing_surfaces"] ?? 0),
  }),
  entityGauge({
    name: "aggwatch_last_poll_success_timestamp_seconds",
    help: "When the last poll that read something began; 0 before the first.",
    ...POLLERS,
    value: ({ facts }) => Number(facts["last_success"] ?? 0) / SECOND,
  }),
  entityGauge({
    name: "aggwatch_listing_truncated",
    help: "1 while a listing of the poller is cut or doubted, so that an absent entity may still exist, else 0.",
    ...POLLERS,
    value: ({ facts }) => Number(Number(facts["truncated_surfaces"] ?? 0) > 0),
  }),
  counter({
    name: "aggwatch_polls_total",
    help: "Polls by outcome; probes (single readings around an action) are not polls.",
    labels: [...LABELS, POLL_OUTCOME],
    from: "polled",
    labelsOf: ({ origin, aggregator, poller, outcome }) =>
      origin === "poll" ? { aggregator, poller, outcome } : undefined,
  }),
  counter({
    name: "aggwatch_probes_total",
    help: "Readings right before an action, or to verify one, by outcome.",
    labels: [...LABELS, POLL_OUTCOME],
    from: "polled",
    labelsOf: ({ origin, aggregator, poller, outcome }) =>
      origin === "probe" ? { aggregator, poller, outcome } : undefined,
  }),
  counter({
    name: "aggwatch_readings_doubted_total",
    help: "Polls and probes that are good enough to alert and not to repair, by reason: a listing is cut, a part, or contradicts itself.",
    labels: [...LABELS, oneOf("reason", DOUBT_REASONS)],
    from: "polled",
    labelsOf: ({ aggregator, poller, doubt }) =>
      doubt === undefined ? undefined : { aggregator, poller, reason: doubt },
  }),
  histogram({
    name: "aggwatch_poll_duration_seconds",
    help: "How long polls took, from the first request to the last answer.",
    labels: LABELS,
    from: "polled",
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    sample: ({ origin, aggregator, poller, durationMs }) =>
      origin === "poll" ? [{ aggregator, poller }, durationMs / SECOND] : undefined,
  }),
  scrapedCounter({
    name: "aggwatch_poll_slots_lost_total",
    help: "Slots of the schedule in which no poll began: missed (the process was busy), overlapped (the poll before still ran), backed_off (after failures), asked_to_wait (after a 429 or 503).",
    labels: [...LABELS, oneOf("fate", ["missed", "overlapped", "backed_off", "asked_to_wait"])],
    read: ({ slots }) =>
      slots().flatMap(
        ({ aggregator, poller, counts }) =>
          [
            [{ aggregator, poller, fate: "missed" }, counts.missed],
            [{ aggregator, poller, fate: "overlapped" }, counts.overlapped],
            [{ aggregator, poller, fate: "backed_off" }, counts.backedOff],
            [{ aggregator, poller, fate: "asked_to_wait" }, counts.askedToWait],
          ] as const,
      ),
  }),
  scrapedCounter({
    name: "aggwatch_reads_unchanged_total",
    help: "Reads whose body was the same as before, and was not decoded again: same_body (the same bytes came), not_modified (304, no body came). Starts again at 0 if a reload opens other connections.",
    labels: [AGGREGATOR, oneOf("by", ["same_body", "not_modified"])],
    read: ({ clients }) =>
      clients().flatMap(
        ({ aggregator, unchanged }) =>
          [
            [{ aggregator, by: "same_body" }, unchanged.sameBody],
            [{ aggregator, by: "not_modified" }, unchanged.notModified],
          ] as const,
      ),
  }),
  gauge({
    name: "aggwatch_concurrency_limit",
    help: "The most reads of polls at once: what rate.concurrency leaves to them, or less while the aggregator answers 429 or 503, or not in time.",
    labels: [AGGREGATOR],
    read: ({ clients }) =>
      clients().map(({ aggregator, pollLimit }) => [{ aggregator }, pollLimit]),
  }),
];

/** A first sweep takes minutes if much is watched, and only its end says if the poller is up. */
function hasBegunToRead({ stale }: Facts): boolean {
  return stale === false;
}
