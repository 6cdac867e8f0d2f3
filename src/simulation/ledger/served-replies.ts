import type { Instant } from "../../domain/time.ts";
import type { RunEvent } from "../run-event.ts";

type Served = Extract<RunEvent, { type: "served" }>;

/** Longer than any reading takes. */
const KEPT = 200;

/** What the aggregators answered to readings, and whether each answer spoke against itself. */
export class ServedReplies {
  private readonly byEndpoint = new Map<string, Served[]>();

  record(event: RunEvent): void {
    if (event.type !== "served") return;
    const key = `${event.aggregator} ${event.endpoint}`;
    const before = this.byEndpoint.get(key) ?? [];
    this.byEndpoint.set(key, [...before.slice(-KEPT), event]);
  }

  /**
   * The mark on what an endpoint answered within a time; undefined if it answered without a mark as well, as it is
   * not known then which of the answers was read.
   */
  markWithin(aggregator: string, endpoint: string, from: Instant, to: Instant): string | undefined {
    const within = (this.byEndpoint.get(`${aggregator} ${endpoint}`) ?? []).filter(
      ({ at }) => at >= from && at <= to,
    );
    return within.every(({ mark }) => mark !== undefined) ? within.at(-1)?.mark : undefined;
  }
}
