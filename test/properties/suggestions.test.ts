import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEndpoints, type ReadEndpoint } from "../../src/aggregator/endpoints/index.ts";
import type { Json } from "../../src/domain/result.ts";
import { suggestMap } from "../../src/io/probe/suggest-map.ts";
import { readAs } from "../io/probe/read-as.ts";

/** A way in which a deployment may give a listing of records. */
type Shape = {
  readonly wrapped: readonly string[];
  readonly style: (name: string) => string;
  readonly byName: boolean;
  readonly extra: boolean;
  /** Another list beside it, with so many entries. */
  readonly beside: number;
};

const STYLES: readonly Shape["style"][] = [
  (name) => name,
  (name) => name.charAt(0).toUpperCase() + name.slice(1),
  (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  (name) => name.toUpperCase(),
];

const shape: fc.Arbitrary<Shape> = fc.record({
  wrapped: fc.constantFrom([], ["data"], ["result", "items"], ["my-data"]),
  style: fc.constantFrom(...STYLES),
  byName: fc.boolean(),
  extra: fc.boolean(),
  beside: fc.constantFrom(0, 0, 0, 2),
});

const ASSETS = ["ORN", "BNB", "ETH", "USDT", "BTC"];
const pairName = fc
  .tuple(fc.constantFrom(...ASSETS), fc.constantFrom(...ASSETS))
  .map(([base, quote]) => `${base}-${quote}`);
const exchangeName = fc.constantFrom("OKX", "BINANCE", "KUCOIN", "BYBIT", "GATEIO");
const price = fc.integer({ min: 1, max: 1_000 });
const unique = <Item>(item: fc.Arbitrary<Item>, keyOf: (item: Item) => string) =>
  fc.uniqueArray(item, { selector: keyOf, minLength: 1, maxLength: 6 });

/** The listings of what exists, in the default shape, and the fields that name an entry. */
const worlds: fc.Arbitrary<{
  readonly endpoint: ReadEndpoint;
  readonly entries: ReadonlyArray<Record<string, Json>>;
  readonly named: string;
}> = fc.oneof(
  unique(fc.record({ name: pairName, price, volume: price }), ({ name }) => name).map(
    (entries) => ({ endpoint: "pairsDetailed" as const, entries, named: "name" }),
  ),
  unique(
    fc.record({ factory: fc.constantFrom("F1", "F2"), pair: pairName, a: price, p: price }),
    ({ factory, pair }) => `${factory}/${pair}`,
  ).map((entries) => ({ endpoint: "reserves" as const, entries, named: "" })),
  unique(
    fc.record({ broker: exchangeName, asset: fc.constantFrom(...ASSETS), amount: price }),
    ({ broker, asset }) => `${broker}/${asset}`,
  ).map((entries) => ({ endpoint: "brokerBalances" as const, entries, named: "" })),
  unique(
    fc.record({ sender: exchangeName, status: fc.constant("ACTIVE"), hash: fc.uuid() }),
    ({ hash }) => hash,
  ).map((entries) => ({
    endpoint: "activeSwaps" as const,
    entries: entries.map(({ hash, ...rest }) => ({ ...rest, lockOrder: { secretHash: hash } })),
    named: "",
  })),
);

function styled(value: Json, style: Shape["style"]): Json {
  if (Array.isArray(value)) return value.map((item: Json) => styled(item, style));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [style(key), styled(inner, style)]),
  );
}

function bodyOf(
  entries: ReadonlyArray<Record<string, Json>>,
  named: string,
  { wrapped, style, byName, extra, beside }: Shape,
): Json {
  const said = entries.map((entry): Record<string, Json> =>
    extra ? { ...entry, note: "as-is" } : entry,
  );
  const listing: Json =
    byName && named !== ""
      ? Object.fromEntries(
          said.map(({ [named]: name, ...rest }) => [
            typeof name === "string" ? name : "",
            styled(rest, style),
          ]),
        )
      : said.map((entry) => styled(entry, style));
  const others = Array.from({ length: beside }, (_, index) => ({ other: `o${index}` }));
  if (wrapped.length === 0) return listing;
  const inner = { [wrapped.at(-1) ?? ""]: listing, ...(beside > 0 ? { others } : {}) };
  return wrapped
    .slice(0, -1)
    .reduceRight<Json>((value, key) => ({ [key]: value, success: true }), inner);
}

