import { describe, expect, it } from "vitest";
import type { ListName } from "../../../src/pollers/poller.ts";
import { problemsOf } from "./settings-text.ts";

/** The problems of a config with these watch lists. */
function wrong(watch: object): readonly string[] {
  const aggregators = [{ base_url: "https://aggregator.example/bsc/backend", watch }];
  return problemsOf({ text: JSON.stringify({ aggregators }) }).map(
    ({ id, message }) => `${id}: ${message}`,
  );
}

/** Of each list: an entry, and the same entry written in another way, if there is one. */
const TWICE = {
  senders: [{ address: "0xAB" }, { address: "0xab" }],
  liquidations: [{ id: "0xAB" }, { id: "0xab" }],
  pools: ["OrionV2/A-B", { factory: "OrionV2", pair: "A-B" }],
  orders: ["12", { id: "12", owner: "0x1" }],
} satisfies Record<ListName, readonly unknown[]>;

/** Of each list whose entries have an alias: two of one alias. */
const ONE_ALIAS = {
  senders: [
    { address: "a", alias: "x" },
    { address: "b", alias: "x" },
  ],
  liquidations: [
    { id: "a", alias: "x" },
    { id: "b", alias: "x" },
  ],
  orders: [
    { id: "a", alias: "x" },
    { id: "b", alias: "x" },
  ],
} satisfies Record<Exclude<ListName, "pools">, readonly unknown[]>;

describe("the watch lists of a config", () => {
  it.each(Object.entries(TWICE))("hold no entry twice: %s", (list, entries) => {
    expect(wrong({ [list]: entries })).toEqual([expect.stringMatching(/occurs twice$/)]);
  });

  it.each(Object.entries(ONE_ALIAS))("give no two entries one alias: %s", (list, entries) => {
    expect(wrong({ [list]: entries })).toEqual(['config/duplicate: the alias "x" occurs twice']);
  });

  it("may use one alias for things of two kinds", () => {
    const { senders, orders } = ONE_ALIAS;
    expect(wrong({ senders: senders.slice(1), orders: orders.slice(1) })).toEqual([]);
  });

  it("have no order by the name that it has elsewhere, which would be another order's", () => {
    const message = "must have neither a slash nor white space";
    const aggregators = [
      { base_url: "https://aggregator.example/bsc/backend", watch: { orders: ["futures/123"] } },
    ];
    expect(problemsOf({ text: JSON.stringify({ aggregators }) })).toMatchObject([
      {
        message: `this entry ${message}`,
        hint: expect.stringContaining('{ id: "123", market: futures }'),
      },
    ]);
    expect(wrong({ orders: [{ id: "1/2", market: "futures" }, { id: "a b" }] })).toEqual([
      `config/bad-value: "id" ${message}`,
      `config/bad-value: "id" ${message}`,
    ]);
  });

  it("hold no market twice", () => {
    expect(wrong({ markets: ["A-B", { pair: "A-B" }, { pair: "A-B", exchange: "X" }] })).toEqual([
      'config/duplicate: the market "A-B@*" occurs twice',
    ]);
  });
});
