/** Tests src/simulator: exchanges. */
import { describe, expect, it } from "vitest";
import { drive, KEY } from "./driver.ts";

const TOGGLE = "/api/v1/exchange/toggle";

describe("the exchange area", () => {
  it("begins with every exchange listed and nothing disabled", () => {
    const { get } = drive();
    expect(get("/api/v1/exchange/list")).toEqual([
      "BINANCE",
      "KUCOIN",
      "OKX",
      "ASCENDEX",
      "ORION_POOL",
      "PANCAKESWAP",
      "UNISWAP",
      "CURVE",
    ]);
    expect(get("/api/v1/exchange/disabled")).toEqual({ exchanges: [], pairs: [] });
  });

  it("takes a disabled exchange out of the list and into the disabled listing, and back", () => {
    const { ask, get } = drive();
    expect(ask("DELETE", `${TOGGLE}/KUCOIN`)).toMatchObject({
      status: 200,
      body: { changed: true },
    });
    expect(get("/api/v1/exchange/list")).not.toContain("KUCOIN");
    expect(get("/api/v1/exchange/disabled").exchanges).toEqual(["KUCOIN"]);
    expect(ask("POST", `${TOGGLE}/KUCOIN`).status).toBe(200);
    expect(get("/api/v1/exchange/list")).toContain("KUCOIN");
    expect(get("/api/v1/exchange/disabled").exchanges).toEqual([]);
  });

  it("disables a pair on one exchange only", () => {
    const { ask, get } = drive();
    ask("DELETE", `${TOGGLE}/BINANCE/ORN-USDT`);
    const pairs = [{ exchange: "BINANCE", assetPair: "ORN-USDT" }];
    expect(get("/api/v1/exchange/disabled")).toEqual({ exchanges: [], pairs });
    expect(get("/api/v1/exchange/list")).toContain("BINANCE");
    ask("POST", `${TOGGLE}/BINANCE/ORN-USDT`);
    expect(get("/api/v1/exchange/disabled").pairs).toEqual([]);
  });

  it("answers 404 for an exchange or a pair that is not there", () => {
    const { ask } = drive();
    expect(ask("POST", `${TOGGLE}/KRAKEN`).body.error.code).toBe(2001);
    expect(ask("DELETE", `${TOGGLE}/KRAKEN/ORN-USDT`).status).toBe(404);
    expect(ask("DELETE", `${TOGGLE}/CURVE/ORN-USDT`).body.error.code).toBe(2002);
    expect(ask("POST", `${TOGGLE}/__proto__`).status).toBe(404);
  });

  it("answers a repeated toggle with 200 and changes nothing, or with 409 if that was asked", () => {
    const lenient = drive();
    expect(lenient.ask("POST", `${TOGGLE}/BINANCE`).body.changed).toBe(false);
    expect(lenient.simulator.requestLog().at(-1)?.applied).toBe(false);
    const strict = drive({
      scenario: { name: "s", world: { repeated_toggle: "conflict" }, steps: [] },
    });
    expect(strict.ask("POST", `${TOGGLE}/BINANCE`).status).toBe(409);
    expect(strict.ask("DELETE", `${TOGGLE}/BINANCE`).status).toBe(200);
    expect(strict.ask("DELETE", `${TOGGLE}/BINANCE`).status).toBe(409);
  });

  it("asks for the key on toggles only if it was told to", () => {
    const { ask, get } = drive({ actKey: { header: "X-Act", value: "v", toggles: true } });
    expect(ask("DELETE", `${TOGGLE}/BINANCE`).status).toBe(401);
    expect(ask("DELETE", `${TOGGLE}/BINANCE`, undefined, { "x-act": "w" }).status).toBe(403);
    expect(ask("DELETE", `${TOGGLE}/BINANCE`, undefined, KEY).status).toBe(401);
    expect(get("/api/v1/exchange/list")).toContain("BINANCE");
    expect(ask("DELETE", `${TOGGLE}/BINANCE`, undefined, { "x-act": "v" }).status).toBe(200);
  });
});

describe("the pairs area", () => {
  it("lists pairs, those with futures apart, and their prices and volumes", () => {
    const { get } = drive();
    expect(get("/api/v1/pairs/list")).toHaveLength(10);
    expect(get("/api/v1/pairs/list?market=FUTURES")).toEqual(["BTC-USDT", "ETH-USDT", "BNB-USDT"]);
    expect(get("/api/v1/pairs/list/detailed")[0]).toMatchObject({ name: "ORN-USDT", price: 0.52 });
    expect(get("/api/v1/pairs/list/detailed")[0].volume).toBeGreaterThan(0);
  });

  it("gives one pair's limits as one object, and an exchange's as a list", () => {
    const { ask, get } = drive();
    const config = get("/api/v1/pairs/exchangeInfo/ORN-USDT");
    expect(config).toEqual({
      name: "ORN-USDT",
      minQty: 10,
      maxQty: 10_000_000,
      minPrice: 0.0001,
      maxPrice: 50,
      pricePrecision: 4,
      qtyPrecision: 2,
    });
    expect(get("/api/v1/pairs/exchangeInfo/ORN-USDT/KUCOIN")).toEqual(config);
    expect(
      get("/api/v1/pairs/exchangeInfo?exchange=CURVE").map((one: { name: string }) => one.name),
    ).toEqual(["USDC-USDT"]);
    expect(get("/api/v1/pairs/exchangeInfo")).toHaveLength(10);
    expect(ask("GET", "/api/v1/pairs/exchangeInfo?exchange=KRAKEN").status).toBe(404);
    expect(ask("GET", "/api/v1/pairs/exchangeInfo/ORN-USDT/CURVE").status).toBe(404);
    expect(ask("GET", "/api/v1/pairs/list?market=spot").status).toBe(400);
  });
});
