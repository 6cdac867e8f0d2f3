import { describe, expect, it } from "vitest";
import type { MetricsSource, ScrapedMetric, Series } from "../../../src/io/metrics/definition.ts";
import { oneOf } from "../../../src/io/metrics/labels.ts";
import { createScrapeReader } from "../../../src/io/metrics/scrape-reader.ts";
import { shareRenderings } from "../../../src/io/metrics/metrics.ts";
import { emptyState } from "../../../src/core/state.ts";
import { toEnd } from "../../../src/domain/slices.ts";
import type { Change } from "../../../src/domain/step.ts";
import { policyOf } from "../../core/fixtures.ts";
import { sourceOf, textOf } from "./scrape.ts";

const touched = (kind: string): Change => ({ table: "entity", key: `bsc/${kind}/a/b`, value: {} });

class Reading {
  source: MetricsSource = sourceOf(policyOf([]));
  values = [1, 2];
  reads = 0;
  readonly reader = createScrapeReader();
  readonly metric: ScrapedMetric = {
    name: "a",
    help: "A.",
    type: "gauge",
    labels: [oneOf("n", [])],
    from: "scrape",
    kinds: ["pool", "pair"],
    read: () => this.series(),
  };

  *series(): Generator<Series | undefined> {
    this.reads += 1;
    for (const index of this.values.keys()) {
      yield [{ n: String(index) }, this.values[index] ?? 0];
      yield undefined;
    }
  }

  text(): string {
    return textOf(toEnd(this.reader.read(this.metric, this.source)).text);
  }
}

describe("a gauge that is read from entities", () => {
  it("is not read again until an entity of its kinds has changed", () => {
    const reading = new Reading();
    const first = reading.text();
    reading.reader.changed([touched("exchange"), { table: "alert", key: "pool", value: {} }]);
    expect(reading.text()).toBe(first);
    expect(reading.reads).toBe(1);
    reading.values = [5];
    reading.reader.changed([touched("pair")]);
    expect(reading.text()).toBe('a{n="0"} 5\n');
    expect(reading.reads).toBe(2);
  });

  it("is read again if the state was made again from the journal", () => {
    const reading = new Reading();
    reading.text();
    reading.source = { ...reading.source, state: emptyState() };
    reading.values = [7];
    expect(reading.text()).toBe('a{n="0"} 7\n');
  });

  it("is read in slices", () => {
    const reading = new Reading();
    const slices = reading.reader.read(reading.metric, reading.source);
    let count = 0;
    while (slices.next().done !== true) count += 1;
    expect([count, reading.reads]).toEqual([2, 1]);
  });

  it("tells how much it leaves out", () => {
    const reading = new Reading();
    reading.values = Array.from({ length: 10_003 }, () => 1);
    const { dropped } = toEnd(reading.reader.read(reading.metric, reading.source));
    expect(dropped).toBe(3);
    expect(reading.text().split("\n")).toHaveLength(10_001);
  });
});

describe("scrapes that come at once", () => {
  it("share one page of each format, and a later one has its own", async () => {
    const asked: string[] = [];
    let release = (): void => {};
    const render = shareRenderings(async (format: string) => {
      asked.push(format);
      await new Promise<void>((resolve) => (release = resolve));
      return Buffer.from(format);
    });
    const first = render("a");
    expect(render("a")).toBe(first);
    release();
    await first;
    const other = render("b");
    release();
    await other;
    const later = render("a");
    release();
    await later;
    expect(asked).toEqual(["a", "b", "a"]);
  });

  it("do not keep one that failed", async () => {
    let fails = true;
    const render = shareRenderings(async () => {
      if (fails) throw new Error("broken");
      return Buffer.from("page");
    });
    await expect(render("a")).rejects.toThrow("broken");
    fails = false;
    expect((await render("a")).toString()).toBe("page");
  });
});
