import { z } from "zod";
import { amount, listing, name, optional } from "./fields.ts";

/** `pairs/list/detailed`: price and volume are stated, the names of the fields are assumed. */
export const pairsDetailedSchema = listing(
  z.object({ name, price: optional(amount), volume: optional(amount) }, "a pair with its market"),
  "a list of pairs with their markets",
  (pair) => pair.name,
);

const precision = amount.refine(
  (value) => Number.isInteger(value) && value >= 0 && value <= 100,
  "a number of digits",
);

/** A pair's settings (shown by a public client, pairConfigSchema). */
export const pairConfigSchema = z.object(
  {
    name,
    minQty: optional(amount),
    maxQty: optional(amount),
    minPrice: optional(amount),
    maxPrice: optional(amount),
    pricePrecision: optional(precision),
    qtyPrecision: optional(precision),
  },
  "the settings of a pair",
);
export type PairConfig = z.infer<typeof pairConfigSchema>;

export const pairConfigsSchema = listing(
  pairConfigSchema,
  "a list of the settings of pairs",
  (pair) => pair.name,
);
