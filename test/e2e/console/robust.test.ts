import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findBrowser, openPage, startBrowser } from "../browser.ts";
import { startDemo, type Demo } from "../start-demo.ts";
import { TOKEN } from "../tokens.ts";
import { operatedDemo } from "./demos.ts";

/** The console when something goes wrong in it, or when a person is faster than the daemon. */

const browserPath = findBrowser("what goes wrong in the console");

const LONGEST_MS = 15_000;

describe.skipIf(browserPath === undefined)("the console", () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    browser = await startBrowser(browserPath);
    demo = await startDemo(operatedDemo(["operate", "read"]));
  });

  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  const open = async (): Promise<Page> => {
    const { page } = await openPage(browser);
    page.setDefaultTimeout(LONGEST_MS);
    onTestFinished(async () => await page.close());
    return page;
  };

  it("says that a view cannot be drawn, and shows it as soon as it can", async () => {
    const page = await open();
    await page.route(/exchange\/BINANCE$/, async (route) => await route.fulfill({ json: {} }));
    await page.goto(`${demo.url}/#/entity/simulated/exchange/BINANCE`);
    const said = page.getByText("This view could not be drawn");
    await said.waitFor();
    await page.getByRole("link", { name: "Rules" }).click();
    await page.getByRole("heading", { name: "Rules" }).first().waitFor();
    expect(await said.count()).toBe(0);
    await page.goBack();
    await said.waitFor();
    await page.unroute(/exchange\/BINANCE$/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Facts" }).waitFor();
  });

  it("says before all actions are stopped what is under way, however much was sent since", async () => {
    const page = await open();
    await page.route(/api\/v1\/overview/, async (route) => {
      const overview = await (await route.fetch()).json();
      // Only the newest are in it.
      const counts = { remediations: [], remediation_counts: { total: 30, open: 2 } };
      await route.fulfill({ json: { ...overview, ...counts } });
    });
    await page.goto(demo.url);
    await page.getByText("Operate", { exact: true }).click();
    await page.getByRole("button", { name: "Stop all actions …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2 remediations under way; what was sent is not taken back").waitFor();
  });

  it("finds a rule that has no alert, though nothing else has its name", async () => {
    const page = await open();
    await page.goto(demo.url);
    const search = page.getByRole("search");
    await search.getByRole("searchbox").fill("tugofwar");
    await search.getByRole("link", { name: /^TugOfWar rule, without an alert$/ }).click();
    await page.getByText("1 rule", { exact: true }).waitFor();
    await page.getByText("TugOfWar", { exact: true }).first().waitFor();
  });

  it("shows what came of a call that somebody wants to close before it is answered", async () => {
    const page = await open();
    await page.goto(demo.url);
    await page.getByText("Operate", { exact: true }).click();
    await page.getByRole("button", { name: "Stop all actions …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByLabel("Reason").fill("a test");
    const answered = Promise.withResolvers<void>();
    await page.route(/api\/v1\/token$/, async (route) => {
      await answered.promise;
      await route.continue();
    });
    await dialog.getByRole("button", { name: "Stop all actions" }).click();
    await dialog.getByText("Sending …").waitFor();
    // A browser lets a page keep a dialog open once; who presses again closes it.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Close" }).dispatchEvent("click");
    answered.resolve();
    await dialog.getByText("Done: ").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });
});
