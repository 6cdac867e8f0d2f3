import fc from "fast-check";
import { expect, it } from "vitest";
import type { Facts, Lookup } from "../../src/domain/entity.ts";
import { brokerAssetKind } from "../../src/pollers/brokers.ts";

/** Tests src/pollers/brokers.ts: what is in flight of each asset. */

/** What it means, found for one asset by itself. */
function withInFlight(facts: Facts, lookup: Lookup): Facts {
  if ((lookup.all("sender") ?? []).length === 0) return facts;
  const swaps = lookup.all("swap")?.filter(({ active }) => active !== false);
  if (swaps === undefined) return facts;
  const needed = ["active", "redeem_asset", "redeem_amount"];
  if (swaps.some((swap) => needed.some((name) => swap[name] === undefined))) return facts;
  const own = swaps.filter((swap) => swap["redeem_asset"] === facts["asset"]);
  const inFlight = own.reduce((sum, swap) => sum + Number(swap["redeem_amount"]), 0);
  const known = Number.isFinite(inFlight) ? { in_flight: inFlight } : {};
  return { ...facts, ...known, in_flight_swaps: own.length };
}

const asset = fc.constantFrom("BNB", "ETH", "", "__proto__", "constructor");
const amount = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0.1, 0.2, 0.3));
const sure = { active: fc.boolean(), redeem_asset: asset, redeem_amount: amount };
const facts = (isSure: boolean): fc.Arbitrary<Facts> =>
  fc.record<Facts, keyof typeof sure>(
    sure,
    isSure ? {} : { requiredKeys: [] },
  ) as fc.Arbitrary<Facts>;
const listOf = (item: fc.Arbitrary<Facts>) =>
  fc.option(fc.array(item, { maxLength: 12 }), { nil: undefined, freq: 8 });

it("is for each of many assets what it is for one by itself", () => {
  const swaps = fc.oneof({ weight: 3, arbitrary: listOf(facts(true)) }, listOf(facts(false)));
  const senders = fc.option(fc.array(fc.constant({}), { maxLength: 2 }), { nil: undefined });
  const assets = fc.array(fc.record({ asset, total: amount }, { requiredKeys: ["total"] }));
  const property = fc.property(swaps, senders, assets, (swap, sender, own) => {
    const lookup: Lookup = {
      one: () => undefined,
      all: (kind) => (kind === "swap" ? swap : sender),
    };
    for (const one of own)
      expect(brokerAssetKind.enrich(one, lookup)).toStrictEqual(withInFlight(one, lookup));
  });
  fc.assert(property, { numRuns: 500, seed: 42 });
});
