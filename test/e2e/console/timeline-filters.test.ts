import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBrowser, openPage, startBrowser } from "../browser.ts";
import { startDemo, type Demo } from "../start-demo.ts";
import { disableExchange, repairingDemo } from "./demos.ts";

const browserPath = findBrowser("the filters of the timeline in a browser");

const LONGEST_MS = 15_000;

describe.skipIf(browserPath === undefined)("a part of the timeline", () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    browser = await startBrowser(browserPath);
    demo = await startDemo(repairingDemo("act"));
    await disableExchange(demo, "BINANCE");
    const { page } = await openPage(browser);
    await page.goto(`${demo.url}/#/timeline?types=alert`);
    await page.getByRole("row").filter({ hasText: "resolved" }).waitFor();
    await page.close();
  });

  afterAll(async () => {
    await demo?.stop();
    await browser?.close();
  });

  it("draws no alert as firing of which only that was searched for", async () => {
    const { page, complaints } = await openPage(browser);
    page.setDefaultTimeout(LONGEST_MS);
    await page.goto(`${demo.url}/#/timeline`);
    const chart = page.getByRole("group", { name: /^Lifetimes/ });
    const lives = chart.locator("rect.firing");
    await lives.waitFor();
    const isOver = await isEnded(chart, lives);

    await page.getByLabel("Text").fill("firing");
    await page.getByText("1 finding", { exact: true }).waitFor();
    expect(await lives.count()).toBe(0);
    await page.getByText("No alert or poller to draw has these words in its name.").waitFor();

    await page.getByLabel("Text").fill("binance");
    await lives.waitFor();
    expect(await page.getByText("No alert or poller to draw").count()).toBe(0);
    expect([isOver, await isEnded(chart, lives)]).toEqual([true, true]);
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("has the restarts, which end what is known of pollers, if only polls are listed", async () => {
    const { page } = await openPage(browser);
    page.setDefaultTimeout(LONGEST_MS);
    await page.goto(`${demo.url}/#/timeline?types=polled`);
    const chart = page.getByRole("group", { name: /^Lifetimes/ });
    await page.getByRole("button", { name: "All that the journal keeps" }).click();
    await chart.getByText(/restart aggwatch started/).waitFor({ state: "attached" });
    expect(await page.getByRole("row").filter({ hasText: "restart" }).count()).toBe(0);
    await page.close();
  });

  it("goes on with the time if it is up to now", async () => {
    const { page, complaints } = await openPage(browser);
    page.setDefaultTimeout(LONGEST_MS);
    await page.goto(`${demo.url}/#/timeline`);
    await page.getByRole("button", { name: "The last 5m" }).click();
    await page.waitForURL(/last=5m/);
    await disableExchange(demo, "KUCOIN");
    const chart = page.getByRole("group", { name: /^Lifetimes/ });
    await chart.locator("text.name", { hasText: "KUCOIN" }).waitFor();
    await chart.getByRole("img", { name: /, 5m long$/ }).waitFor();
    // What is looked at in the past does not run away.
    await chart.press("ArrowLeft");
    await page.waitForURL(/from=.*until=/);
    expect(page.url()).not.toContain("last=");
    await chart.press("End");
    await page.waitForURL(/last=5m/);
    await page.close();
    expect(complaints).toEqual([]);
  });
});

/** If a life ends before the right edge, which is now. */
async function isEnded(chart: Locator, life: Locator): Promise<boolean> {
  const [whole, own] = [await chart.boundingBox(), await life.boundingBox()];
  if (whole === null || own === null) throw new Error("it is not drawn");
  return own.x + own.width < whole.x + whole.width - 2;
}
