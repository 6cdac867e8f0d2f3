/** Tests src/aggregator/decoding/decode.ts: decoders. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mismatchFailure, snippet } from "../../../src/aggregator/decoding/decode.ts";
import { LONGEST_LISTING } from "../../../src/aggregator/decoding/listing.ts";
import { readEndpoints } from "../../../src/aggregator/endpoints/index.ts";
import type { ReadEndpoint } from "../../../src/aggregator/endpoints/index.ts";
import { READ_ENDPOINTS } from "../../../src/aggregator/endpoints/index.ts";

const swap = {
  id: "1",
  sender: "0xAA",
  lockOrder: {
    sender: "0xAA",
    asset: "ORN",
    amount: 12.5,
    expiration: 1_700_345_600_000,
    secretHash: "0xCD",
    used: false,
    sourceNetworkCode: "BSC",
  },
  redeemOrder: {},
  status: "ACTIVE",
  creationTime: 1_700_000_000_000,
};

const order = { id: "0xab", status: "NEW", blockchainOrder: {}, subOrders: {} };
const PAIR = { exchange: "B", assetPair: "A-B" };

describe("decoders", () => {
  const fits: ReadonlyArray<readonly [ReadEndpoint, unknown, unknown]> = [
    ["exchanges", ["BINANCE", "ORION_POOL"], ["BINANCE", "ORION_POOL"]],
    ["exchanges", [], []],
    [
      "disabled",
      { exchanges: ["KUCOIN"], pairs: [{ exchange: "B", assetPair: "A-B", since: 1 }], more: 1 },
      { exchanges: ["KUCOIN"], pairs: [{ exchange: "B", assetPair: "A-B" }] },
    ],
    [
      "disabled",
      { exchanges: [], pairs: [true, 1, "yes", null].map((disabled) => ({ ...PAIR, disabled })) },
      { exchanges: [], pairs: [PAIR] },
    ],
    ["liquidation", { orderId: "0xAB", order }, { id: "0xab", status: "NEW" }],
    [
      "liquidation",
      { order: { ...order, amount: "1.5e-8", price: null, updateTime: "1700000000000" } },
      { id: "0xab", status: "NEW", amount: 1.5e-8, updateTime: 1_700_000_000_000 },
    ],
    [
      "poolReserves",
      { a: "1000.5", p: 0, indicativePrice: 1.0 },
      { a: 1000.5, p: 0, indicativePrice: 1 },
    ],
    ["poolReserves", { a: "-0.00", p: -0 }, { a: 0, p: 0 }],
    [
      "reserves",
      [{ factory: "F", pair: "A-B", a: 1, p: 2 }],
      [{ factory: "F", pair: "A-B", a: 1, p: 2 }],
    ],
    [
      "activeSwaps",
      [swap],
      [
        {
          sender: "0xAA",
          status: "ACTIVE",
          creationTime: 1_700_000_000_000,
          lockOrder: {
            secretHash: "0xCD",
            asset: "ORN",
            amount: 12.5,
            expiration: 1_700_345_600_000,
            used: false,
            sourceNetworkCode: "BSC",
          },
          redeemOrder: {},
        },
      ],
    ],
    [
      "pairsDetailed",
      [{ name: "ORN-USDT", price: "0.52", volume: 1e6, change24h: 0.1 }, { name: "BNB-ORN" }],
      [{ name: "ORN-USDT", price: 0.52, volume: 1e6 }, { name: "BNB-ORN" }],
    ],
    [
      "exchangeInfo",
      [{ name: "ORN-USDT", minQty: 0.1, qtyPrecision: 2, limitOrderThreshold: 3 }],
      [{ name: "ORN-USDT", minQty: 0.1, qtyPrecision: 2 }],
    ],
    ["pairInfo", { name: "ORN-USDT", maxPrice: 1e5 }, { name: "ORN-USDT", maxPrice: 1e5 }],
    ["poolEstimation", { estimation: "1.47" }, { estimation: 1.47 }],
    [
      "estimations",
      [{ factory: "F", pair: "A-B", estimation: 3 }],
      [{ factory: "F", pair: "A-B", estimation: 3 }],
    ],
    [
      "brokerBalances",
      [{ broker: "0xB", asset: "BNB", amount: "12.5" }],
      [{ broker: "0xB", asset: "BNB", amount: 12.5 }],
    ],
    [
      "activeSwaps",
      [{ sender: "0x1", status: "ACTIVE", lockOrder: { secretHash: "0x2" } }],
      [{ sender: "0x1", status: "ACTIVE", lockOrder: { secretHash: "0x2" } }],
    ],
  ];
  test.each(fits)("%s reads %j", (name, body, expected) => {
    expect(readEndpoints[name].decode(body)).toEqual({ ok: true, value: expected });
  });

  test("take for one what is listed twice with the same facts", () => {
    const pairs = [1, 2].map(() => ({ exchange: "A", assetPair: "B" }));
    expect(readEndpoints.exchanges.decode(["A", "B", "A"])).toEqual({
      ok: true,
      value: ["A", "B"],
    });
    expect(readEndpoints.disabled.decode({ exchanges: ["A", "A"], pairs })).toEqual({
      ok: true,
      value: { exchanges: ["A"], pairs: pairs.slice(1) },
    });
  });

  const differs: ReadonlyArray<readonly [ReadEndpoint, unknown, string, string, string]> = [
    ["exchanges", { error: 1 }, "$", "a list of exchange names", '{"error":1}'],
    ["exchanges", ["A", 1], "$[1]", "a text", "1"],
    ["exchanges", ["A", ""], "$[1]", "a text that is not empty", '""'],
    ["exchanges", ["A/B"], "$[0]", "a name without a slash", '"A/B"'],
    ["exchanges", ["A\n"], "$[0]", "a text without control characters", '"A\\n"'],
    [
      "exchanges",
      ["\\u{42}INANCE"],
      "$[0]",
      "a text that shows no character as \\u{…}",
      '"\\\\u{42}INANCE"',
    ],
    ["disabled", {}, "$.exchanges", "a list of exchange names", "nothing"],
    [
      "disabled",
      { exchanges: "KUCOIN", pairs: [] },
      "$.exchanges",
      "a list of exchange names",
      '"KUCOIN"',
    ],
    [
      "disabled",
      { exchanges: [], pairs: [{ exchange: "A" }] },
      "$.pairs[0].assetPair",
      "a text",
      "nothing",
    ],
    [
      "disabled",
      { exchanges: ["A"], pairs: [{ ...PAIR, disabled: false }] },
      "$.pairs[0].disabled",
      "a pair that is disabled",
      "false",
    ],
    ["liquidation", { order: { id: "0x1" } }, "$.order.status", "a text", "nothing"],
    ["liquidation", { orderId: "0x2", order }, "$.orderId", "the id of the order inside", '"0x2"'],
    [
      "liquidation",
      { order: { ...order, amount: "much" } },
      "$.order.amount",
      "a finite number, or a text that is one",
      '"much"',
    ],
    [
      "liquidation",
      { order: { ...order, updateTime: -1 } },
      "$.order.updateTime",
      "a time of this century in milliseconds since the epoch",
      "-1",
    ],
    [
      "liquidation",
      [order],
      "$",
      "an object with order",
      '[{"id":"0xab","status":"NEW","blockchainOrder":{},"subOrders":{}}]',
    ],
    ["poolReserves", { a: 1 }, "$.p", "a finite number, or a text that is one", "nothing"],
    [
      "poolReserves",
      { a: 1, p: Infinity },
      "$.p",
      "a finite number, or a text that is one",
      "Infinity",
    ],
    [
      "poolReserves",
      { a: 1, p: Number.NaN },
      "$.p",
      "a finite number, or a text that is one",
      "NaN",
    ],
    [
      "poolReserves",
      { a: 1, p: "1e999" },
      "$.p",
      "a finite number, or a text that is one",
      '"1e999"',
    ],
    [
      "poolReserves",
      { a: 1, p: "0x10" },
      "$.p",
      "a finite number, or a text that is one",
      '"0x10"',
    ],
    ["poolReserves", { a: 1, p: " 1" }, "$.p", "a finite number, or a text that is one", '" 1"'],
    [
      "poolReserves",
      { a: "9007199254740993", p: 1 },
      "$.a",
      "a whole number of at most 2^53",
      '"9007199254740993"',
    ],
    ["pairsDetailed", [{ price: 1 }], "$[0].name", "a text", "nothing"],
    [
      "pairInfo",
      { name: "A-B", pricePrecision: 2.5 },
      "$.pricePrecision",
      "a number of digits",
      "2.5",
    ],
    [
      "brokerBalances",
      [
        { broker: "0xB", asset: "BNB", amount: 1 },
        { broker: "0xb", asset: "BNB", amount: 2 },
      ],
      "$[1]",
      "no item that is listed twice, with other facts",
      '{"broker":"0xb","asset":"BNB","amount":2}',
    ],
    ["activeSwaps", [{ ...swap, lockOrder: {} }], "$[0].lockOrder.secretHash", "a text", "nothing"],
    [
      "activeSwaps",
      [swap, { ...swap, lockOrder: { secretHash: "0xcd" } }],
      "$[1]",
      "no item that is listed twice, with other facts",
      '{"id":"1","sender":"0xAA","lockOrder":{"secretHash":"0xcd"},"redeemOrder":{},…}',
    ],
    [
      "activeSwaps",
      [{ ...swap, creationTime: 1.5 }],
      "$[0].creationTime",
      "a time of this century in milliseconds since the epoch",
      "1.5",
    ],
  ];
  test.each(differs)("%s differs from %j at %s", (name, body, path, expected, received) => {
    expect(readEndpoints[name].decode(body)).toEqual({
      ok: false,
      problem: { path, expected, received },
    });
  });

  test("refuses a listing that is longer than the bound", () => {
    const names = Array.from({ length: LONGEST_LISTING + 1 }, (_, index) => `E${index}`);
    expect(readEndpoints.exchanges.decode(names)).toMatchObject({
      ok: false,
      problem: { path: "$", expected: "at most 100000 items" },
    });
    expect(readEndpoints.exchanges.decode(names.slice(1)).ok).toBe(true);
  });

  test("never throws, whatever the JSON, and keeps its complaint short", () => {
    const near = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.jsonValue(),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(
          fc.constantFrom(
            "exchanges",
            "pairs",
            "order",
            "id",
            "lockOrder",
            "status",
            "a",
            "p",
            "__proto__",
          ),
          tie("value"),
        ),
      ),
    })).value;
    fc.assert(
      fc.property(fc.constantFrom(...READ_ENDPOINTS), near, (name, body) => {
        const result = readEndpoints[name].decode(body);
        if (result.ok) return;
        const failure = mismatchFailure(name, result.problem);
        expect(failure.reason).toBe("mismatch");
        expect(failure.message.length).toBeLessThanOrEqual(400);
        expect(result.problem.received.length).toBeLessThanOrEqual(80);
      }),
      { numRuns: 400 },
    );
  });

  test("what is invisible in a value is shown by its number", () => {
    expect(snippet("E\u200dN")).toBe('"E\\u{200d}N"');
    expect(snippet({ "a\u2028": ["\u0085", "\ud800"] })).toBe(
      '{"a\\u{2028}":["\\u{85}","\\ud800"]}',
    );
    expect(snippet("\u200d".repeat(100)).length).toBe(80);
    // Seen as it is, and no part of a name that cannot be told from another.
    expect(snippet("Ä 東京")).toBe('"Ä 東京"');
  });

  test("a huge and deep value is shown in a few characters", () => {
    let deep: unknown = "x";
    for (let level = 0; level < 60; level += 1) deep = [deep, { a: deep }];
    expect(snippet(deep).length).toBeLessThanOrEqual(80);
    expect(snippet("x".repeat(1_000_000)).length).toBe(80);
  });
});
