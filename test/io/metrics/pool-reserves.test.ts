/** Tests src/io/metrics: the reserves of a pool. */
import { expect, it } from "vitest";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { policyOf, rule } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import { lint, parseExposition } from "./exposition.ts";
import { Scraped } from "./scrape.ts";

function pool(pair: string, assets: SeenEntity["facts"]): SeenEntity {
  const facts = { factory: "OrionV2", pair, ...assets, base: 12.5, quote: 0 };
  return { kind: "pool", id: `OrionV2/${pair}`, facts };
}

it("gives both reserves of a pool whose pair does not name two assets, each as a series", async () => {
  const policy = policyOf([rule({ alert: "PoolDrained", kind: "pool" })]);
  const scraped = new Scraped(policy).tells({ type: "started" });
  const unnamed = pool("ORN-USDT-LP", {});
  const same = pool("ORN-ORN", { base_asset: "ORN", quote_asset: "ORN" });
  scraped.tells(observed("pools", [partOf("all", scraped.now, [unnamed, same])]));
  expect(await scraped.series("aggwatch_pool_reserve_amount")).toEqual([
    "bsc,OrionV2,ORN-USDT-LP,base 12.5",
    "bsc,OrionV2,ORN-USDT-LP,quote 0",
    "bsc,OrionV2,ORN-ORN,base 12.5",
    "bsc,OrionV2,ORN-ORN,quote 0",
  ]);
  expect(lint(parseExposition(await scraped.text()))).toEqual([]);
});
