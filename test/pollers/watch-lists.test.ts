/** Tests src/pollers/poller.ts: what finds entries of watch lists, in the pollers that have such lists. */
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/aggregator/endpoints/index.ts";
import { pollers } from "../../src/pollers/index.ts";
import { NOTHING_WATCHED, type WatchList } from "../../src/pollers/poller.ts";
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
