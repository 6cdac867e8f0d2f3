import { describe, expect, it } from "vitest";
import { readEndpoints, type Reply } from "../../src/aggregator/endpoints/index.ts";
import { ordersPoller } from "../../src/pollers/orders.ts";
import { NOTHING_WATCHED, type WatchList } from "../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../src/pollers/status-words.ts";

const watch: WatchList = {
  ...NOTHING_WATCHED,
  orderStatuses: { spot: ["NEW", "FILLED"], futures: [] },
  orders: [
    { market: "spot", id: "0xAA", owner: "0x1", alias: "big" },
    { market: "futures", id: "0xAA" },
  ],
};

const order = (id: string, status: string) => ({ id, status });

function read(name: string, ...values: readonly (readonly [Reply["endpoint"], unknown])[]) {
  const surface = ordersPoller.plan(watch).find((one) => one.name === name);
  if (surface === undefined) throw new Error(`no surface ${name}`);
  const replies = values.map(([endpoint, value]) => ({ endpoint, value }) as Reply);
  return ordersPoller.read(surface, replies, { watch, statuses: DEFAULT_STATUSES });
}
const listed = (...lists: readonly (readonly unknown[])[]) =>
  read("spot", ...lists.map((list) => ["ordersByStatus", list] as const));

describe("orders", () => {
  it("are asked for by status, and each watched one by its id and owner", () => {
    expect(ordersPoller.plan(watch)).toEqual([
      {
        name: "spot",
        requests: [
          { endpoint: "ordersByStatus", args: { status: "NEW" } },
          { endpoint: "ordersByStatus", args: { status: "FILLED" } },
        ],
      },
      {
        name: "spot/0xaa",
        requests: [{ endpoint: "order", args: { orderId: "0xAA", owner: "0x1" } }],
      },
      { name: "futures/0xaa", requests: [{ endpoint: "futuresOrder", args: { orderId: "0xAA" } }] },
    ]);
    expect(ordersPoller.plan(NOTHING_WATCHED)).toEqual([]);
  });

  it("that moved on between two listings are where they were asked for last", () => {
    const reading = listed([order("0xB1", "NEW")], [order("0xb1", "FILLED")]);
    expect(reading).toMatchObject({
      complete: true,
      entities: [{ kind: "order", id: "spot/0xb1", facts: { status: "FILLED", open: true } }],
      contradictions: [{ kind: "order", id: "spot/0xb1", detail: "listed again as FILLED" }],
    });
    expect(listed([order("0xB1", "NEW")], [])).not.toHaveProperty("contradictions");
  });

  it("of a full listing may lack others, so nobody is concluded to be gone", () => {
    const full = Array.from({ length: 20 }, (_, index) => order(`0x${index}`, "NEW"));
    expect(listed(full, [])).toMatchObject({
      complete: false,
      doubt: { reason: "cut", detail: "NEW: 20 are shown, and there may be more" },
    });
    expect(listed(full.slice(1), [])).toMatchObject({ complete: true });
  });

  it("of a full listing may lack others, though one of the twenty repeats another", () => {
    const shown = Array.from({ length: 19 }, (_, index) => order(`0x${index}`, "NEW"));
    const decoded = readEndpoints.ordersByStatus.decode([...shown, order("0x18", "NEW")]);
    const reading = listed(decoded.ok ? decoded.value : [], []);
    expect(reading).toMatchObject({ complete: false, doubt: { reason: "cut" } });
    expect(reading.ok && reading.entities).toHaveLength(19);
    expect(reading).not.toHaveProperty("contradictions");
  });

  it("with another status than was asked for are a mismatch: the filter was not understood", () => {
    expect(listed([order("0xb1", "SETTLED")], [])).toMatchObject({
      ok: false,
      failure: { endpoint: "ordersByStatus", message: "$[0].status: expected NEW, as asked for" },
    });
  });

  it("that are watched are read by themselves, and not from the listing", () => {
    const reading = listed([order("0xaa", "NEW"), order("0xb1", "NEW")], []);
    expect(reading).toMatchObject({ entities: [{ id: "spot/0xb1" }] });
    expect(read("spot/0xaa", ["order", order("0xAA", "SETTLED")])).toMatchObject({
      complete: true,
      entities: [
        { id: "spot/0xaa", facts: { name: "big", status: "SETTLED", final: true, market: "spot" } },
      ],
    });
    expect(read("futures/0xaa", ["futuresOrder", order("0xAA", "ODD")])).toMatchObject({
      entities: [{ id: "futures/0xaa", facts: { market: "futures", status: "ODD" } }],
    });
  });

  it("of another id than was asked for are a mismatch", () => {
    expect(read("spot/0xaa", ["order", order("0xbb", "NEW")])).toMatchObject({
      ok: false,
      failure: { reason: "mismatch" },
    });
  });
});
