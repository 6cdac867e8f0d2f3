/** Tests src/io/metrics: whether a poller reads anything, from the start on. */
import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/step.ts";
import { exchange, policyOf, rule } from "../../core/fixtures.ts";
import { observed, observedInPieces, partOf } from "../../core/readings.ts";
import { Scraped } from "./scrape.ts";

const started = (): Scraped => new Scraped(policyOf([rule()])).tells({ type: "started" });
const ofExchanges = async (scraped: Scraped): Promise<string[]> =>
  (await scraped.series("aggwatch_up")).filter((line) => line.includes("exchanges"));

const pieces = (scraped: Scraped): Event[] =>
  observedInPieces("exchanges", [
    [partOf("a", scraped.now, "failed")],
    [partOf("b", scraped.now, [exchange("B", "enabled")])],
    [partOf("c", scraped.now, [exchange("C", "enabled")])],
  ]);

describe("aggwatch_up", () => {
  it("is 1 as soon as a first sweep has read something, however long it goes on", async () => {
    const scraped = started();
    const seen: string[] = [];
    for (const piece of pieces(scraped)) seen.push(...(await ofExchanges(scraped.tells(piece))));
    expect(seen).toEqual(["bsc,exchanges 0", "bsc,exchanges 1", "bsc,exchanges 1"]);
  });

  it("begins with 0 after a restart, and is 1 in the first sweep after it", async () => {
    const scraped = started();
    scraped.tells(...pieces(scraped), { type: "started" });
    expect(await ofExchanges(scraped)).toEqual(["bsc,exchanges 0"]);
    scraped.tells(...pieces(scraped).slice(0, 2));
    expect(await ofExchanges(scraped)).toEqual(["bsc,exchanges 1"]);
  });

  it("is 0 in a sweep after one that read nothing, until its end", async () => {
    const scraped = started();
    scraped.tells(observed("exchanges", [partOf("b", scraped.now, "failed")]));
    const [first, second, last] = pieces(scraped);
    if (last === undefined || second === undefined || first === undefined) throw new Error("three");
    expect(await ofExchanges(scraped.tells(first, second))).toEqual(["bsc,exchanges 0"]);
    expect(await ofExchanges(scraped.tells(last))).toEqual(["bsc,exchanges 1"]);
  });
});
