/** Tests src/io/report in a browser: the file of `backtest --html` and `simulate --html`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { renderReport } from "../../src/io/report/render.ts";
import { findTool } from "./tools.ts";

const browserPath = findTool(["chromium", "chromium-browser"], "reports in a browser");

const ORDER = `bsc/liquidation/0x${"8f".repeat(32)}`;
const LONG = `The slowest alert was LiquidationStuck, 43m50s after ${ORDER} went bad (seed 1).`;

const REPORT = {
  title: "Simulation",
  verdict: ["Held.", LONG],
  basis: [LONG],
  timeline: {
    title: "Timeline",
    from: 0,
    until: 100,
    label: (at: number) => `${at}s`,
    tracks: [{ name: "LiquidationStuck", spans: [{ from: 10, tone: "bad", text: ORDER }] }],
  },
  charts: [
    {
      title: "Alerts",
      bars: [{ name: "LiquidationStuck", parts: [{ count: 2, tone: "warn", what: "fired" }] }],
    },
  ],
  tables: [{ title: "All", heads: ["rule", "entity", "why"], rows: [["A", ORDER, LONG]] }],
} as const;

describe.skipIf(browserPath === undefined)("a report, opened from a file", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] });
  });
  afterAll(async () => await browser.close());

  it.each([
    [390, "light"],
    [390, "dark"],
    [1_280, "light"],
    [1_280, "dark"],
  ] as const)("fits %d px, %s, with letters that can be read, offline", async (width, scheme) => {
    const folder = mkdtempSync(join(tmpdir(), "aggwatch-report-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "report.html");
    writeFileSync(file, await renderReport(REPORT));
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      colorScheme: scheme,
      offline: true,
    });
    onTestFinished(async () => await context.close());
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    expect(asked).toEqual([pathToFileURL(file).href]);
    const shown = await page.evaluate<{
      wide: number;
      ink: string;
      paper: string;
      least: number;
    }>(`({
      wide: document.documentElement.scrollWidth,
      ink: getComputedStyle(document.body).color,
      paper: getComputedStyle(document.body).backgroundColor,
      least: Math.min(...[...document.querySelectorAll("svg text")].map((text) => text.getBoundingClientRect().height)),
    })`);
    expect(shown.wide).toBeLessThanOrEqual(width);
    expect(shown.least).toBeGreaterThan(8);
    expect(brightness(shown.ink) < brightness(shown.paper)).toBe(scheme === "light");
  });
});

function brightness(colour: string): number {
  return (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
}
