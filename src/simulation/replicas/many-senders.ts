import { SECOND } from "../../domain/time.ts";
import type { Member, Variant } from "../plan.ts";

/** So many that their sweep takes most of its time at a low rate: a share of that which is asked twice shows. */
const SENDERS = Array.from(
  { length: 24 },
  (_, index) => `0x${(index + 1).toString(16).padStart(40, "a")}`,
);
const RATE = { requestsPerSecond: 3, concurrency: 12 };
const SWEEP = { schedule: "*/30 * * * * *", intervalMs: 30 * SECOND, staleAfterMs: 90 * SECOND };

/** `home` has a fifth of that rate: a reading of its listings takes seconds, and one that is younger there never is. */
const LEAST_MAX_AGE = 30 * SECOND;

/** The same settings, as far as they can be met at that rate. */
export function atThatRate({ acting, ...variant }: Variant): Variant {
  const maxAgeMs = Math.max(acting.maxAgeMs, LEAST_MAX_AGE);
  return { ...variant, acting: { ...acting, maxAgeMs } };
}

/** The same aggregator, with senders to be spread over units. */
export function manySenders({ watched, world, ...member }: Member): Member {
  const others = watched.pollers.filter(({ name }) => name !== "swaps" && name !== "swap_history");
  return {
    ...member,
    watched: {
      ...watched,
      pollers: [...others, { name: "swaps", ...SWEEP }],
      watch: { ...watched.watch, senders: SENDERS.map((address) => ({ address })) },
      client: { ...watched.client, rate: RATE },
    },
    world: { ...world, senders: SENDERS },
  };
}
