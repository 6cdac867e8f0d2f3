/** Tests src/io/probe/suggest-map.ts: that a field is taken for what its name means, or for nothing. */
import { describe, expect, it } from "vitest";
import type { ReadEndpoint } from "../../../src/aggregator/endpoints/index.ts";
import type { Json } from "../../../src/domain/result.ts";
import { readAs } from "./read-as.ts";

const hex = (digit: string): string => `0x${digit.repeat(64)}`;

describe("the id of an order", () => {
  const order = { id: hex("c"), status: "NEW" };
  it.each<[string, ReadEndpoint, Json, unknown]>([
    [
      "is not its pair, if that has another name",
      "order",
      { orderId: hex("c"), order: { ...order, symbol: "ORN-USDT" } },
      { ...order, assetPair: "ORN-USDT" },
    ],
    [
      "is not its pair, if the pair is not there",
      "liquidation",
      { orderId: hex("c"), order: { id: hex("c"), state: "NEW" } },
      order,
    ],
    [
      "is not its pair, under any other name",
      "liquidation",
      { id: "17", order: { id: hex("c"), state: "NEW" } },
      order,
    ],
  ])("%s", async (_name, endpoint, body, value) => {
    expect(await readAs(endpoint, body)).toStrictEqual(value);
  });
});
