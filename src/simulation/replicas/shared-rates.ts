import { HOME } from "../../domain/lease.ts";
import { SECOND, type Instant } from "../../domain/time.ts";
import { mostLent } from "../../io/aggregator/slots.ts";
import type { VirtualTime } from "../machine/virtual-time.ts";
import type { Member } from "../plan.ts";
import type { RunEvent } from "../run-event.ts";

/** Steady clocks of replicas run up to half a per cent too fast. */
const CLOCKS = 1.01;
/** The most requests of a unit beyond its rate in any time: two intervals, as in the limiter. */
const BEYOND = 2;
/** How long a take-over counts: the next owner does not know which requests the last one has just sent. */
const COUNTED_FOR = 30 * SECOND;

/** Compares the requests of all replicas to an aggregator with its rate. */
export function sharedRates(
  fleet: readonly Member[],
  shards: number,
  {
    time,
    observe,
  }: { readonly time: VirtualTime; readonly observe: (seen: RunEvent, unit: string) => void },
) {
  const takeOvers: Array<{ readonly at: Instant; readonly beyond: number }> = [];
  const aggregators = new Map(
    fleet.map(({ watched: { name, client } }) => [
      name,
      { rate: client.rate.requestsPerSecond, asked: 0, at: time.now() },
    ]),
  );
  return {
    onTakeOver: (unit: string): void => {
      const lent = unit === HOME ? mostLent(0) : 0;
      takeOvers.push({ at: time.now(), beyond: BEYOND + lent });
    },
    onAsked: (server: string): void => {
      const own = aggregators.get(server);
      if (own === undefined || shards === 0) return;
      const now = time.now();
      const passed = ((now - own.at) * own.rate * CLOCKS) / SECOND;
      own.asked = Math.max(0, own.asked - passed) + 1;
      own.at = now;
      const lent = mostLent(own.rate);
      const recent = takeOvers.filter(({ at }) => now - at <= COUNTED_FOR);
      const most = recent.reduce((sum, { beyond }) => sum + beyond, lent + BEYOND * (shards + 1));
      if (own.asked <= most) return;
      const what = `${server} is asked ${own.asked.toFixed(1)} times beyond ${own.rate} a second; ${most} may be`;
      observe({ type: "beyond_rate", at: now, what }, HOME);
      own.asked = 0;
    },
  };
}
