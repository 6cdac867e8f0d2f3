/** Tests src/pollers/poller.ts: what finds and reads entries of watch lists, in the pollers that have such lists. */
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/aggregator/endpoints/index.ts";
import { pollers } from "../../src/pollers/index.ts";
import { NOTHING_WATCHED } from "../../src/pollers/poller.ts";
import type { ListName, WatchList, WatchListOf } from "../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../src/pollers/status-words.ts";

/** A unit of senders may have ten thousand: what is done for each of them is not done for each with each. */
const MANY = 500;

/** Entries of a list, and how often one of them was looked at. */
function counted<Entry extends object>(entryOf: (id: string) => Entry) {
  let looks = 0;
  const entries = Array.from({ length: MANY }, (_, index) => {
    const handler: ProxyHandler<Entry> = {
      get: (entry, name) => {
        looks += 1;
        return Reflect.get(entry, name) as unknown;
      },
    };
    return new Proxy(entryOf(`0x${(index + 1).toString(16)}`), handler);
  });
  return { entries, looks: () => looks };
}

/** An answer that is right for none of them is judged by the same entry as one that is right for one. */
function readAll(name: string, watch: WatchList, valueOf: (surface: string) => unknown): void {
  const poller = pollers.find((one) => one.name === name);
  if (poller === undefined) throw new Error(`no poller ${name}`);
  const context = { watch, statuses: DEFAULT_STATUSES };
  for (const surface of poller.plan(watch)) {
    const [request] = surface.requests;
    if (!surface.name.includes("0x") || request === undefined) continue;
    const reply = { endpoint: request.endpoint, value: valueOf(surface.name) } as Reply;
    poller.read(surface, [reply], context);
    poller.missing?.(surface, context);
  }
}

const idOf = (surface: string): string => surface.slice(surface.indexOf("0x"));

describe("a poller goes through the entries of its list a few times, and not for each of them", () => {
  it.each(["swaps", "swap_history"])("%s", (name) => {
    const { entries, looks } = counted((address) => ({ address, alias: `desk ${address}` }));
    readAll(name, { ...NOTHING_WATCHED, senders: entries }, () => []);
    expect(looks()).toBeGreaterThan(MANY - 1);
    expect(looks()).toBeLessThan(10 * MANY);
  });

  it("orders", () => {
    const { entries, looks } = counted((id) => ({ market: "futures" as const, id, alias: id }));
    const order = (surface: string) => ({ id: idOf(surface), status: "NEW" });
    readAll("orders", { ...NOTHING_WATCHED, orders: entries }, order);
    expect(looks()).toBeLessThan(30 * MANY);
  });

  it("liquidations", () => {
    const { entries, looks } = counted((id) => ({ id, alias: id }));
    const order = (surface: string) => ({ id: idOf(surface), status: "NEW" });
    readAll("liquidations", { ...NOTHING_WATCHED, liquidations: entries }, order);
    expect(looks()).toBeLessThan(30 * MANY);
  });
});

type Items = { [List in ListName]: WatchList[List][number] };

describe("a target of a watch list", () => {
  const kindOf = (list: ListName) => {
    const found = pollers.find(({ watchList }) => watchList?.list === list)?.watchList;
    if (found === undefined) throw new Error(`no list ${list}`);
    return found as WatchListOf<ListName>;
  };

  it.each<[ListName, string, Partial<Items[ListName]>]>([
    ["senders", "0xAa", { address: "0xAa", alias: "0xAa" }],
    ["liquidations", "0x5F", { id: "0x5F", alias: "0x5F" }],
    ["pools", "OrionV2/ORN-USDT", { factory: "OrionV2", pair: "ORN-USDT" }],
    ["orders", "spot/0xA", { market: "spot", id: "0xA" }],
    ["orders", "futures/7/0xB", { market: "futures", id: "7", owner: "0xB" }],
  ])("of %s is read as an entry, and is the same again: %s", (list, target, item) => {
    const { kind, itemOf, targetOf, problemOf } = kindOf(list);
    expect(itemOf({ kind, target })).toEqual(item);
    expect(targetOf(itemOf({ kind, target }) as never)).toBe(target);
    expect(problemOf(target)).toBeUndefined();
    if (list !== "pools")
      expect(itemOf({ kind, target, alias: "desk" })).toEqual({ ...item, alias: "desk" });
  });

  it.each<[ListName, string]>([
    ["senders", "0x a"],
    ["senders", `0x${"a".repeat(39)}`],
    ["senders", `0x${"A".repeat(41)}`],
    ["liquidations", "0x 5"],
    ["pools", "OrionV2"],
    ["pools", "OrionV2/ORN/USDT"],
    ["orders", "spot"],
    ["orders", "margin/7"],
    ["orders", "my-spot/7"],
    ["orders", "spot/7/0xB/x"],
    ["orders", "spot/7 8"],
  ])("of %s is refused: %s", (list, target) => {
    expect(kindOf(list).problemOf(target)).toMatch(/^must /);
  });

  it.each([
    `0x${"a".repeat(40)}`,
    `0x${"a".repeat(38)}`,
    `x0x${"a".repeat(39)}`,
    `0x${"a".repeat(39)}z`,
  ])("of senders may be an address of any network: %s", (target) => {
    expect(kindOf("senders").problemOf(target)).toBeUndefined();
  });
});

describe("an entry that the aggregator does not know", () => {
  const watch: WatchList = {
    ...NOTHING_WATCHED,
    senders: [{ address: "0xA", alias: "desk" }],
    liquidations: [{ id: "0xF1", alias: "big" }, { id: "0xF2" }],
    orders: [{ market: "futures", id: "0xC", alias: "hedge" }],
  };
  const missingOf = (name: string): unknown => {
    const poller = pollers.find((one) => one.name === name);
    const context = { watch, statuses: DEFAULT_STATUSES };
    return poller?.plan(watch).flatMap((surface) => poller.missing?.(surface, context) ?? []);
  };

  it("is an entity that is missing, by its name", () => {
    expect(missingOf("swaps")).toEqual([
      { kind: "sender", id: "0xa", facts: { address: "0xa", alias: "desk", missing: true } },
    ]);
    expect(missingOf("liquidations")).toEqual([
      {
        kind: "liquidation",
        id: "0xf1",
        facts: { order_id: "0xF1", name: "big", missing: true },
      },
      {
        kind: "liquidation",
        id: "0xf2",
        facts: { order_id: "0xF2", name: "0xF2", missing: true },
      },
    ]);
    expect(missingOf("orders")).toEqual([
      {
        kind: "order",
        id: "futures/0xc",
        facts: { order_id: "0xc", name: "hedge", market: "futures", missing: true },
      },
    ]);
  });
});
