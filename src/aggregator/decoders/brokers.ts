import { z } from "zod";
import { identifierKey } from "../../domain/identifier.ts";
import { amount, listing, nameWithoutSlash } from "./fields.ts";

/** `atomic-swap/balances`: the shape is our assumption. */
export const brokerBalancesSchema = listing(
  z.object({ broker: nameWithoutSlash, asset: nameWithoutSlash, amount }, "a broker's balance"),
  "a list of brokers' balances",
  ({ broker, asset }) => `${identifierKey(broker)}/${asset}`,
);
export type BrokerBalances = z.infer<typeof brokerBalancesSchema>;
