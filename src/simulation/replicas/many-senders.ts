import { SECOND } from "../../domain/time.ts";
import type { Member, Variant } from "../plan.ts";

/** So many that their sweep takes long at a low rate: if a part of it is requested twice, that shows. */
const SENDERS = Array.from(
  { length: 24 },
  (_, index) => `0x${(index + 1).toString(16).padStart(40, "a")}`,
);
const RATE = { requestsPerSecond: 3, concurrency: 12 };
const SWEEP = { schedule: "*/30 * * * * *", intervalMs: 30 * SECOND, staleAfterMs: 90 * SECOND };

/** `home` has a fifth of that rate, so a reading of its listings takes seconds, and none is ever younger. */
const LEAST_MAX_AGE = 30 * SECOND;

/** The settings with a `max_age` that can be met at that rate. */
export function atThatRate({ acting, ...variant }: Variant): Variant {
  const maxAgeMs = Math.max(acting.maxAgeMs, LEAST_MAX_AGE);
  return { ...variant, acting: { ...acting, maxAgeMs } };
}

/** The aggregator with senders to spread over units. */
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
