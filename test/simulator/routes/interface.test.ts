import { describe, expect, it } from "vitest";
import {
  DEFAULT_LIQUIDATIONS,
  DEFAULT_SENDERS,
} from "../../../src/simulator/model/default-world.ts";
import { ROUTES } from "../../../src/simulator/routes/interface.ts";
import { drive, KEY, START } from "../driver.ts";

const HASH = `0x${"ab".repeat(32)}`;
const ORDER = {
  senderAddress: DEFAULT_SENDERS[0],
  baseAsset: "ORN",
  quoteAsset: "USDT",
  amount: 10e8,
  price: 0.52e8,
  buySide: 1,
};
const ETH_ORDER = { ...ORDER, baseAsset: "ETH", price: 3200e8 };

/** Every method-and-path pair, in the spellings that clients use, with an input that is good. */
const GOOD: ReadonlyArray<readonly [string, string, string, object?]> = [
  ["placeOrder", "POST", "/api/v1/order", { ...ORDER, id: HASH }],
  ["placeOrder", "POST", "/api/v1/order/", { ...ORDER, amount: 11e8 }],
  ["order", "GET", `/api/v1/order?orderId=${HASH}&owner=${DEFAULT_SENDERS[0]}`],
  ["cancelOrder", "DELETE", "/api/v1/order", { id: HASH, senderAddress: DEFAULT_SENDERS[0] }],
  ["placeInternalOrder", "POST", "/api/v1/order/internal", { ...ORDER, amount: 12e8 }],
  [
    "placeFuturesOrder",
    "POST",
    "/api/v1/order/futures",
    { ...ETH_ORDER, id: `0x${"cd".repeat(32)}` },
  ],
  [
    "futuresOrder",
    "GET",
    `/api/v1/order/futures?orderId=0x${"cd".repeat(32)}&owner=${DEFAULT_SENDERS[0]}`,
  ],
  ["ordersByStatus", "GET", "/api/v1/order/status?status=NEW"],
  ["liquidation", "GET", `/api/v1/order/liquidation?orderId=${DEFAULT_LIQUIDATIONS[0]}`],
  ["orderHistory", "POST", "/api/v1/order/history", { address: DEFAULT_SENDERS[0] }],
  ["futuresByStatus", "POST", "/api/v1/order/futures/status", { status: "NEW" }],
  ["futuresHistory", "POST", "/api/v1/order/futures/history", { address: DEFAULT_SENDERS[0] }],
  ["forceCancel", "DELETE", `/api/v1/order/force/${DEFAULT_LIQUIDATIONS[0]}`],
  ["disableExchange", "DELETE", "/api/v1/exchange/toggle/BINANCE"],
  ["enableExchange", "POST", "/api/v1/exchange/toggle/BINANCE"],
  ["disablePair", "DELETE", "/api/v1/exchange/toggle/BINANCE/ORN-USDT"],
  ["enablePair", "POST", "/api/v1/exchange/toggle/BINANCE/ORN-USDT"],
  ["exchanges", "GET", "/api/v1/exchange/list"],
  ["disabled", "GET", "/api/v1/exchange/disabled"],
  ["pairs", "GET", "/api/v1/pairs/list?market=SPOT"],
  ["pairsDetailed", "GET", "/api/v1/pairs/list/detailed"],
  ["exchangeInfo", "GET", "/api/v1/pairs/exchangeInfo?exchange=KUCOIN"],
  ["pairInfo", "GET", "/api/v1/pairs/exchangeInfo/ORN-USDT"],
  ["pairOnExchange", "GET", "/api/v1/pairs/exchangeInfo/ORN-USDT/KUCOIN"],
  ["reserves", "GET", "/api/v1/pools/reservations"],
  ["reserves", "GET", "/api/v1/pools/reserves"],
  ["poolReserves", "GET", "/api/v1/pools/reservations/OrionV2/ORN-USDT"],
  ["poolReserves", "GET", "/api/v1/pools/reserves/OrionV2/ORN-USDT"],
  ["estimations", "POST", "/api/v1/pools/estimation", { amount: 1, side: "BUY" }],
  [
    "poolEstimation",
    "POST",
    "/api/v1/pools/estimation/OrionV2/ORN-USDT",
    { amount: 1, side: "SELL" },
  ],
  ["lockSwap", "POST", "/api/v1/atomic-swap", { secretHash: HASH, sourceNetworkCode: "ETH" }],
  ["swapHistory", "GET", `/atomic-swap/api/v1/history/all?sender=${DEFAULT_SENDERS[0]}&limit=5`],
  ["swapHistory", "GET", "/api/v1/atomic-swap/history/all"],
  ["activeSwaps", "GET", `/api/v1/atomic-swap/history/current?sender=${DEFAULT_SENDERS[0]}`],
  ["brokerBalances", "POST", "/api/v1/atomic-swap/balances", {}],
];

describe("the simulated interface", () => {
  it("has 31 method-and-path pairs, each with its own name", () => {
    expect(new Set(ROUTES.map((route) => route.name)).size).toBe(31);
    expect(new Set(ROUTES.map((route) => `${route.method} ${route.paths[0]}`)).size).toBe(31);
  });

  it("answers every endpoint in every spelling, and logs it under its name", () => {
    const { ask, simulator } = drive();
    for (const [name, method, target, body] of GOOD) {
      const { status } = ask(method, target, body as never, KEY);
      expect([status, target]).toEqual([200, target]);
      expect(simulator.requestLog().at(-1)?.endpoint).toBe(name);
    }
    expect(new Set(GOOD.map(([name]) => name))).toEqual(new Set(ROUTES.map((one) => one.name)));
  });

  it("answers an unknown path with 404 and the documented error body", () => {
    const { ask } = drive();
    for (const path of ["/", "/api/v1", "/api/v1/exchange/list/", "/api/v1/exchange/toggle/", "//"])
      expect(ask("GET", path)).toEqual({
        status: 404,
        body: {
          error: { code: 9004, reason: "There is no such path." },
          timestamp: new Date(START).toISOString(),
        },
      });
  });

  it("answers a wrong method with 405 and the allowed ones", () => {
    const { raw } = drive();
    const reply = raw("PUT", "/api/v1/exchange/toggle/BINANCE");
    expect(reply).toMatchObject({ status: 405, headers: { allow: "POST, DELETE" } });
    expect(raw("HEAD", "/api/v1/exchange/list")).toMatchObject({ status: 405 });
  });

  it("answers a broken percent-encoding with 400", () => {
    expect(drive().ask("POST", "/api/v1/exchange/toggle/%E0%A4%A").status).toBe(400);
  });

  it("serves under a base path only, if it has one", () => {
    const { ask } = drive({ basePath: "/bsc-mainnet/backend" });
    expect(ask("GET", "/bsc-mainnet/backend/api/v1/exchange/list").status).toBe(200);
    expect(ask("GET", "/api/v1/exchange/list").status).toBe(404);
    expect(ask("GET", "/_sim/state").status).toBe(200);
  });
});
