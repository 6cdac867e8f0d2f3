import { describe, expect, it, onTestFinished } from "vitest";
import { findBrowser } from "../browser.ts";
import { EXCHANGE, useBusyConsole } from "./busy-console.ts";
import { startProxy } from "./proxy.ts";

/** How lists that have several pages are read, and read again. */

const browserPath = findBrowser("the lists of the console");

describe.skipIf(browserPath === undefined)("a list", () => {
  const { open, urlOf } = useBusyConsole(browserPath, 100);

  async function openList(name: "alerts" | "entities", filters = "") {
    const proxy = await startProxy(urlOf());
    onTestFinished(proxy.close);
    const { page } = await open();
    page.setDefaultTimeout(30_000);
    onTestFinished(async () => await page.close());
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith(`/${name}`)) asked.push(searchParams.get("cursor") ?? "first");
    });
    await page.clock.install();
    const overviewSays = async (at: () => number): Promise<void> => {
      await page.route(/api\/v1\/overview/, async (route) => {
        const response = await route.fetch();
        const date = new Date(at());
        const json = { ...((await response.json()) as object), at: date.toISOString() };
        const headers = { ...response.headers(), date: date.toUTCString() };
        await route.fulfill({ response, json, headers });
      });
    };
    // Ten seconds into a minute: no other begins while a test lasts, unless it says so.
    const opened = Math.floor(Date.now() / 60_000) * 60_000 + 10_000;
    await overviewSays(() => opened);
    await page.goto(`${proxy.url}/#/${name}${filters}`);
    await page.getByRole("cell").first().waitFor();
    // From now on it changes as is said here, and no otherwise.
    proxy.forget();
    let said = 0;
    const change = async (key: string, field: string): Promise<void> => {
      said += 1;
      proxy.say(name, { changes: [{ key, [field]: { summary: `said ${said}` } }] });
      await page.getByText(`said ${said}`).waitFor();
    };
    return { page, proxy, asked, change, opened, overviewSays };
  }

  it("is read again if it could not be, though changes of it come", async () => {
    const { page, proxy, asked, change } = await openList("entities");
    await change(EXCHANGE, "facts");
    await page.route(/api\/v1\/entities\?/, async (route) => await route.abort());
    proxy.say("reset", {});
    await page.clock.runFor(5_000);
    await page.locator("p.banner").waitFor();
    asked.length = 0;
    // A second passes between one and the next.
    for (let second = 0; second < 10 && asked.length === 0; second += 1) {
      await change(EXCHANGE, "facts");
      await page.clock.runFor(1_000);
    }
    expect(asked).toEqual(["first"]);
  });

  it("that is searched is read again if facts change, as the words may be in them now", async () => {
    const { page, proxy, asked } = await openList("entities", "?text=EXCHANGE-0");
    /** What is asked for in six seconds, after which a list is read again if it must be. */
    const askedAfter = async (type: string, data: unknown): Promise<readonly string[]> => {
      asked.length = 0;
      proxy.say(type, data);
      for (let second = 0; second < 6; second += 1) {
        await page.evaluate("fetch('./healthz')");
        await page.clock.runFor(1_000);
      }
      return [...asked];
    };
    // Who has just connected reads all again.
    for (let round = 0; round < 5 && (await askedAfter("beat", {})).length > 0; round += 1);
    expect(await askedAfter("beat", {})).toEqual([]);
    const key = EXCHANGE.replace(/-0$/, "-7");
    const change = { key, facts: { name: "in place of EXCHANGE-0" } };
    expect(await askedAfter("entities", { changes: [change] })).toEqual(["first"]);
  });

  it("of alerts is read again each minute, as their texts may say how long it has been so", async () => {
    const { page, asked, change, opened, overviewSays } = await openList("alerts");
    // Each overview sets the page's clock to the daemon's, which runs on as the page's does.
    let passedMs = 0;
    await overviewSays(() => opened + passedMs);
    asked.length = 0;
    for (let turn = 0; turn < 15 && asked.length === 0; turn += 1) {
      await change(`ExchangeDisabled|${EXCHANGE}`, "annotations");
      passedMs += 5_000;
      await page.clock.runFor(5_000);
    }
    expect(asked).toEqual(["first"]);
  });

  it("has no field for an aggregator if there is only one", async () => {
    const { page } = await openList("alerts");
    await page.getByLabel("Severity").waitFor();
    expect(await page.getByLabel("Aggregator").count()).toBe(0);
  });

  it("is read to its end with one request for each page", async () => {
    const { page, asked, change } = await openList("alerts");
    await change(`ExchangeDisabled|${EXCHANGE}`, "annotations");
    // It does not notice that the stream is silent.
    await page.clock.setFixedTime(Date.now());
    asked.length = 0;
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.getByRole("row").filter({ hasText: "PoolLow" }).first().waitFor();
    expect([asked.length, new Set(asked).size, asked.includes("first")]).toEqual([2, 2, false]);
  });
});
