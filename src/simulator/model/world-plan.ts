import * as z from "zod";
import { ADDRESS_PATTERN, HASH_PATTERN } from "./hash.ts";
import { LAYER_ONE } from "./networks.ts";
import { ORDER_STATUSES } from "./world.ts";

/** The world with which a scenario begins. Keys that it omits are those of the default world. */

const name = z.string().regex(/^[A-Za-z0-9_.]{1,40}$/, "must be letters, digits, _ and .");
export const pairName = z.string().regex(/^[A-Z0-9]{1,20}-[A-Z0-9]{1,20}$/, "must be BASE-QUOTE");
/** An order's id, a swap's secret or its hash. */
export const hash = z.string().regex(HASH_PATTERN, "must be 0x and 64 hexadecimal digits");
export const senderAddress = z
  .string()
  .regex(ADDRESS_PATTERN, "must be 0x and 40 hexadecimal digits");
export const positive = z.number().positive().max(1e12);

const liquidationPlan = z.strictObject({
  id: hash,
  pair: pairName.optional(),
  status: z.enum(ORDER_STATUSES).optional(),
  amount: positive.optional(),
  stuck: z.boolean().optional(),
});

/** Each key has its meaning, for docs/scenarios.md and editors. */
export const worldPlanSchema = z.strictObject({
  network: z
    .enum(LAYER_ONE as [string, ...string[]])
    .exactOptional()
    .describe("The network that this instance serves: the target of its swaps."),
  exchanges: z
    .array(z.strictObject({ name, pairs: z.array(pairName).optional() }))
    .max(1_000)
    .exactOptional()
    .describe("The exchanges, each with its pairs; without `pairs`, an exchange trades all."),
  pairs: z
    .array(z.strictObject({ name: pairName, price: positive, futures: z.boolean().optional() }))
    .min(1)
    .max(10_000)
    .exactOptional()
    .describe("The asset pairs of the platform, each with its price in the quote asset."),
  pools: z
    .array(z.strictObject({ factory: name, pair: pairName, base: positive, quote: positive }))
    .max(10_000)
    .exactOptional()
    .describe("The pools, with their reserves in units of the two assets."),
  senders: z
    .array(senderAddress)
    .max(10_000)
    .exactOptional()
    .describe("Addresses that swap now and then if `background` is on."),
  liquidations: z
    .array(liquidationPlan)
    .max(1_000)
    .exactOptional()
    .describe("Liquidation orders that exist at the start."),
  brokers: z
    .array(
      z.strictObject({
        address: senderAddress,
        balances: z.record(name, z.number().nonnegative()),
      }),
    )
    .exactOptional()
    .describe("Brokers, with the amount of each asset that they can deliver."),
  background: z
    .boolean()
    .exactOptional()
    .describe("Other people's orders, trades and swaps come by themselves."),
  repeated_toggle: z
    .enum(["ok", "conflict"])
    .exactOptional()
    .describe("What a toggle answers if it changes nothing: 200, or 409."),
  needs_source_lock: z
    .boolean()
    .exactOptional()
    .describe("A lock order is refused until its lock has been seen on the source chain."),
});
export type WorldPlan = z.output<typeof worldPlanSchema>;
export type LiquidationPlan = z.output<typeof liquidationPlan>;
