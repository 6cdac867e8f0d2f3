/** Tests src/pollers/poller.ts: wide pollers. */
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/aggregator/endpoints/index.ts";
import type { Lookup, SeenEntity } from "../../src/domain/entity.ts";
import { brokerAssetKind } from "../../src/pollers/brokers.ts";
import { withEstimate } from "../../src/pollers/estimations.ts";
import { pollersByName } from "../../src/pollers/index.ts";
import { NOTHING_WATCHED, type WatchList } from "../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../src/pollers/status-words.ts";

function read(name: string, watch: WatchList, replies: readonly Reply[], at = 0) {
  const poller = pollersByName.get(name);
  const surface = poller?.plan(watch)[at];
  if (poller === undefined || surface === undefined) throw new Error(`nothing to ask of ${name}`);
  return poller.read(surface, replies, { watch, statuses: DEFAULT_STATUSES });
}

const looking = (entities: Record<string, readonly object[] | undefined>): Lookup => ({
  one: (kind) => entities[kind]?.[0] as ReturnType<Lookup["one"]>,
  all: (kind) => entities[kind] as ReturnType<Lookup["all"]>,
});

describe("markets", () => {
  const asksOf = (markets: WatchList["markets"]) =>
    pollersByName
      .get("markets")
      ?.plan({ ...NOTHING_WATCHED, markets })
      .flatMap(({ requests }) => requests);

  it("asks for settings in the three forms of the interface", () => {
    expect(asksOf([])?.at(-1)).toEqual({ endpoint: "exchangeInfo", args: {} });
    expect(
      asksOf([{ exchange: "OKX" }, { pair: "A-B" }, { pair: "A-B", exchange: "OKX" }])?.slice(2),
    ).toEqual([
      { endpoint: "exchangeInfo", args: { exchange: "OKX" } },
      { endpoint: "pairInfo", args: { pair: "A-B" } },
      { endpoint: "pairOnExchange", args: { pair: "A-B", exchange: "OKX" } },
    ]);
  });

  it("takes the pairs from the list, and of the details only what is listed", () => {
    const reading = read("markets", NOTHING_WATCHED, [
      { endpoint: "pairs", value: ["A-B", "C-D"] },
      { endpoint: "pairsDetailed", value: [{ name: "A-B", price: 2, volume: 5 }, { name: "X-Y" }] },
    ]);
    expect(reading).toMatchObject({
      complete: true,
      entities: [
        { kind: "market", id: "A-B", facts: { status: "listed", price: 2, volume: 5 } },
        { kind: "market", id: "C-D", facts: { pair: "C-D", status: "listed", listed: true } },
      ],
    });
  });

  it("tells every setting in one text, so that a change of any is seen", () => {
    const value = [{ name: "A-B", minQty: 1, qtyPrecision: 2 }];
    const all = read("markets", NOTHING_WATCHED, [{ endpoint: "exchangeInfo", value }], 1);
    expect(all).toMatchObject({
      entities: [{ id: "A-B", facts: { status: "min_quantity=1 quantity_precision=2" } }],
    });
  });

  it("takes no pair with an @ in its name for one of an exchange", () => {
    const value = [{ name: "A@OKX" }, { name: "A%40OKX" }];
    const all = read("markets", NOTHING_WATCHED, [{ endpoint: "exchangeInfo", value }], 1);
    expect(all).toMatchObject({
      entities: [
        { id: "A%40OKX", facts: { pair: "A@OKX" } },
        { id: "A%2540OKX", facts: { pair: "A%40OKX" } },
      ],
    });
  });

  it("names the settings of a pair on an exchange apart from those over all", () => {
    const watch = { ...NOTHING_WATCHED, markets: [{ pair: "A-B", exchange: "OKX" }] };
    const own = read("markets", watch, [{ endpoint: "pairOnExchange", value: { name: "A-B" } }], 1);
    expect(own).toMatchObject({ entities: [{ id: "A-B@OKX", facts: { exchange: "OKX" } }] });
    const other = [{ endpoint: "pairOnExchange" as const, value: { name: "C-D" } }];
    expect(read("markets", watch, other, 1)).toMatchObject({
      ok: false,
      failure: { reason: "mismatch", message: expect.stringContaining("A-B") },
    });
  });
});

