import { describe, expect, it } from "vitest";
import { distributionOf } from "../../bench/detect-to-act/distribution.ts";
import { seriesOf } from "../../bench/scrape.ts";
import { scenarios, type Sizes } from "../../bench/scenarios.ts";
import { grouped, significant, table } from "../../bench/table.ts";

const tiny = {
  senders: 3,
  swapsEach: 2,
  pools: 4,
  pairs: 5,
  sweeps: 2,
  everySeconds: 1,
  heapMb: 256,
  history: true,
};

const TINY: Sizes = {
  entities: [10],
  changedRows: [1],
  commits: 2,
  senders: 10,
  fleet: 12,
  days: 0.01,
  swept: 20,
  watchedMs: 1_000,
  disabledPairs: 5,
  vanished: 50,
  jumps: [60_000],
  trials: 1,
  slowTrials: 1,
  starts: 1,
  seeds: 1,
  scale: tiny,
  activeScale: { ...tiny, history: false },
  smallScale: tiny,
  waiting: { waiting: [1, 3], events: 6 },
  shards: { senders: [40], replicas: 2, shards: 2, lease: "3s" },
  rounds: { warmUps: 0, rounds: 1 },
};

describe("the benchmarks", () => {
  // One needs Prometheus and Alertmanager: test/e2e runs it where they are.
  const { "detect-to-act": _, "detect-to-act-usual": __, ...alone } = scenarios;

  it.each(Object.entries(alone))("still run: %s", async (name, run) => {
    const rows = await run(TINY);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row.name).toMatch(new RegExp(`^${name}: `));
      expect(row.ours).toMatch(/\d/);
      expect(row.baseline).toMatch(/\d/);
    }
  });

  it("print a table that is Markdown", () => {
    const row = { name: "a", size: 1_000, ours: "2 ms", baseline: "1 ms", ratio: 2, note: "" };
    const lines = table([row]).split("\n");
    expect(lines.map((line) => line.split("|").length)).toEqual([8, 8, 8]);
    expect(lines[2]).toContain("1 000");
    expect(lines[2]).toContain("2.00");
  });

  it("write three digits that matter", () => {
    expect([0.012_345, 4.5678, 78.94, 12_345].map(significant)).toEqual([
      "0.0123",
      "4.57",
      "78.9",
      "12 300",
    ]);
    expect(grouped(1_234_567)).toBe("1 234 567");
  });

  it("tell a distribution by values that were measured", () => {
    const thirty = Array.from({ length: 30 }, (_, index) => 30 - index);
    expect(distributionOf(thirty)).toEqual({ min: 1, median: 15, p95: 29, max: 30 });
    expect(distributionOf([7])).toEqual({ min: 7, median: 7, p95: 7, max: 7 });
    expect(() => distributionOf([])).toThrow("nothing was measured");
  });

  it("read every series of a page", () => {
    const page = `# HELP a b\na{x="1",le="+Inf"} 2\nb 0.5\n`;
    expect(seriesOf(page)).toEqual([
      { name: "a", labels: { x: "1", le: "+Inf" }, value: 2 },
      { name: "b", labels: {}, value: 0.5 },
    ]);
  });
});