describe("a suggestion for a generated shape", () => {
  it("brings out every entry, and is not made if another list would be lost", async () => {
    let suggested = 0;
    let without = 0;
    await fc.assert(
      fc.asyncProperty(worlds, shape, async ({ endpoint, entries, named }, given) => {
        const { suggestion } = await suggestMap(
          { endpoint, instants: "milliseconds" },
          bodyOf(entries, named, given),
        );
        if (given.beside > 0 && given.wrapped.length > 0) {
          expect(suggestion).toBeUndefined();
          return;
        }
        if (suggestion === undefined) without += 1;
        else suggested += 1;
        if (suggestion === undefined) return;
        const read = await readAs(endpoint, bodyOf(entries, named, given));
        const expected = readEndpoints[endpoint].decode(entries);
        expect(read).toStrictEqual(expected.ok ? expected.value : undefined);
      }),
      { numRuns: 300 },
    );
    expect(without, `of ${suggested + without}`).toBe(0);
  });

  it("brings out every disabled exchange and pair", async () => {
    const disabled = fc.record({
      exchanges: fc.uniqueArray(exchangeName, { maxLength: 4 }),
      pairs: fc.uniqueArray(fc.record({ exchange: exchangeName, assetPair: pairName }), {
        selector: ({ exchange, assetPair }) => `${exchange}/${assetPair}`,
        maxLength: 4,
      }),
    });
    type Disabled = { exchanges: string[]; pairs: { exchange: string; assetPair: string }[] };
    const say: ReadonlyArray<(value: Disabled) => Json> = [
      ({ exchanges, pairs }) => ({ data: { exchanges, pairs } }),
      ({ exchanges, pairs }) => ({
        Exchanges: exchanges,
        Pairs: styled(pairs, STYLES[1] ?? String),
      }),
      ({ exchanges, pairs }) => ({
        disabled_exchanges: exchanges.map((exchangeName) => ({ exchangeName })),
        disabled_pairs: pairs.map(({ exchange, assetPair }) => ({
          venue: exchange,
          symbol: assetPair,
        })),
      }),
      ({ exchanges, pairs }) => [
        ...exchanges.map((exchange) => ({ exchange })),
        ...pairs.map(({ exchange, assetPair }) => ({ exchange, symbol: assetPair })),
      ],
      ({ exchanges, pairs }) => [
        ...exchanges.map((exchange) => ({ exchange, pair: null })),
        ...pairs.map(({ exchange, assetPair }) => ({ exchange, pair: assetPair })),
      ],
      ({ exchanges, pairs }) => [
        ...exchanges,
        ...pairs.map(({ exchange, assetPair }) => `${exchange}/${assetPair}`),
      ],
      ({ exchanges, pairs }) => ({
        exchanges,
        pairs: pairs.map(({ exchange, assetPair }) => `${exchange}:${assetPair}`),
      }),
    ];
    await fc.assert(
      fc.asyncProperty(disabled, fc.constantFrom(...say), async (value, said) => {
        const body = said(value);
        const { suggestion } = await suggestMap(
          { endpoint: "disabled", instants: "milliseconds" },
          body,
        );
        if (suggestion === undefined) return;
        const sorted = (names: readonly unknown[]) =>
          names.map((name) => JSON.stringify(name)).toSorted();
        const read = (await readAs("disabled", body)) as Disabled;
        expect(sorted(read.exchanges)).toStrictEqual(sorted(value.exchanges));
        expect(sorted(read.pairs)).toStrictEqual(sorted(value.pairs));
      }),
      { numRuns: 300 },
    );
  });
});
