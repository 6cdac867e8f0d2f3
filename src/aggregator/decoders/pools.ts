import { z } from "zod";
import { amount, listing, name, nameWithoutSlash, optional } from "./fields.ts";

/** `a` is the reserve of the base asset, `p` that of the quote asset (shown by a public client). */
const reserves = { a: amount, p: amount, indicativePrice: optional(amount) };

/** `pools/reservations/{factory}/{pair}`. */
export const poolReservesSchema = z.object(reserves, "the reserves of a pool");

/** `pools/reservations`: that it is a list with factory and pair is our assumption. */
export const reservesSchema = listing(
  z.object({ factory: nameWithoutSlash, pair: name, ...reserves }, "the reserves of a pool"),
  "a list of pool reserves",
  (pool) => `${pool.factory}/${pool.pair}`,
);

export type PoolReserves = z.infer<typeof poolReservesSchema>;
export type ListedReserves = z.infer<typeof reservesSchema>[number];
