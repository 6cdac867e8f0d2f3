import { z } from "zod";
import { identifierKey } from "../../domain/identifier.ts";
import { amount, instant, listing, name, optional } from "./fields.ts";

const swap = z.object(
  {
    sender: name,
    status: name,
    creationTime: optional(instant),
    lockOrder: z.object(
      {
        secretHash: name,
        asset: optional(name),
        amount: optional(amount),
        expiration: optional(instant),
        used: optional(z.boolean("true or false")),
        sourceNetworkCode: optional(name),
      },
      "a lock order",
    ),
    /** The broker's side: what is delivered on this network. */
    redeemOrder: optional(
      z.object({ asset: optional(name), amount: optional(amount) }, "a redeem order"),
    ),
  },
  "a swap",
);

export type Swap = z.infer<typeof swap>;

/**
 * `atomic-swap/history/…`: a bare list (shown by a public client). Secret hashes are compared in lower
 * case, and there is one lock for each, so a hash that comes twice is a mismatch.
 */
export const swapsSchema = listing(swap, "a list of swaps", (item) =>
  identifierKey(item.lockOrder.secretHash),
);
