/** Tests src/io/probe/suggest-map.ts: that no entry is lost, whatever the shape. */
import { describe, expect, it } from "vitest";
import { readEndpoints, type ReadEndpoint } from "../../../src/aggregator/endpoints/index.ts";
import type { Json } from "../../../src/domain/result.ts";
import { compileWireMap } from "../../../src/io/aggregator/decode-body.ts";
import { suggestMap } from "../../../src/io/probe/suggest-map.ts";
import { readAs } from "./read-as.ts";

const PAIRS = ["ORN-USDT", "BNB-ORN"];
const SWAP = {
  sender: "0x8a",
  status: "ACTIVE",
  creationTime: 1_700_000_000_000,
  lockOrder: {
    secretHash: "0xcd",
    asset: "ETH",
    amount: 1.5,
    expiration: 1_700_345_600_000,
    used: false,
    sourceNetworkCode: "ETH",
  },
  redeemOrder: { asset: "BNB", amount: 8 },
};
const POOL = { factory: "OrionV2", pair: "ORN-USDT", a: 10, p: 20, indicativePrice: 2 };

describe("a listing in another shape", () => {
  it.each<[string, ReadEndpoint, Json, unknown]>([
    ["records with symbols", "pairs", PAIRS.map((symbol) => ({ symbol })), PAIRS],
    [
      "exchange names",
      "exchanges",
      [{ exchangeName: "OKX" }, { exchangeName: "BINANCE" }],
      ["OKX", "BINANCE"],
    ],
    ["names for pairs", "pairs", { pairs: PAIRS.map((name) => ({ name, active: true })) }, PAIRS],
    [
      "symbols for names",
      "pairsDetailed",
      [{ symbol: "ORN-USDT", lastPrice: "0.5", volume24h: 7 }],
      [{ name: "ORN-USDT", price: 0.5, volume: 7 }],
    ],
    [
      "records by name",
      "pairsDetailed",
      { "ORN-USDT": { price: 0.5, volume: 7 }, "BNB-ORN": { price: 2 } },
      [
        { name: "ORN-USDT", price: 0.5, volume: 7 },
        { name: "BNB-ORN", price: 2 },
      ],
    ],
    [
      "prices by name",
      "estimations",
      { "OrionV2/ORN-USDT": 0.5 },
      [{ factory: "OrionV2", pair: "ORN-USDT", estimation: 0.5 }],
    ],
    [
      "pools by factory and pair",
      "reserves",
      { data: { OrionV2: { "ORN-USDT": { a: 10, p: 20, indicativePrice: 2 } } } },
      [POOL],
    ],
    [
      "pools in a list by factory",
      "reserves",
      { OrionV2: [{ Pair: "ORN-USDT", BaseReserve: "10", QuoteReserve: "20", Price: 2 }] },
      [POOL],
    ],
    [
      "balances by broker and asset",
      "brokerBalances",
      { "0x1b": { BNB: 400, ETH: "2" }, "0x2c": { BNB: 1 } },
      [
        { broker: "0x1b", asset: "BNB", amount: 400 },
        { broker: "0x1b", asset: "ETH", amount: 2 },
        { broker: "0x2c", asset: "BNB", amount: 1 },
      ],
    ],
    [
      "swaps in PascalCase",
      "activeSwaps",
      {
        Data: [
          {
            Sender: "0x8a",
            Status: "ACTIVE",
            CreationTime: 1_700_000_000_000,
            LockOrder: {
              SecretHash: "0xcd",
              Asset: "ETH",
              Amount: 1.5,
              Expiration: 1_700_345_600_000,
              Used: false,
              SourceNetworkCode: "ETH",
            },
            RedeemOrder: { Asset: "BNB", Amount: 8 },
          },
        ],
      },
      [SWAP],
    ],
    [
      "swaps in snake_case, in seconds",
      "activeSwaps",
      [
        {
          sender: "0x8a",
          status: "ACTIVE",
          creation_time: 1_700_000_000,
          lock_order: {
            secret_hash: "0xcd",
            asset: "ETH",
            amount: "1.5",
            expiration: 1_700_345_600,
            used: false,
            source_network_code: "ETH",
          },
          redeem_order: { asset: "BNB", amount: 8 },
        },
      ],
      [SWAP],
    ],
    [
      "flat swaps, with dates",
      "activeSwaps",
      {
        swaps: [
          {
            owner: "0x8a",
            state: "ACTIVE",
            createdAt: "2023-11-14T22:13:20.000Z",
            secretHash: "0xcd",
            asset: "ETH",
            amount: 1.5,
            expiresAt: "2023-11-18T22:13:20Z",
            used: false,
            sourceNetwork: "ETH",
            redeemAsset: "BNB",
            redeemAmount: 8,
          },
        ],
      },
      [SWAP],
    ],
    [
      "flat swaps, with longer names",
      "activeSwaps",
      [
        {
          from: "0x8a",
          swap_status: "ACTIVE",
          created: 1_700_000_000_000,
          lock_order_secret_hash: "0xcd",
          lock_order_asset: "ETH",
          lock_order_amount: 1.5,
          lock_order_expiration: 1_700_345_600_000,
          lock_order_used: false,
          lock_order_source_network_code: "ETH",
          redeem_order_asset: "BNB",
          redeem_order_amount: 8,
        },
      ],
      [SWAP],
    ],
    [
      "a flat order",
      "order",
      { data: { order_id: "7", state: "NEW", symbol: "ORN-USDT" } },
      { id: "7", status: "NEW", assetPair: "ORN-USDT" },
    ],
    ["the only order of a list", "order", [{ id: "7", status: "NEW" }], { id: "7", status: "NEW" }],
  ])("%s is read whole", async (_name, endpoint, body, value) => {
    expect(await readAs(endpoint, body)).toStrictEqual(value);
  });
});

