import * as z from "zod";
import { ADDRESS_PATTERN, HASH_PATTERN } from "./hash.ts";
import { LAYER_ONE } from "./networks.ts";
import { ORDER_STATUSES } from "./world.ts";

/** What a scenario may say of the world that it begins with. What it leaves out is the usual one. */

const name = z.string().regex(/^[A-Za-z0-9_.]{1,40}$/, "must be letters, digits, _ and .");
export const pairName = z.string().regex(/^[A-Z0-9]{1,20}-[A-Z0-9]{1,20}$/, "must be BASE-QUOTE");
export const orderId = z.string().regex(HASH_PATTERN, "must be 0x and 64 hexadecimal digits");
export const senderAddress = z
  .string()
  .regex(ADDRESS_PATTERN, "must be 0x and 40 hexadecimal digits");
export const positive = z.number().positive().max(1e12);

const liquidationPlan = z.strictObject({
  id: orderId,
  pair: pairName.optional(),
  status: z.enum(ORDER_STATUSES).optional(),
  amount: positive.optional(),
  stuck: z.boolean().optional(),
});

export const worldPlanSchema = z.strictObject({
  /** This instance's network: the target of its swaps. */
  network: z.enum(LAYER_ONE as [string, ...string[]]).optional(),
  exchanges: z
    .array(z.strictObject({ name, pairs: z.array(pairName).optional() }))
    .max(1_000)
    .optional(),
  pairs: z
    .array(z.strictObject({ name: pairName, price: positive, futures: z.boolean().optional() }))
    .min(1)
    .max(10_000)
    .optional(),
  pools: z
    .array(z.strictObject({ factory: name, pair: pairName, base: positive, quote: positive }))
    .max(10_000)
    .optional(),
  senders: z.array(senderAddress).max(10_000).optional(),
  liquidations: z.array(liquidationPlan).max(1_000).optional(),
  brokers: z
    .array(
      z.strictObject({
        address: senderAddress,
        balances: z.record(name, z.number().nonnegative()),
      }),
    )
    .optional(),
  /** Orders, trades and swaps come by themselves. */
  background: z.boolean().optional(),
  repeated_toggle: z.enum(["ok", "conflict"]).optional(),
  needs_source_lock: z.boolean().optional(),
});
export type WorldPlan = z.output<typeof worldPlanSchema>;
export type LiquidationPlan = z.output<typeof liquidationPlan>;
