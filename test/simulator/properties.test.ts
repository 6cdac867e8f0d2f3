/** Tests src/simulator: properties. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/result.ts";
import { DEFAULT_LIQUIDATIONS, DEFAULT_SENDERS } from "../../src/simulator/model/default-world.ts";
import { ROUTES } from "../../src/simulator/routes/interface.ts";
import { KEY, drive, type Driver } from "./driver.ts";

const textOf = (one: Json): string => (typeof one === "string" ? one : JSON.stringify(one));

/** Values that come near to good ones, so that requests get deep before they fail. */
const value = fc.oneof(
  fc.constantFrom<Json>(
    "BINANCE",
    "ORN-USDT",
    "OrionV2",
    "ORN",
    "USDT",
    "NEW",
    "ETH",
    "BUY",
    "__proto__",
    "",
    ".",
    "..",
    0,
    1,
    -1,
    1e308,
    null,
    DEFAULT_SENDERS[0],
    DEFAULT_LIQUIDATIONS[0],
    `0x${"ab".repeat(32)}`,
  ),
  fc.jsonValue().map((json) => json as Json),
);
const KEYS =
  "orderId owner status address baseAsset quoteAsset amount side price buySide senderAddress id " +
  "limit sender secretHash sourceNetworkCode market exchange startTime endTime expiration " +
  "__proto__ constructor";
const key = fc.constantFrom(...KEYS.split(" "));
const record = fc
  .array(fc.tuple(key, value), { maxLength: 10 })
  .map((entries) => Object.fromEntries(entries));
const body = fc.oneof(
  record.map((fields) => JSON.stringify(fields)),
  fc.string(),
  fc.constantFrom("null", "[]", "{", "1", '"text"', "[".repeat(5_000)),
);
const segment = value.map((one) =>
  encodeURIComponent(textOf(one).replaceAll(/[\uD800-\uDFFF]/g, "?")),
);
const path = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...ROUTES.flatMap((route) => route.paths)),
      fc.array(segment, { minLength: 2, maxLength: 2 }),
    )
    .map(([template, args]) => {
      let index = 0;
      return template.replaceAll(/\{\w+\}/g, () => args[index++] ?? "x");
    }),
  fc.string().map((text) => `/${text}`),
  fc.constantFrom(
    "",
    "/",
    "/_sim/state",
    "/_sim/requests",
    "/_sim/reset",
    "/_sim/control",
    "/api/v1/%",
  ),
);
const request = fc.record({
  method: fc.constantFrom("GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "x"),
  path,
  query: record.map((fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, textOf(one)])),
  ),
  headers: fc.constantFrom<Record<string, string>>({}, KEY, { "x-api-key": "no" }),
  body,
});
const moment = fc.record({ afterMs: fc.integer({ min: 0, max: 20_000 }), request });

function replies(
  driver: Driver,
  moments: ReadonlyArray<{
    afterMs: number;
    request: Parameters<Driver["simulator"]["handle"]>[0];
  }>,
): string {
  return moments
    .map((one) => {
      driver.wait(one.afterMs);
      return JSON.stringify(driver.simulator.handle(one.request));
    })
    .join("\n");
}

describe("the simulator, whatever it is asked", () => {
  it("answers every request with a status below 500 and a JSON body, and never throws", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 40 }), (requests) => {
        const { simulator } = drive();
        for (const one of requests) {
          const reply = simulator.handle(one);
          if (reply.outcome !== "answered") throw new Error("not answered");
          expect(reply.status).toBeLessThan(500);
          const read = JSON.parse(reply.body);
          if (reply.status < 400) continue;
          expect(read.error.reason).not.toBe("");
          expect(typeof read.error.code).toBe("number");
          expect(typeof read.timestamp).toBe("string");
        }
      }),
      { numRuns: 300 },
    );
  });

  it("takes any control command without throwing", () => {
    const command = fc.oneof(
      fc.anything(),
      record.map((fields) => ({ do: "add_order", ...fields })),
    );
    const { simulator } = drive();
    fc.assert(
      fc.property(command, (one) => {
        expect(typeof simulator.control(one).ok).toBe("boolean");
      }),
      { numRuns: 500 },
    );
  });

  it("replies alike, byte for byte, for the same seed and the same requests at the same times", () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(moment, { maxLength: 25 }), (seed, moments) => {
        expect(replies(drive({ seed }), moments)).toBe(replies(drive({ seed }), moments));
      }),
      { numRuns: 60 },
    );
  });

  it("lives differently for another seed", () => {
    const history = (seed: number) => drive({ seed }).get("/api/v1/atomic-swap/history/all");
    expect(history(1)).not.toEqual(history(2));
  });

  it("lives alike however often it is looked at", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 60 }), (waits) => {
        const watched = drive();
        for (const wait of waits) {
          watched.wait(wait);
          for (const target of [
            "/api/v1/pools/reservations",
            "/_sim/state",
            "/api/v1/order/status?status=NEW",
          ])
            watched.get(target);
        }
        const alone = drive();
        alone.wait(waits.reduce((sum, wait) => sum + wait, 0));
        expect(alone.get("/_sim/state")).toEqual(watched.get("/_sim/state"));
      }),
      { numRuns: 30 },
    );
  });

  it("stands still while its clock runs backwards", () => {
    const { get, wait } = drive();
    wait(60_000);
    const before = get("/_sim/state");
    wait(-30_000);
    expect(get("/_sim/state")).toEqual(before);
  });

  it("never has more of a broker's tokens reserved than there were", () => {
    const lock = fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((number) => ({
      secretHash: `0x${number.toString(16).padStart(64, "0")}`,
      sourceNetworkCode: "AVAX",
    }));
    fc.assert(
      fc.property(fc.array(lock, { minLength: 1, maxLength: 200 }), (locks) => {
        const world = {
          background: false,
          brokers: [{ address: DEFAULT_SENDERS[2], balances: { BNB: 3 } }],
        };
        const { ask } = drive({ scenario: { name: "small", world, steps: [] } });
        for (const one of locks) {
          const { status } = ask("POST", "/api/v1/atomic-swap", one);
          expect([200, 409, 422]).toContain(status);
          const [balance] = ask("POST", "/api/v1/atomic-swap/balances", {}).body;
          expect(balance.amount).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 30 },
    );
  });
});
