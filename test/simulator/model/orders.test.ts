import { describe, expect, it } from "vitest";
import { SECOND } from "../../../src/domain/time.ts";
import { assetAddress } from "../../../src/simulator/model/assets.ts";
import {
  DEFAULT_LIQUIDATIONS,
  DEFAULT_SENDERS,
} from "../../../src/simulator/model/default-world.ts";
import { KEY, START, drive, type Driver } from "../driver.ts";

const OWNER = DEFAULT_SENDERS[0];
const ID = `0x${"1f".repeat(32)}`;
const BODY = {
  id: ID,
  senderAddress: OWNER,
  baseAsset: assetAddress("ORN"),
  quoteAsset: assetAddress("USDT"),
  amount: 12.5e8,
  price: 0.52e8,
  buySide: 1,
  nonce: START,
  expiration: START + 29 * 86_400_000,
};
const quiet = { name: "quiet", world: { background: false }, steps: [] };

/** Every status that an order was seen in, looking once a second. */
function statusesOf(driver: Driver, target: string, seconds: number): string[] {
  const seen: string[] = [];
  for (let second = 0; second < seconds; second += 1) {
    const { status } = driver.get(target).order;
    if (seen.at(-1) !== status) seen.push(status);
    driver.wait(SECOND);
  }
  return seen;
}

