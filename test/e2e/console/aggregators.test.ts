import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBrowser, openPage, startBrowser } from "../browser.ts";
import { startDemo, type Demo } from "../start-demo.ts";
import { disableExchange } from "./demos.ts";

const browserPath = findBrowser("several aggregators in the console");

describe.skipIf(browserPath === undefined)("the console of two aggregators", () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    browser = await startBrowser(browserPath);
    demo = await startDemo({ names: ["bsc", "eth"] });
    await disableExchange(demo, "BINANCE");
  });

  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  it.each([
    ["alerts", "ExchangeDisabled"],
    ["entities?kind=exchange", "bad"],
  ])(
    "says in rows of %s on which one an entity is, and filters them by it",
    async (view, other) => {
      const { page, complaints } = await openPage(browser);
      page.setDefaultTimeout(30_000);
      await page.goto(`${demo.url}/#/${view}`);
      const rows = page.getByRole("row").filter({ hasText: "BINANCE" }).filter({ hasText: other });
      await rows.filter({ hasText: "on bsc" }).waitFor();
      await rows.filter({ hasText: "on eth" }).waitFor();
      await page.getByLabel("Aggregator").selectOption("eth");
      await rows.filter({ hasText: "on bsc" }).waitFor({ state: "detached" });
      await rows.filter({ hasText: "on eth" }).waitFor();
      expect(await rows.count()).toBe(1);
      expect(page.url()).toContain("aggregator=eth");
      await page.close();
      expect(complaints).toEqual([]);
    },
  );

  it("says in what a search finds on which one it is, and filters remediations by it", async () => {
    const { page } = await openPage(browser);
    page.setDefaultTimeout(30_000);
    await page.goto(`${demo.url}/#/remediations`);
    await page.getByLabel("Aggregator").selectOption("bsc");
    await page.waitForURL(/aggregator=bsc/);
    await page.getByRole("searchbox", { name: "Search" }).fill("BINANCE");
    await page.getByRole("link", { name: /^BINANCE exchange, bad on eth/ }).waitFor();
    await page.getByRole("link", { name: /on BINANCE on bsc/ }).waitFor();
    await page.close();
  });
});
