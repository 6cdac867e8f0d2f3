import { describe, expect, it } from "vitest";
import type { MetricsSource, ScrapedMetric, Series } from "../../../src/io/metrics/definition.ts";
import { oneOf } from "../../../src/io/metrics/labels.ts";
import { type ScrapeReader, createScrapeReader } from "../../../src/io/metrics/scrape-reader.ts";
import { shareRenderings } from "../../../src/io/metrics/page.ts";
import { emptyState } from "../../../src/core/state.ts";
import type { Change } from "../../../src/domain/step.ts";
import { policyOf } from "../../core/fixtures.ts";

const touched = (kind: string): Change => ({ table: "entity", key: `bsc/${kind}/a/b`, value: {} });

/** Slices that are always over; `between` runs while the reading is interrupted. */
const interruptedBy = (between: () => void) => ({
  isOver: () => true,
  next: async () => between(),
});
const endless = { isOver: () => false, next: async () => {} };

class Reading {
  source: MetricsSource = {
    version: "",
    nodeVersion: "",
    policy: policyOf([]),
    state: emptyState(),
    journalWritable: true,
    reload: { successful: true, successAt: 0, hash: 1 },
    watched: () => [],
    slots: () => [],
    clients: () => [],
  };
  values = [1, 2];
  reads = 0;
  readonly reader = createScrapeReader(() => this.source);
  readonly metric: ScrapedMetric = {
    name: "a",
    help: "A.",
    type: "gauge",
    labels: [oneOf("n", [])],
    from: "scrape",
    kinds: () => [["pool", "pair"]],
    read: () => this.series(),
  };

  *series(): Generator<Series | undefined> {
    this.reads += 1;
    for (const index of this.values.keys()) {
      yield [{ n: String(index) }, this.values[index] ?? 0];
      yield undefined;
    }
  }

  async text(slice: Parameters<ScrapeReader["read"]>[1] = endless): Promise<string> {
    const parts = await this.reader.read(this.metric, slice);
    return Buffer.concat(parts.map(({ text }) => text)).toString();
  }
}

describe("a gauge that is read from entities", () => {
  it("is not read again until an entity of its kinds has changed", async () => {
    const reading = new Reading();
    const first = await reading.text();
    reading.reader.changed([touched("exchange"), { table: "alert", key: "pool", value: {} }]);
    expect(await reading.text()).toBe(first);
    expect(reading.reads).toBe(1);
    reading.values = [5];
    reading.reader.changed([touched("pair")]);
    expect(await reading.text()).toBe('a{n="0"} 5\n');
    expect(reading.reads).toBe(2);
  });

  it("is read again if the state was made anew from the journal", async () => {
    const reading = new Reading();
    await reading.text();
    reading.source = { ...reading.source, state: emptyState() };
    reading.values = [7];
    expect(await reading.text()).toBe('a{n="0"} 7\n');
  });

  it("yields to the event loop, and is of one instant if nothing happened meanwhile", async () => {
    const reading = new Reading();
    let slices = 0;
    expect(await reading.text(interruptedBy(() => (slices += 1)))).toBe('a{n="0"} 1\na{n="1"} 2\n');
    expect([slices, reading.reads]).toEqual([2, 1]);
  });

  it("is read anew without a pause if something happened while it was interrupted", async () => {
    const reading = new Reading();
    const happens = interruptedBy(() => {
      reading.values = reading.values.map((value) => value + 10);
      reading.reader.changed([touched("pool")]);
    });
    expect(await reading.text(happens)).toBe('a{n="0"} 11\na{n="1"} 12\n');
    expect(reading.reads).toBe(2);
    expect(await reading.text(), "what was read then is current").toBe(
      'a{n="0"} 11\na{n="1"} 12\n',
    );
  });

  it("tells how much it leaves out", async () => {
    const reading = new Reading();
    reading.values = Array.from({ length: 10_003 }, () => 1);
    const parts = await reading.reader.read(reading.metric, endless);
    expect(parts.map(({ dropped }) => dropped)).toEqual([3]);
    expect(
      Buffer.concat(parts.map(({ text }) => text))
        .toString()
        .split("\n"),
    ).toHaveLength(10_001);
  });
});

describe("scrapes that come at once", () => {
  it("share one page of each format, and a later one has its own", async () => {
    const asked: string[] = [];
    let release = (): void => {};
    const render = shareRenderings<string>(async (format) => {
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
    const render = shareRenderings<string>(async () => {
      if (fails) throw new Error("broken");
      return Buffer.from("page");
    });
    await expect(render("a")).rejects.toThrow("broken");
    fails = false;
    expect(Buffer.from(await render("a")).toString()).toBe("page");
  });
});
