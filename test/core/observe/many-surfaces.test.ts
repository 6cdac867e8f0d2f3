import { describe, expect, it } from "vitest";
import type { SurfaceState } from "../../../src/core/surface-index.ts";
import { exchange, order, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

/** Tests src/core/surface-index.ts: what one poller does costs what that one reads. */

const MANY = 300;

function worldOfMany(): World {
  const orders = Object.fromEntries(
    Array.from({ length: MANY }, (_, index) => [`o${index}`, [order(`o${index}`, "STUCK")]]),
  );
  const world = scriptedWorld({ rules: [rule()] }).at("10s");
  return world.polls("liquidations", orders).sees("exchanges", [exchange("BINANCE", "enabled")]);
}

/** How often it is looked at when surfaces of the watched orders were read, and whether they came out. */
function looksAtOrders({ state }: World): () => number {
  let looks = 0;
  for (const surface of state.surfaces.values()) {
    if (surface.poller !== "liquidations") continue;
    for (const name of ["askedAt", "ok"] as const) count(surface, name, () => (looks += 1));
  }
  return () => looks;
}

function count(surface: SurfaceState, name: "askedAt" | "ok", note: () => void): void {
  let value: unknown = surface[name];
  Object.defineProperty(surface, name, {
    enumerable: true,
    get: () => {
      note();
      return value;
    },
    set: (next: unknown) => {
      value = next;
    },
  });
}

describe("of many surfaces that one poller reads", () => {
  it("a poll of another one looks at none", () => {
    const world = worldOfMany();
    const looks = looksAtOrders(world);
    world
      .at("20s")
      .sees("exchanges", [exchange("BINANCE", "enabled"), exchange("KUCOIN", "enabled")]);
    expect(looks()).toBe(0);
  });

  it("each is looked at once if all are stale, however long that lasts", () => {
    const world = worldOfMany();
    const looks = looksAtOrders(world);
    world.at("10m");
    expect(world.entity("liquidation", "o7")?.unknownSince).toBeDefined();
    expect(looks()).toBe(MANY);
    world.polls("liquidations", { o7: [order("o7", "STUCK")] });
    expect(world.entity("liquidation", "o7")?.unknownSince).toBeUndefined();
    world.at("20m");
    expect(world.entity("liquidation", "o7")?.unknownSince).toBeDefined();
  });
});
