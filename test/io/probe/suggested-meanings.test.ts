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

describe("the likelier of two names", () => {
  const swap = { sender: "0x1", status: "ACTIVE" };
  it.each<[string, ReadEndpoint, Json, unknown]>([
    [
      "a hash lock is the hash of a secret, and not a hash beside it",
      "activeSwaps",
      [{ hash: hex("a"), hashLock: hex("b"), from: "0x1", state: "ACTIVE" }],
      [{ ...swap, lockOrder: { secretHash: hex("b") } }],
    ],
    [
      "the time of a lock is not when it expires",
      "activeSwaps",
      [{ secretHash: hex("b"), from: "0x1", state: "ACTIVE", lock_time: 1_763_000_000_000 }],
      [{ ...swap, lockOrder: { secretHash: hex("b") } }],
    ],
    [
      "a hexadecimal id is the order's, and not the number of its row",
      "ordersByStatus",
      [{ id: 17, orderId: hex("c"), state: "NEW" }],
      [{ id: hex("c"), status: "NEW" }],
    ],
    [
      "a hexadecimal id inside is the order's, and not the number of its row",
      "order",
      { id: 17, order: { id: "18", order_hash: hex("c"), state: "NEW" } },
      { id: hex("c"), status: "NEW" },
    ],
    [
      "a hash may be that of a transaction, and is not the order's id",
      "ordersByStatus",
      [{ id: 17, hash: hex("c"), state: "NEW" }],
      [{ id: "17", status: "NEW" }],
    ],
  ])("%s", async (_name, endpoint, body, value) => {
    expect(await readAs(endpoint, body)).toStrictEqual(value);
  });
});

describe("a listing whose entries say in a field whether they count", () => {
  it.each<[string, ReadEndpoint, Json, string]>([
    [
      "of disabled ones by a flag",
      "disabled",
      {
        exchanges: [
          { name: "OKX", enabled: true },
          { name: "HTX", enabled: false },
        ],
        pairs: [],
      },
      "enabled",
    ],
    [
      "of disabled ones by a flag of pairs",
      "disabled",
      { exchanges: ["OKX"], pairs: [{ venue: "OKX", pair: "A-B", is_disabled: false }] },
      "is_disabled",
    ],
    [
      "of disabled ones in one list",
      "disabled",
      [
        { exchange: "OKX", active: true },
        { exchange: "HTX", pair: "A-B", active: false },
      ],
      "active",
    ],
    [
      "of disabled ones by name",
      "disabled",
      { exchanges: { OKX: { state: "ON" } }, pairs: { HTX: ["A-B"] } },
      "state",
    ],
    [
      "by a word",
      "exchanges",
      {
        data: [
          { name: "OKX", status: "DOWN" },
          { name: "HTX", status: "UP" },
        ],
      },
      "status",
    ],
    ["by a number", "exchanges", [{ code: "OKX", Status: 1 }], "Status"],
  ])("gets no map %s", async (_name, endpoint, body, field) => {
    expect(await readAs(endpoint, body)).toStrictEqual({
      noMap: `only a person can say which entries count by their field ${field}, so write the map yourself`,
    });
  });

  it("gets one if the field says nothing of that", async () => {
    expect(await readAs("exchanges", [{ name: "OKX", since: 5 }])).toStrictEqual(["OKX"]);
    expect(await readAs("pairs", [{ name: "A-B", active: true }])).toStrictEqual(["A-B"]);
  });
});

describe("the reserves of a pool whose tokens are named", () => {
  const pool = { factory: "F", reserve0: 5, reserve1: 6 };
  const noMap = "the tokens of A-B are named in another order, so write the map yourself";
  it.each<[string, ReadEndpoint, Json, unknown]>([
    [
      "in another order",
      "reserves",
      [{ ...pool, pair: "A-B", token0: "B", token1: "A" }],
      { noMap },
    ],
    [
      "in another order, by objects",
      "reserves",
      {
        F: {
          "A-B": { reserve0: 5, reserve1: 6, token0: { symbol: "B" }, token1: { symbol: "A" } },
        },
      },
      { noMap },
    ],
    [
      "in another order in one of them",
      "reserves",
      [
        { ...pool, pair: "C/D", tokenA: "c", tokenB: "d" },
        { ...pool, pair: "A-B", tokenA: "b", tokenB: "a" },
      ],
      { noMap },
    ],
    [
      "as base and quote",
      "poolReserves",
      { pair: "A-B", baseAsset: "B", quoteAsset: "A", baseReserve: 5, quoteReserve: 6 },
      { noMap },
    ],
    [
      "in the same order",
      "reserves",
      [{ ...pool, pair: "A-B", token0: "A", token1: "B" }],
      [{ factory: "F", pair: "A-B", a: 5, p: 6 }],
    ],
    [
      "by their addresses",
      "reserves",
      [{ ...pool, pair: "A-B", token0: "0x02", token1: "0x01" }],
      [{ factory: "F", pair: "A-B", a: 5, p: 6 }],
    ],
    [
      "by objects, whose names are not the pair's",
      "reserves",
      {
        F: {
          "A-B": { reserve0: 5, reserve1: 6, token0: { symbol: "A" }, token1: { symbol: "B" } },
        },
      },
      [{ factory: "F", pair: "A-B", a: 5, p: 6 }],
    ],
  ])("%s", async (_name, endpoint, body, value) => {
    expect(await readAs(endpoint, body)).toStrictEqual(value);
  });
});
