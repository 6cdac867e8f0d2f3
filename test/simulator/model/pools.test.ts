import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, MINUTE } from "../../../src/domain/time.ts";
import { estimate, poolPrice, tradeInPool } from "../../../src/simulator/model/pools.ts";
import { drive } from "../driver.ts";

type Listed = { factory: string; pair: string; a: number; p: number; indicativePrice: number };
const ALL = "/api/v1/pools/reservations";

describe("the pools area", () => {
  it("lists all pools, and one of them by factory and pair", () => {
    const { ask, get } = drive();
    expect(get(ALL)).toHaveLength(7);
    expect(get(`${ALL}/OrionV2/ORN-USDT`)).toEqual({
      a: 1_250_000,
      p: 650_000,
      indicativePrice: 0.52,
    });
    expect(ask("GET", `${ALL}/OrionV2/DOGE-USDT`).body.error.code).toBe(3001);
  });

  it("estimates from the reserves by the constant product, less the fee", () => {
    const { ask } = drive();
    const path = "/api/v1/pools/estimation/OrionV2/ORN-USDT";
    const sell = ask("POST", path, { amount: 50_000, side: "SELL" }).body.estimation;
    expect(sell).toBeCloseTo((650_000 * 49_850) / (1_250_000 + 49_850), 6);
    const buy = ask("POST", path, { amount: 50_000, side: "BUY" }).body.estimation;
    expect(buy).toBeCloseTo((650_000 * 50_000) / 1_200_000 / 0.997, 6);
    expect(ask("POST", path, { amount: 1_250_000, side: "BUY" }).status).toBe(422);
    expect(ask("POST", path, { amount: -1, side: "BUY" }).status).toBe(400);
  });

  it("leaves out of all estimations the pools that have not so much", () => {
    const { ask } = drive();
    const body = { amount: 2_000, side: "BUY" };
    const found: Array<{ factory: string; pair: string }> = ask(
      "POST",
      "/api/v1/pools/estimation",
      body,
    ).body;
    expect(found.map(({ factory, pair }) => `${factory}/${pair}`)).toEqual([
      "OrionV2/ORN-USDT",
      "UniswapV2/CAKE-USDT",
      "UniswapV3/ETH-USDT",
      "Curve/USDC-USDT",
    ]);
  });

  it("drifts by trades, and mildly: no reserve loses a tenth in a day", () => {
    const { get, wait } = drive();
    const before: Listed[] = get(ALL);
    wait(10 * MINUTE);
    expect(get(ALL)).not.toEqual(before);
    for (let hour = 0; hour < 24; hour += 1) {
      wait(DAY / 24);
      for (const [index, pool] of (get(ALL) as Listed[]).entries()) {
        expect(pool.a).toBeGreaterThan(0.9 * (before[index]?.a ?? 0));
        expect(pool.p).toBeGreaterThan(0.9 * (before[index]?.p ?? 0));
      }
    }
  });

  it("stays drained after a drain, at the same price", () => {
    const { control, get, wait } = drive();
    control({ do: "drain_pool", factory: "OrionV2", pair: "ORN-USDT", ratio: 0.8 });
    const pool = `${ALL}/OrionV2/ORN-USDT`;
    expect(get(pool)).toEqual({ a: 250_000, p: 130_000, indicativePrice: 0.52 });
    wait(60 * MINUTE);
    expect(get(pool).a).toBeLessThan(300_000);
  });

  it("never lets a trade take out more than it brings in", () => {
    const reserve = fc.double({ min: 1, max: 1e9, noNaN: true });
    const share = fc.double({ min: 1e-6, max: 0.9, noNaN: true });
    const side = fc.constantFrom("BUY" as const, "SELL" as const);
    fc.assert(
      fc.property(reserve, reserve, share, side, (base, quote, part, way) => {
        const pool = { factory: "F", pair: "A-B", base, quote };
        const quoted = estimate(pool, way, base * part);
        tradeInPool(pool, way, base * part);
        expect(pool.base * pool.quote).toBeGreaterThanOrEqual(base * quote * (1 - 1e-6));
        expect(Math.abs(pool.quote - quote)).toBeCloseTo(quoted ?? Number.NaN, 3);
        if (way === "BUY") expect(poolPrice(pool)).toBeGreaterThan(quote / base);
      }),
    );
  });
});