describe("the order area", () => {
  it("places a spot order that goes its way to SETTLED, filled on the way", () => {
    const driver = drive();
    const placed = driver.ask("POST", "/api/v1/order/", BODY);
    expect(placed.body.orderId).toBe(ID);
    expect(placed.body.placementRequests[0]).toMatchObject({ amount: 12.5, exchange: "BINANCE" });
    expect(statusesOf(driver, `/api/v1/order?orderId=${ID}&owner=${OWNER}`, 60)).toEqual([
      "NEW",
      "ACCEPTED",
      "PARTIALLY_FILLED",
      "FILLED",
      "TX_PENDING",
      "SETTLED",
    ]);
    const { orderId, order } = driver.get(`/api/v1/order?orderId=${ID}&owner=${OWNER}`);
    expect(orderId).toBe(ID);
    expect(order).toMatchObject({ filledAmount: 12.5, settledAmount: 12.5, remainingAmount: 0 });
    expect(order.blockchainOrder).toMatchObject({ amount: 12.5e8, price: 0.52e8, buySide: 1 });
  });

  it("finds an order by its id and owner, and not for somebody else", () => {
    const { ask } = drive();
    ask("POST", "/api/v1/order", BODY);
    const path = `/api/v1/order?orderId=${ID}`;
    expect(ask("GET", path)).toMatchObject({
      status: 400,
      body: { error: { reason: "query.owner: is required" } },
    });
    expect(ask("GET", `${path}&owner=${OWNER}`).status).toBe(200);
    expect(ask("GET", `${path}&owner=${OWNER.toUpperCase().replace("0X", "0x")}`).status).toBe(200);
    expect(ask("GET", `${path}&owner=${DEFAULT_SENDERS[1]}`).body.error).toEqual({
      code: 1001,
      reason: "Order not found",
    });
    expect(ask("GET", `/api/v1/order/futures?orderId=${ID}&owner=${OWNER}`).status).toBe(404);
    expect(ask("GET", "/api/v1/order").status).toBe(400);
  });

  it("cancels its own order once, and nobody else's", () => {
    const { ask, get } = drive();
    ask("POST", "/api/v1/order", BODY);
    const as = (senderAddress: string) => ask("DELETE", "/api/v1/order", { id: ID, senderAddress });
    expect(as(DEFAULT_SENDERS[1]).status).toBe(404);
    expect(as(OWNER)).toMatchObject({ status: 200, body: { orderId: ID, remainingAmount: 12.5 } });
    expect(get(`/api/v1/order?orderId=${ID}&owner=${OWNER}`).order.status).toBe("CANCELED");
    expect(as(OWNER).body.error.code).toBe(1002);
  });

  it("refuses orders that are wrong, each with its reason", () => {
    const { ask } = drive();
    const refused = (change: object): string => {
      const { status, body } = ask("POST", "/api/v1/order", { ...BODY, ...change });
      return `${status} ${body.error.reason}`;
    };
    expect(refused({ senderAddress: "me" })).toMatch(/^400 body\.senderAddress: must be 0x/);
    expect(refused({ amount: "10" })).toMatch(/^400 body\.amount/);
    expect(refused({ amount: 0.5 })).toMatch(/^400 body\.amount/);
    expect(refused({ baseAsset: "DOGE" })).toMatch(/^400 There is no such pair/);
    expect(refused({ expiration: START + 1_000 })).toMatch(/more than one minute/);
    expect(refused({ expiration: START + 40 * 86_400_000 })).toMatch(/less than one month/);
    ask("POST", "/api/v1/order", BODY);
    expect(refused({})).toBe("409 An order with this id exists already.");
  });

  it("refuses an order whose pair no exchange trades just now", () => {
    const { ask, control } = drive();
    for (const exchange of ["BINANCE", "KUCOIN", "ORION_POOL"])
      control({ do: "disable_exchange", exchange });
    control({ do: "disable_pair", exchange: "ASCENDEX", pair: "ORN-USDT" });
    expect(ask("POST", "/api/v1/order", BODY).status).toBe(409);
  });

  it("lets an order rest that is far from the market, until its expiration", () => {
    const driver = drive({ scenario: quiet });
    driver.ask("POST", "/api/v1/order", { ...BODY, price: 0.3e8, expiration: START + 600_000 });
    driver.wait(599_000);
    const path = `/api/v1/order?orderId=${ID}&owner=${OWNER}`;
    expect(driver.get(path).order.status).toBe("ACCEPTED");
    driver.wait(1_000);
    expect(driver.get(path).order.status).toBe("CANCELED");
  });

  it.each(["spot", "futures", "liquidation"])("adds an order as it is given: %s", (type) => {
    const { control, get } = drive({ scenario: quiet });
    const pair = "ETH-USDT";
    const given = { type, id: ID, owner: OWNER, pair, side: "BUY", amount: 3, price: 1_234 };
    control({ do: "add_order", ...given });
    const area = type === "spot" ? "" : `/${type}`;
    expect(get(`/api/v1/order${area}?orderId=${ID}&owner=${OWNER}`).order).toMatchObject({
      sender: OWNER,
      assetPair: pair,
      side: "BUY",
      amount: 3,
      price: 1_234,
    });
  });

  it("shows at most 20 orders of a status, the newest first", () => {
    const { ask, control, get } = drive({ scenario: quiet });
    for (let count = 0; count < 25; count += 1)
      control({
        do: "add_order",
        type: "spot",
        status: "FAILED",
        id: `0x${String(count).padStart(64, "0")}`,
      });
    const listed = get("/api/v1/order/status?status=FAILED");
    expect(listed).toHaveLength(20);
    expect(Number(listed[0].id.slice(2))).toBe(24);
    expect(get("/api/v1/order/status?status=REJECTED")).toEqual([]);
    expect(ask("GET", "/api/v1/order/status?status=DONE").status).toBe(400);
    expect(ask("POST", "/api/v1/order/futures/status", { status: "FAILED" }).body).toEqual([]);
  });

  it("forgets the oldest order that is over, once there are more than 2 000", () => {
    const { ask, control } = drive({ scenario: quiet });
    const idOf = (number: number): string => `0x${String(number).padStart(64, "0")}`;
    const add = (number: number, status: string): void =>
      control({ do: "add_order", type: "spot", owner: OWNER, id: idOf(number), status });
    const isKnown = (number: number): boolean =>
      ask("GET", `/api/v1/order?orderId=${idOf(number)}&owner=${OWNER}`).status === 200;
    control({ do: "set_order", id: DEFAULT_LIQUIDATIONS[0], status: "SETTLED" });
    control({ do: "add_order", type: "spot", owner: OWNER, id: ID, status: "NEW", stuck: true });
    // With the two liquidation orders and the open one, that is all that there is room for.
    const room = 2_000 - DEFAULT_LIQUIDATIONS.length - 1;
    for (let number = 1; number <= room; number += 1) add(number, "SETTLED");
    expect(isKnown(1)).toBe(true);
    add(room + 1, "FAILED");
    expect([1, 2, room + 1].map(isKnown)).toEqual([false, true, true]);
    add(room + 2, "NEW");
    expect([2, 3, room + 2].map(isKnown)).toEqual([false, true, true]);
    // What is over and a liquidation stays, and so does what is open, though both are older.
    const liquidation = `/api/v1/order/liquidation?orderId=${DEFAULT_LIQUIDATIONS[0]}`;
    expect(ask("GET", liquidation).body.order.status).toBe("SETTLED");
    expect(ask("GET", `/api/v1/order?orderId=${ID}&owner=${OWNER}`).status).toBe(200);
    const criteria = { address: OWNER, limit: 3_000 };
    expect(ask("POST", "/api/v1/order/history", criteria).body).toHaveLength(room + 1);
  });

  it("filters the history by address, assets, time and limit", () => {
    const { ask, control, wait } = drive({ scenario: quiet });
    const add = (pair: string, type = "spot") =>
      control({ do: "add_order", type, pair, owner: OWNER });
    add("ORN-USDT");
    wait(60_000);
    add("ETH-USDT");
    add("ETH-USDT", "futures");
    control({ do: "add_order", type: "spot", owner: DEFAULT_SENDERS[1] });
    const found = (criteria: object, area = "order"): string[] =>
      ask("POST", `/api/v1/${area}/history`, { address: OWNER, ...criteria }).body.map(
        (order: { assetPair: string }) => order.assetPair,
      );
    expect(found({})).toEqual(["ETH-USDT", "ORN-USDT"]);
    expect(found({ limit: 1 })).toEqual(["ETH-USDT"]);
    expect(found({ baseAsset: "ORN" })).toEqual(["ORN-USDT"]);
    expect(found({ baseAsset: assetAddress("ORN"), quoteAsset: "USDT" })).toEqual(["ORN-USDT"]);
    expect(found({ quoteAsset: "NONE" })).toEqual([]);
    expect(found({ startTime: START + 1 })).toEqual(["ETH-USDT"]);
    expect(found({ endTime: START })).toEqual(["ORN-USDT"]);
    expect(found({}, "order/futures")).toEqual(["ETH-USDT"]);
    expect(ask("POST", "/api/v1/order/history", {}).status).toBe(400);
  });
});