describe("estimations", () => {
  it("asks with the configured trade, for all pools or for each that is watched", () => {
    const plan = pollersByName.get("estimations")?.plan;
    expect(plan?.(NOTHING_WATCHED)[0]?.requests[0]?.args).toEqual({ amount: "1", side: "SELL" });
    const pools = [{ factory: "F", pair: "A-B" }];
    const estimation = { amount: 5, side: "BUY" as const };
    expect(plan?.({ ...NOTHING_WATCHED, pools, estimation })).toEqual([
      {
        name: "F/A-B",
        requests: [
          {
            endpoint: "poolEstimation",
            args: { factory: "F", pair: "A-B", amount: "5", side: "BUY" },
          },
        ],
      },
    ]);
  });

  it.each([
    { side: "SELL", amount: 1, estimate: 10, departure: 0 },
    { side: "SELL", amount: 1, estimate: 9, departure: 0.1 },
    { side: "BUY", amount: 1, estimate: 1000 / 98, departure: 0 },
    { side: "BUY", amount: 1, estimate: 2000 / 98, departure: 1 },
  ])("are $departure away from the reserves for $side at $estimate", (found) => {
    const { departure, ...own } = found;
    const facts = withEstimate(
      { name: "F/A-B", base: 99, quote: 1000 },
      looking({ estimation: [own] }),
    );
    expect(facts["estimate"]).toBe(found.estimate);
    expect(facts["estimate_departure"]).toBeCloseTo(departure, 10);
  });

  it("say nothing of a pool that is empty, or that has less than is asked for", () => {
    const own = { side: "BUY", amount: 100, estimate: 5 };
    for (const [base, quote] of [
      [99, 1000],
      [0, 0],
      [100, 1000],
    ]) {
      const pool = { name: "F/A-B", base: base ?? 0, quote: quote ?? 0 };
      expect(withEstimate(pool, looking({ estimation: [own] }))).not.toHaveProperty(
        "estimate_departure",
      );
    }
    const pool = { name: "F/A-B", base: 1, quote: 1 };
    expect(withEstimate(pool, looking({}))).toEqual(pool);
  });

  it.each([
    { reserves: { base: 99, quote: 1.7e308 }, estimate: 1.7e306 },
    { reserves: { base: 1.7e308, quote: 1e-16 }, estimate: 5 },
  ])("say no departure if it is beyond every number: $reserves", ({ reserves, estimate }) => {
    const own = { side: "SELL", amount: 1_000, estimate };
    const pool = { name: "F/A-B", ...reserves };
    expect(withEstimate(pool, looking({ estimation: [own] }))).toEqual({ ...pool, estimate });
  });
});

describe("brokers", () => {
  it("are counted by broker and by asset, an address in any case being one", () => {
    const value = [
      { broker: "0xA", asset: "BNB", amount: 3 },
      { broker: "0xa", asset: "ETH", amount: 0 },
      { broker: "0xB", asset: "BNB", amount: 4 },
    ];
    expect(read("brokers", NOTHING_WATCHED, [{ endpoint: "brokerBalances", value }])).toMatchObject(
      {
        entities: [
          { kind: "broker", id: "0xa", facts: { assets: 1, empty_assets: 1 } },
          { kind: "broker", id: "0xb", facts: { assets: 1, empty_assets: 0 } },
          { kind: "broker_asset", id: "BNB", facts: { total: 7, largest: 4, brokers: 2 } },
          { kind: "broker_asset", id: "ETH", facts: { total: 0, largest: 0, brokers: 0 } },
        ],
      },
    );
  });

  const bnb = { asset: "BNB", total: 5 };
  const active = { active: true, redeem_asset: "BNB", redeem_amount: 2 };
  const enrich = (entities: Parameters<typeof looking>[0]) =>
    brokerAssetKind.enrich(bnb, looking({ sender: [{}], ...entities }));

  it("know what is in flight from the active swaps of the same asset", () => {
    const swap = [active, active, { ...active, redeem_asset: "ETH" }, { active: false }];
    expect(enrich({ swap })).toEqual({ ...bnb, in_flight: 4, in_flight_swaps: 2 });
    expect(enrich({ swap: [] })).toEqual({ ...bnb, in_flight: 0, in_flight_swaps: 0 });
  });

  it("know no sum that is beyond every number", () => {
    const value = ["0xA", "0xB"].map((broker) => ({ broker, asset: "BNB", amount: 1.7e308 }));
    const { entities } = read("brokers", NOTHING_WATCHED, [
      { endpoint: "brokerBalances", value },
    ]) as { readonly entities: readonly SeenEntity[] };
    expect(entities.find(({ id }) => id === "BNB")?.facts).toEqual({
      asset: "BNB",
      largest: 1.7e308,
      brokers: 2,
    });
    const swap = [1.7e308, 1.7e308].map((amount) => ({ ...active, redeem_amount: amount }));
    expect(enrich({ swap })).toEqual({ ...bnb, in_flight_swaps: 2 });
  });

  it("know nothing of it while one swap is unsure, or no sender was read", () => {
    expect(enrich({ swap: undefined })).toEqual(bnb);
    expect(enrich({ swap: [active, { active: true, redeem_asset: "BNB" }] })).toEqual(bnb);
    expect(enrich({ swap: [active, { redeem_asset: "BNB", redeem_amount: 1 }] })).toEqual(bnb);
    expect(enrich({ sender: [], swap: [] })).toEqual(bnb);
  });
});
