import { describe, expect, it } from "vitest";
import { readEndpoints } from "../../src/aggregator/endpoints/index.ts";
import { identifierKey } from "../../src/domain/identifier.ts";
import { pollersByName } from "../../src/pollers/index.ts";
import { NOTHING_WATCHED } from "../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../src/pollers/status-words.ts";

/** Names that a person, or a careless comparison, takes for one another. */
const TWINS = [
  ["another separator", "BTC-USDT", "BTC_USDT"],
  ["another case", "BTC-USDT", "btc-usdt"],
  ["another alphabet", "BTC-USDT", "\u0412\u0422\u0421-USDT"],
  ["an accent that is composed or not", "CAF\u00C9", "CAFE\u0301"],
  ["a space at the end", "OKX", "OKX "],
] as const;

describe("names that look alike", () => {
  it.each(TWINS)("%s: two exchanges, two pairs, two pools, two markets", (_what, one, other) => {
    const at = { watch: NOTHING_WATCHED, statuses: DEFAULT_STATUSES };
    const idsOf = (poller: string, replies: readonly object[], surface = 0) => {
      const found = pollersByName.get(poller);
      const asked = found?.plan(NOTHING_WATCHED)[surface];
      if (found === undefined || asked === undefined) throw new Error(poller);
      const reading = found.read(asked, replies as Parameters<typeof found.read>[1], at);
      return reading.ok ? reading.entities.map(({ id }) => id) : [];
    };
    const both = [one, other];
    const disabled = {
      exchanges: [],
      pairs: both.map((pair) => ({ exchange: "A", assetPair: pair })),
    };
    expect(
      idsOf("exchanges", [
        { endpoint: "exchanges", value: both },
        { endpoint: "disabled", value: disabled },
      ]),
    ).toEqual(expect.arrayContaining([...both, `A/${one}`, `A/${other}`]));
    const pools = both.map((pair) => ({ factory: "F", pair, a: 1, p: 1 }));
    expect(idsOf("pools", [{ endpoint: "reserves", value: pools }])).toEqual([
      `F/${one}`,
      `F/${other}`,
    ]);
    const configs = both.map((name) => ({ name }));
    expect(idsOf("markets", [{ endpoint: "exchangeInfo", value: configs }], 1)).toEqual(both);
  });

  it("a listing may hold both", () => {
    for (const [, one, other] of TWINS)
      expect(readEndpoints.exchanges.decode([one, other]).ok).toBe(true);
  });
});

describe("ids and addresses", () => {
  it("in hexadecimal are numbers, whatever their letters' case", () => {
    expect(identifierKey("0xAbC1")).toBe("0xabc1");
    expect(readEndpoints.ordersByStatus.decode([order("0xAB"), order("0xab")]).ok).toBe(false);
  });

  it.each([
    ["a letter's case", "order-A", "order-a"],
    ["the sign for kelvin", "\u212A1", "k1"],
    ["a number that is not marked as hexadecimal", "AB12", "ab12"],
  ])("of any other sort differ by %s, and each is asked for", (_what, one, other) => {
    expect(readEndpoints.ordersByStatus.decode([order(one), order(other)]).ok).toBe(true);
    const liquidations = [{ id: one }, { id: other }];
    const asked = pollersByName.get("liquidations")?.plan({ ...NOTHING_WATCHED, liquidations });
    expect(asked?.map(({ name }) => name)).toEqual([one, other]);
  });

  it("the answer about one is not taken for the other's", () => {
    const poller = pollersByName.get("liquidations");
    const watch = { ...NOTHING_WATCHED, liquidations: [{ id: "order-A" }] };
    const [surface] = poller?.plan(watch) ?? [];
    if (poller === undefined || surface === undefined) throw new Error("nothing is asked");
    const replies = [{ endpoint: "liquidation" as const, value: order("order-a") }];
    expect(poller.read(surface, replies, { watch, statuses: DEFAULT_STATUSES })).toMatchObject({
      ok: false,
      failure: { reason: "mismatch" },
    });
  });

  it("settings of a pair with an @ in its name are not those of a pair on an exchange", () => {
    const poller = pollersByName.get("markets");
    const idOf = (pair: string, exchange?: string) => {
      const markets = [exchange === undefined ? { pair } : { pair, exchange }];
      const watch = { ...NOTHING_WATCHED, markets };
      const surface = poller?.plan(watch)[1];
      const endpoint = exchange === undefined ? "pairInfo" : "pairOnExchange";
      if (poller === undefined || surface === undefined) throw new Error("nothing is asked");
      const value = { name: pair };
      const reading = poller.read(surface, [{ endpoint, value }], {
        watch,
        statuses: DEFAULT_STATUSES,
      });
      return reading.ok ? reading.entities[0]?.id : reading.failure.message;
    };
    expect(idOf("A-B", "OKX")).toBe("A-B@OKX");
    expect(new Set([idOf("A-B@OKX"), idOf("A-B", "OKX"), idOf("A-B%40OKX")]).size).toBe(3);
  });
});

function order(id: string) {
  return { id, status: "NEW" };
}
