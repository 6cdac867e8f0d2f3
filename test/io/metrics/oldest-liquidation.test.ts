/** Tests src/io/metrics: oldest liquidation. */
import { describe, expect, it } from "vitest";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { SECOND } from "../../../src/domain/time.ts";
import { policyOf, rule } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import { Scraped } from "./scrape.ts";

const FAMILY = "aggwatch_oldest_open_liquidation_since_timestamp_seconds";

const order = (id: string, status: string, final?: boolean): SeenEntity => ({
  kind: "liquidation",
  id,
  facts: { order_id: id, name: id, status, ...(final === undefined ? {} : { final }) },
});

/** All watched orders are read, one surface each. Gives the instant of that, in seconds. */
function reading(scraped: Scraped, ...orders: readonly SeenEntity[]): number {
  const parts = orders.map((seen) => partOf(seen.id, scraped.now, [seen]));
  scraped.tells(observed("liquidations", parts));
  return scraped.now / SECOND;
}

describe("the oldest open liquidation order", () => {
  const started = (): Scraped => {
    const policy = policyOf([rule({ alert: "LiquidationStuck", kind: "liquidation" })]);
    return new Scraped(policy).tells({ type: "started" });
  };
  const open = (id: string, status: string): SeenEntity => order(id, status, false);

  it("is told for each status, as the instant since when it has it", async () => {
    const scraped = started();
    const first = reading(scraped, open("a", "ROUTING"));
    const second = reading(scraped, open("a", "ROUTING"), open("b", "ROUTING"), open("c", "NEW"));
    expect(await scraped.series(FAMILY)).toEqual([`bsc,ROUTING ${first}`, `bsc,NEW ${second}`]);
    // The first moves on, so that the second is the oldest of its status.
    const moved = reading(scraped, open("a", "FILLED"), open("b", "ROUTING"));
    expect(await scraped.series(FAMILY)).toEqual([`bsc,FILLED ${moved}`, `bsc,ROUTING ${second}`]);
  });

  it("is absent while none is open, or none is known to be", async () => {
    const scraped = started();
    reading(scraped, order("a", "SETTLED", true), order("b", "ODD"));
    expect(await scraped.series(FAMILY)).toEqual([]);
  });
});
