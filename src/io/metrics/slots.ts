import { Counter, type Registry } from "prom-client";
import type { SchedulerCounts } from "../schedule/slot-counts.ts";
import type { Described } from "./definition.ts";

/** Slots of the schedules in which no poll began: the scheduler counts them, a scrape reads them. */
export type SlotCounts = {
  readonly aggregator: string;
  readonly poller: string;
  readonly counts: SchedulerCounts;
};

export const SLOTS_LOST = {
  name: "aggwatch_poll_slots_lost_total",
  help: "Slots of the schedule in which no poll began: missed (the process was busy), overlapped (the poll before still ran), backed_off (after failures), asked_to_wait (by `Retry-After`).",
  labels: ["aggregator", "poller", "fate"],
} as const satisfies Described;

export function registerSlots(
  registry: Registry,
  read: () => readonly SlotCounts[],
  onError: (metric: string, error: unknown) => void,
): void {
  const counter: Counter<string> = new Counter<string>({
    name: SLOTS_LOST.name,
    help: SLOTS_LOST.help,
    labelNames: [...SLOTS_LOST.labels],
    registers: [registry],
    collect() {
      counter.reset();
      try {
        for (const { aggregator, poller, counts } of read()) {
          counter.inc({ aggregator, poller, fate: "missed" }, counts.missed);
          counter.inc({ aggregator, poller, fate: "overlapped" }, counts.overlapped);
          counter.inc({ aggregator, poller, fate: "backed_off" }, counts.backedOff);
          counter.inc({ aggregator, poller, fate: "asked_to_wait" }, counts.askedToWait);
        }
      } catch (error) {
        onError(SLOTS_LOST.name, error);
      }
    },
  });
}