describe("liquidation orders and forced cancellation", () => {
  const [id] = DEFAULT_LIQUIDATIONS;
  const path = `/api/v1/order/liquidation?orderId=${id}`;

  it("lets a liquidation order go its way within five minutes", () => {
    const driver = drive();
    expect(statusesOf(driver, path, 300)).toEqual([
      "NEW",
      "ACCEPTED",
      "PARTIALLY_FILLED",
      "FILLED",
      "TX_PENDING",
      "SETTLED",
    ]);
  });

  it("keeps a frozen one in its status until it is released or cancelled", () => {
    const { ask, control, get, wait } = drive();
    control({ do: "freeze_order", id });
    const { status } = get(path).order;
    wait(3_600_000);
    expect(get(path).order.status).toBe(status);
    expect(ask("DELETE", `/api/v1/order/force/${id}`, undefined, KEY).status).toBe(200);
    expect(get(path).order.status).toBe("CANCELED");
    control({ do: "release_order", id });
    wait(3_600_000);
    expect(get(path).order.status).toBe("CANCELED");
  });

  it("cancels by force only with the key: 401 without, 403 with a wrong one", () => {
    const { ask, get } = drive();
    const force = (headers: Record<string, string>, order: string = id) =>
      ask("DELETE", `/api/v1/order/force/${order}`, undefined, headers).status;
    expect(force({})).toBe(401);
    expect(force({ "x-api-key": "" })).toBe(401);
    expect(force({ "x-api-key": "simulator-keys" })).toBe(403);
    expect(get(path).order.status).toBe("NEW");
    expect(force(KEY, ID)).toBe(404);
    expect(force(KEY)).toBe(200);
    expect(force(KEY)).toBe(409);
  });

  it("does not cancel what is filled already", () => {
    const { ask, control } = drive();
    control({ do: "set_order", id, status: "TX_PENDING" });
    expect(ask("DELETE", `/api/v1/order/force/${id}`, undefined, KEY).body.error.code).toBe(1002);
  });
});
