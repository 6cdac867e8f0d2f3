import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { metricDescriptions, metricsTable } from "../../tools/describe-metrics.ts";
import { policyOf } from "../core/fixtures.ts";
import { parseExposition } from "../io/metrics/exposition.ts";
import { Scraped } from "../io/metrics/scrape.ts";

const DOCUMENT = join(import.meta.dirname, "../../docs/metrics.md");
const BEGIN = "<!-- begin: made from src/io/metrics by `UPDATE_DOCS=1 npm test` -->";
const END = "<!-- end -->";

describe("the description of the metrics", () => {
  it("is that of docs/metrics.md (UPDATE_DOCS=1 writes it there)", () => {
    const text = readFileSync(DOCUMENT, "utf8");
    const start = text.indexOf(BEGIN) + BEGIN.length;
    const end = text.indexOf(END);
    expect(start, "docs/metrics.md has lost its marks").toBeLessThan(end);
    const table = `\n\n${metricsTable()}\n\n`;
    if (process.env["UPDATE_DOCS"] === "1") {
      writeFileSync(DOCUMENT, text.slice(0, start) + table + text.slice(end));
      return;
    }
    expect(text.slice(start, end)).toBe(table);
  });

  it("is true of a scrape: the same names, types and helps", async () => {
    const families = parseExposition(await new Scraped(policyOf([])).text());
    const own = [...families.values()].filter(({ name }) => name.startsWith("aggwatch_"));
    expect(own.map(({ name, type, help }) => ({ name, type, help })).toSorted(byName)).toEqual(
      metricDescriptions.map(({ name, type, help }) => ({ name, type, help })),
    );
  });

  it("names every metric that the document's prose speaks of", () => {
    const text = readFileSync(DOCUMENT, "utf8");
    const known = new Set(metricDescriptions.flatMap(({ name }) => [name, `${name}_bucket`]));
    const spoken = text.match(/\baggwatch_[a-z_]+/g) ?? [];
    expect(spoken.filter((name) => !known.has(name))).toEqual([]);
  });

  it("is made of sentences", () => {
    for (const { name, help } of metricDescriptions) {
      expect(help, name).toMatch(/^[A-Z0-9].*\.$/);
      expect(help, name).not.toContain("|");
    }
  });
});

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}
