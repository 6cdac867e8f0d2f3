/** Tests src/pollers/poller.ts: when the schedule leaves out the slots of a poller. */
import { describe, expect, it } from "vitest";
import { exchangesPoller } from "../../src/pollers/exchanges.ts";
import { ordersPoller } from "../../src/pollers/orders.ts";
import { NOTHING_WATCHED, pausedUntil } from "../../src/pollers/poller.ts";

const orderStatuses = { spot: ["NEW"], futures: ["NEW", "FILLED"] };
const orders = ordersPoller.plan({ ...NOTHING_WATCHED, orderStatuses });
const exchanges = exchangesPoller.plan(NOTHING_WATCHED);

const pauses = (ends: Readonly<Record<string, number>>) => (endpoint: string) => ends[endpoint];
const [spot, futures] = orders.map(({ requests }) => requests[0]?.endpoint ?? "");

describe("a poller of which an aggregator asks to wait", () => {
  it("waits for the endpoint that is paused for longest, if all belong to one reading", () => {
    expect(pausedUntil(exchanges, pauses({ exchanges: 7, disabled: 9 }))).toBe(9);
    expect(pausedUntil(exchanges, pauses({ disabled: 9 }))).toBe(9);
    expect(pausedUntil(exchanges, pauses({}))).toBeUndefined();
  });

  it("goes on while one of its readings can be made, and waits for the first that can", () => {
    if (spot === undefined || futures === undefined) throw new Error("there are two markets");
    expect(pausedUntil(orders, pauses({ [futures]: 60 }))).toBeUndefined();
    expect(pausedUntil(orders, pauses({ [futures]: 60, [spot]: 5 }))).toBe(5);
  });

  it("does not wait if nothing is to be read", () => {
    expect(pausedUntil([], pauses({}))).toBeUndefined();
  });
});