describe("a listing of disabled exchanges and pairs", () => {
  const BOTH = { exchanges: ["OKX"], pairs: [{ exchange: "BINANCE", assetPair: "ORN-USDT" }] };
  it.each<[string, Json]>([
    [
      "under other names",
      {
        data: {
          disabledExchanges: ["OKX"],
          disabledPairs: [{ exchange: "BINANCE", symbol: "ORN-USDT" }],
        },
      },
    ],
    [
      "in PascalCase",
      { Exchanges: ["OKX"], Pairs: [{ Exchange: "BINANCE", AssetPair: "ORN-USDT" }] },
    ],
    [
      "in records",
      { exchanges: [{ name: "OKX" }], pairs: [{ venue: "BINANCE", pair: "ORN-USDT" }] },
    ],
    ["by name", { exchanges: { OKX: { since: 5 } }, pairs: { BINANCE: ["ORN-USDT"] } }],
    ["with pairs as text", { exchanges: ["OKX"], pairs: ["BINANCE:ORN-USDT"] }],
    [
      "mixed, in records",
      { data: [{ exchange: "OKX" }, { exchange: "BINANCE", pair: "ORN-USDT" }] },
    ],
    [
      "mixed, with null",
      [
        { exchange: "OKX", symbol: null },
        { exchange: "BINANCE", symbol: "ORN-USDT" },
      ],
    ],
    [
      "mixed, with a word for each",
      [
        { type: "exchange", name: "OKX" },
        { type: "pair", exchange: "BINANCE", name: "ORN-USDT" },
      ],
    ],
    ["mixed, in texts", ["OKX", "BINANCE/ORN-USDT"]],
  ])("is read whole %s", async (_name, body) => {
    expect(await readAs("disabled", body)).toStrictEqual(BOTH);
  });

  it("is not read at all if a map would lose one of them", async () => {
    for (const body of [
      { exchanges: [], blocked: [{ exchange: "BINANCE", assetPair: "ORN-USDT" }] },
      { disabled: ["OKX"], instruments: [{ on: "BINANCE", what: "ORN-USDT" }] },
      [{ exchange: "BINANCE", pairs: ["ORN-USDT"] }],
      [{ exchange: "BINANCE", what: "ORN-USDT" }],
      [
        { exchange: "BINANCE", what: "ORN-USDT" },
        { exchange: "BINANCE", what: "BNB-ORN" },
      ],
    ] satisfies Json[]) {
      const { suggestion } = await suggestMap(
        { endpoint: "disabled", instants: "milliseconds" },
        body,
      );
      expect(suggestion?.map, JSON.stringify(body)).toBeUndefined();
    }
    const { noMap } = await suggestMap(
      { endpoint: "disabled", instants: "milliseconds" },
      { data: { list: ["OKX"], pairs: ["x"] } },
    );
    expect(noMap).toBe("a map of $.data.list would lose $.data.pairs (1)");
  });

  it("errs rather than lose a pair that comes later, if none was there at first", async () => {
    for (const [body, later] of [
      [["OKX"], ["OKX", "BINANCE:ORN-USDT"]],
      [[{ name: "OKX" }], [{ name: "OKX" }, { name: "BINANCE", symbol: "ORN-USDT" }]],
      [
        { exchanges: ["OKX"], pairs: [] },
        { exchanges: ["OKX"], pairs: [{ on: "BINANCE" }] },
      ],
    ] satisfies [Json, Json][]) {
      const { suggestion } = await suggestMap(
        { endpoint: "disabled", instants: "milliseconds" },
        { data: body },
      );
      const made = await compileWireMap(suggestion?.map ?? "")({ data: later });
      const decoded = readEndpoints.disabled.decode(made.ok ? made.value : undefined);
      const isWhole = decoded.ok && decoded.malformed === undefined;
      expect(suggestion, JSON.stringify(body)).toBeDefined();
      expect(isWhole, JSON.stringify(later)).toBe(false);
    }
  });
});
