import type { Instant } from "../../domain/time.ts";
import type { RunEvent } from "../run-event.ts";

type Served = Extract<RunEvent, { type: "served" }>;

/** How many replies of an endpoint are kept: more than come during any reading. */
const KEPT = 200;

/** The answers of aggregators to readings, with the mark of each that shows a fault itself. */
export class ServedReplies {
  private readonly byEndpoint = new Map<string, Served[]>();

  record(event: RunEvent): void {
    if (event.type !== "served") return;
    const key = `${event.aggregator} ${event.endpoint}`;
    const before = this.byEndpoint.get(key) ?? [];
    this.byEndpoint.set(key, [...before.slice(-KEPT), event]);
  }

  /**
   * The mark on the answers of an endpoint within a time; undefined if an answer had none, because it is unknown
   * which of them was read.
   */
  markWithin(aggregator: string, endpoint: string, from: Instant, to: Instant): string | undefined {
    const within = (this.byEndpoint.get(`${aggregator} ${endpoint}`) ?? []).filter(
      ({ at }) => at >= from && at <= to,
    );
    return within.every(({ mark }) => mark !== undefined) ? within.at(-1)?.mark : undefined;
  }
}
