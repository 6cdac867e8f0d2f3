import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findBrowser, openPage, startBrowser } from "../browser.ts";
import { startDemo, type Demo } from "../start-demo.ts";
import { operatedDemo } from "./demos.ts";
import { startProxy } from "./proxy.ts";

/** What is between the console and the daemon: requests that fail, proxies, clocks that differ, and many tabs. */

const browserPath = findBrowser("networks of the console");

const LONGEST_MS = 15_000;

describe.skipIf(browserPath === undefined)("the console", () => {
  let browser: Browser;
  let demo: Demo;
  beforeAll(async () => {
    browser = await startBrowser(browserPath);
    demo = await startDemo(operatedDemo(["operate"]));
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  const openAt = async (view: string, url = demo.url): Promise<Page> => {
    const { page } = await openPage(browser);
    page.setDefaultTimeout(LONGEST_MS);
    onTestFinished(async () => await page.close());
    await page.goto(`${url}/${view}`);
    return page;
  };

  it("reads a list again that was not answered, while changes of it come", async () => {
    const { page } = await openPage(browser);
    page.setDefaultTimeout(LONGEST_MS);
    onTestFinished(async () => await page.close());
    await page.route(/api\/v1\/entities\?/, async (route) => await route.abort());
    await page.goto(`${demo.url}/#/entities`);
    await page.locator(".banner").waitFor();
    await page.unroute(/api\/v1\/entities\?/);
    await page.getByRole("row").filter({ hasText: "BINANCE" }).first().waitFor();
    await page.locator(".banner").waitFor({ state: "detached" });
  });

  it.each(["entities", "entity/simulated/exchange/BINANCE"])(
    "reads %s again that was not answered, of the past as well",
    async (view) => {
      const { page } = await openPage(browser);
      page.setDefaultTimeout(LONGEST_MS);
      onTestFinished(async () => await page.close());
      const overview = await (await fetch(`${demo.url}/api/v1/overview`)).json();
      await page.route(/api\/v1\/entities/, async (route) => await route.abort());
      await page.goto(`${demo.url}/#/${view}?at=${(overview as { at: string }).at}`);
      const failed = page.getByText("Failed to fetch").or(page.locator("main .banner")).first();
      await page.waitForEvent("requestfailed");
      await page.unroute(/api\/v1\/entities/);
      await page.getByRole("row").filter({ hasText: "BINANCE" }).first().waitFor();
      await failed.waitFor({ state: "detached" });
    },
  );

  it("keeps the rows of a list, and an entity, while they cannot be read again", async () => {
    const page = await openAt("#/remediations");
    await page.getByText("0 remediations").waitFor();
    await page.goto(`${demo.url}/#/entity/simulated/exchange/BINANCE`);
    const facts = page.getByRole("heading", { name: "Facts" });
    await facts.waitFor();
    await page.route(/exchange\/BINANCE$/, async (route) => await route.abort());
    await page.waitForEvent("requestfailed");
    await page.waitForEvent("requestfailed");
    expect(await facts.isVisible()).toBe(true);
    const said = page.getByText("A part of what is below could not be read again since");
    await said.waitFor();
    await page.unroute(/exchange\/BINANCE$/);
    await said.waitFor({ state: "detached" });
  });

  it("says plainly that a proxy answered in the place of aggwatch", async () => {
    const page = await openAt("");
    await page.getByText("All is well").waitFor();
    await page.route(/api\/v1\/overview/, async (route) => {
      const body = "<html><h1>502 Bad Gateway</h1></html>";
      await route.fulfill({ status: 502, contentType: "text/html", body });
    });
    const said = page.getByText("What is below is old");
    await said.waitFor();
    expect(await said.textContent()).toContain("answered with status 502");
    expect(await said.textContent()).not.toContain("JSON");
  });

  it("says that what it shows is old while the daemon restores its journal", async () => {
    const page = await openAt("");
    await page.getByText("All is well").waitFor();
    await page.route(/api\/v1\/overview/, async (route) => {
      const headers = { "retry-after": "2" };
      await route.fulfill({ status: 503, headers, json: { error: "aggwatch reads its journal" } });
    });
    await setHidden(page, false);
    const said = page.getByText("What is below is old");
    await said.waitFor();
    expect(await said.textContent()).toContain("aggwatch reads its journal");
    await page.unroute(/api\/v1\/overview/);
    await said.waitFor({ state: "detached" });
  });

  it("is current again after an answer that refused the overview once", async () => {
    const page = await openAt("");
    await page.getByText("All is well").waitFor();
    let refused = 0;
    await page.route(/api\/v1\/overview/, async (route) => {
      refused += 1;
      await route.fulfill({ status: 429, json: { message: "slow down" } });
    });
    await setHidden(page, false);
    const said = page.getByText("What is below is old");
    await said.waitFor();
    expect(refused).toBe(1);
    await page.unroute(/api\/v1\/overview/);
    await said.waitFor({ state: "detached" });
  });

  it("tells by the daemon's clock since when it is gone, if the browser's is wrong", async () => {
    const { page } = await openPage(browser);
    page.setDefaultTimeout(LONGEST_MS);
    onTestFinished(async () => await page.close());
    await page.clock.install({ time: Date.now() + 600_000 });
    await page.goto(demo.url);
    await page.getByText("All is well").waitFor();
    await page.route(/api\/v1\//, async (route) => await route.abort());
    await page.clock.fastForward(15_000);
    const said = page.locator("[role=alert] time");
    await said.waitFor();
    const since = Date.parse((await said.getAttribute("datetime")) ?? "");
    expect(Math.abs(since - Date.now())).toBeLessThan(120_000);
  });

  it("does not take back what a later answer said", async () => {
    const page = await openAt("");
    await page.getByText("All is well").waitFor();
    const late = Promise.withResolvers<void>();
    let asked = 0;
    await page.route(/api\/v1\/overview/, async (route) => {
      const overview = await (await route.fetch()).json();
      asked += 1;
      const isFirst = asked === 1;
      if (isFirst) await late.promise;
      const headline = isFirst ? "the first answer" : "the second answer";
      await route.fulfill({ json: { ...overview, verdict: { ...overview.verdict, headline } } });
    });
    const first = page.waitForRequest(/api\/v1\/overview/);
    await first;
    // A step into the past and back asks for the present again, while the first request is still under way.
    await page.evaluate('location.hash = "#/?at=2020-01-01T00:00:00.000Z"');
    await page.getByText(/^This is the past/).waitFor();
    await page.evaluate('location.hash = "#/"');
    await page.getByText("the second answer").waitFor();
    const answered = page.waitForResponse(/api\/v1\/overview/);
    late.resolve();
    await (await answered).finished();
    await page.evaluate("new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn)))");
    expect(await page.getByText("the first answer").count()).toBe(0);
  });

  it("says in a dialog, too, that the daemon does not answer", async () => {
    const page = await openAt("");
    await page.getByText("Operate", { exact: true }).click();
    await page.getByRole("button", { name: "Stop all actions …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await page.route(/api\/v1\//, async (route) => await route.abort());
    await dialog.getByText(/aggwatch does not answer since/).waitFor();
    await page.unroute(/api\/v1\//);
    await dialog.getByText(/aggwatch does not answer since/).waitFor({ state: "detached" });
  });

  it("connects again if the stream of changes is silent, though it was not closed", async () => {
    const proxy = await startProxy(demo.url);
    onTestFinished(proxy.close);
    const { page } = await openPage(browser);
    page.setDefaultTimeout(LONGEST_MS);
    onTestFinished(async () => await page.close());
    await page.clock.install();
    await page.goto(`${proxy.url}/#/alerts`);
    await page.getByText("0 alerts").waitFor();
    proxy.forget();
    const again = page.waitForRequest(/api\/v1\/events/);
    await page.clock.fastForward(30_000);
    await again;
  });

  it("opens in a seventh tab, and listens again in one that comes to the front", async () => {
    const context = await browser.newContext();
    onTestFinished(async () => await context.close());
    const tabs: Page[] = [];
    for (let count = 0; count < 7; count += 1) {
      if (count > 0) await setHidden(tabs[count - 1], true);
      tabs.push(await openTab(context, demo.url));
    }
    const [first] = tabs;
    expect(await first?.title()).toBe("(…) aggwatch");
    const listens = first?.waitForRequest(/api\/v1\/events/);
    await setHidden(first, false);
    await listens;
    await expect.poll(async () => await first?.title()).toBe("aggwatch");
  });
});

async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(LONGEST_MS);
  await page.goto(url);
  await page.getByText("All is well").waitFor();
  return page;
}

/** As if another tab were in front of it, or no more: without windows a browser takes all of them for seen. */
async function setHidden(page: Page | undefined, isHidden: boolean): Promise<void> {
  await page?.evaluate(`
    Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}
