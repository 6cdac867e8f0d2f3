import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBrowser, openPage, startBrowser } from "./browser.ts";
import { until } from "./until.ts";
import { startDemo } from "./start-demo.ts";
import type { Demo } from "./start-demo.ts";

const browserPath = findBrowser("the page in a browser");

describe.skipIf(browserPath === undefined)("the console in a browser", () => {
  let demo: Demo;
  let browser: Browser;

  beforeAll(async () => {
    demo = await startDemo();
    browser = await startBrowser(browserPath);
  });

  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  it("shows an exchange that was disabled, by itself, and complains of nothing", async () => {
    const { page, complaints } = await openPage(browser);

    await page.goto(demo.url);
    await page.getByRole("heading", { name: "aggwatch" }).waitFor();
    await page.getByText("actions: shadow").waitFor();

    await page.goto(`${demo.url}/#/entities?kind=exchange`);
    const row = page.getByRole("row").filter({ hasText: "BINANCE" });
    await row.first().waitFor();
    const disabled = row.filter({
      has: page.getByRole("cell", { name: "disabled", exact: true }),
    });
    expect(await disabled.count()).toBe(0);

    const reply = await fetch(`${demo.simulatorUrl}/api/v1/exchange/toggle/BINANCE`, {
      method: "DELETE",
    });
    expect(reply.status).toBe(200);

    // The page asks again without a key being pressed.
    await disabled.first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("says of each poll how it went to who uses the keyboard, and to who points at it", async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(demo.url);
    const bars = page.getByRole("slider", { name: /polls of exchanges: 0 not complete/ });
    await bars.waitFor();
    await until("there are three polls", async () =>
      Number(await bars.getAttribute("aria-valuemax")) >= 3 ? true : undefined,
    );
    const told = page.locator(".beats").filter({ has: bars }).locator(".bubble");
    expect(await told.count()).toBe(0);

    await bars.focus();
    const newest = await told.textContent();
    expect(newest).toMatch(/, complete, \d+ ms$/);
    await page.keyboard.press("ArrowLeft");
    const before = await told.textContent();
    expect(before).not.toBe(newest);
    expect(await bars.getAttribute("aria-valuetext")).toBe(before);
    await page.keyboard.press("Home");
    expect(await bars.getAttribute("aria-valuenow")).toBe("1");
    await page.keyboard.press("Tab");
    await told.waitFor({ state: "detached" });

    await bars.hover({ position: { x: 238, y: 12 } });
    expect(await told.textContent()).toMatch(/, complete, \d+ ms$/);
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("moves and zooms the timeline from the keyboard, and keeps what is shown in the address", async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(`${demo.url}/#/timeline`);
    const chart = page.getByRole("group", { name: /^Lifetimes/ });
    await chart.waitFor();
    const shown = async (): Promise<string> =>
      String(await chart.getByRole("img").getAttribute("aria-label"));
    await page.getByRole("button", { name: "The last 1h" }).click();
    await page.waitForURL(/last=1h/);
    expect(await shown()).toContain("1h long");
    await chart.focus();
    await page.keyboard.press("+");
    expect(await shown()).toContain("30m long");
    const before = await shown();
    await page.keyboard.press("ArrowLeft");
    expect(await shown()).not.toBe(before);
    await page.keyboard.press("End");
    const last = await shown();
    await page.keyboard.press("ArrowRight");
    // Nothing is shown that is yet to come, though the present moves on.
    expect(Date.parse(instantIn(await shown())) - Date.parse(instantIn(last))).toBeLessThan(60_000);

    await page.keyboard.press("ArrowLeft");
    const linked = instantIn(await shown());
    await until("the address names it", () =>
      page.url().includes(encodeURIComponent(new Date(linked).toISOString().slice(0, 17)))
        ? true
        : undefined,
    );
    const { page: other } = await openPage(browser);
    await other.goto(page.url());
    await other.getByRole("img", { name: instantText(linked) }).waitFor();
    // What else changes the address changes what is shown.
    await other.getByRole("link", { name: "Clear" }).click();
    await other.getByRole("img", { name: instantText(linked) }).waitFor({ state: "detached" });
    await other.goBack();
    await other.getByRole("img", { name: instantText(linked) }).waitFor();
    await other.close();
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("lists what was sent, by the filters of the address", async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(`${demo.url}/#/remediations?state=verified`);
    await page.getByText("0 remediations").waitFor();
    expect(await page.getByLabel("Outcome").inputValue()).toBe("verified");
    await page.close();
    expect(complaints).toEqual([]);
  });
});

/** When a span begins that is written as `… from 2026-01-31 12:00:00 UTC, 1h long`. */
function instantIn(label: string): string {
  return /from (.*),/.exec(label)?.[1] ?? "";
}

function instantText(written: string): RegExp {
  return new RegExp(written.replace("+", String.raw`\+`));
}
