import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { faultsEverywhere } from "../axe.ts";
import { findBrowser, openPage, startBrowser } from "../browser.ts";
import { startDemo, type Demo, type DemoOptions } from "../start-demo.ts";
import { TOKEN } from "../tokens.ts";
import { disableExchange, operatedDemo, repairingDemo } from "./demos.ts";

/** What the console looks like when it matters most, and at first: each is looked at on a phone and a desktop. */

const browserPath = findBrowser("states of the console");

const OPERATED = operatedDemo(["operate"]);
/** What was undone once is left alone. */
const TUG_OF_WAR = repairingDemo("act", OPERATED, ["undo_limit: 1"]);

const LONG_AGO = "2026-01-01T00:00:00.000Z";

/** Every dialog of the menu, and what it is called. */
const DIALOGS = [
  "Stop all actions …",
  "Hold …",
  "Silence …",
  "Watch one more …",
  "Watch no longer …",
  "Reload …",
];

describe.skipIf(browserPath === undefined)("the console", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser(browserPath);
  });
  afterAll(async () => await browser?.close());

  const start = async (options: DemoOptions = {}): Promise<{ demo: Demo; page: Page }> => {
    const demo = await startDemo(options);
    onTestFinished(async () => void (await demo.stop()));
    const { page, complaints } = await openPage(browser);
    onTestFinished(async () => {
      await page.close();
      // That the daemon is gone, or knows no such thing, the browser says by itself.
      expect(complaints.filter((one) => !one.startsWith("Failed to load resource"))).toEqual([]);
    });
    await page.goto(demo.url);
    return { demo, page };
  };

  it("says that all is well", async () => {
    const { page } = await start();
    await page.getByText("All is well").waitFor();
    await page.getByText("No alert is pending or firing.").waitFor();
    expect(await page.title()).toBe("aggwatch");
    expect(await iconOf(page)).toContain("circle");
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  it("says what is not known, if the aggregator never answered", async () => {
    const { page, demo } = await start({
      aggregator: { base_url: "http://127.0.0.1:9", schedules: { exchanges: "* * * * * *" } },
    });
    await page.getByText("down", { exact: true }).first().waitFor();
    expect(await page.getByText("All is well").count()).toBe(0);
    expect(await faultsEverywhere(page)).toEqual([]);
    for (const [view, shown] of [
      ["entities", "0 entities"],
      ["timeline", "Post-mortem draft"],
      ["entity/simulated/exchange/NONE", "Not known"],
      ["nowhere", "There is no view"],
    ] as const) {
      await page.goto(`${demo.url}/#/${view}`);
      await page.getByText(shown).first().waitFor();
      expect(await faultsEverywhere(page), view).toEqual([]);
    }
  });

  it("opens every dialog from the keyboard, and closes it by Escape", async () => {
    const { page } = await start(OPERATED);
    const menu = page.getByText("Operate", { exact: true });
    const dialog = page.getByRole("dialog");
    for (const name of DIALOGS) {
      await menu.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name }).focus();
      await page.keyboard.press("Enter");
      await dialog.waitFor();
      expect(await faultsEverywhere(page), name).toEqual([]);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    await menu.click();
    const offered = await page.locator("details.menu button").allTextContents();
    expect(offered.map((text) => text.trim())).toEqual(DIALOGS);
  });

  it("says that nothing is done while the kill switch is on, and until it is released", async () => {
    const { page } = await start(OPERATED);
    await operate(page, "Stop all actions …", "Stop all actions");
    await page.getByText("actions: stopped").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await operate(page, "Release the kill switch …", "Release");
    await page.getByText("actions: shadow").waitFor();
  });

  it("says what is left alone in a tug of war, and ends that", async () => {
    const { page, demo } = await start(TUG_OF_WAR);
    const repaired = (times: number) =>
      page
        .getByRole("row")
        .filter({ hasText: "verified" })
        .nth(times - 1);
    await disableExchange(demo, "BINANCE");
    await repaired(1).waitFor();
    await disableExchange(demo, "BINANCE");
    const button = page.getByRole("button", { name: "End it" });
    await button.waitFor();
    await page.getByText(/Quarantine: .*BINANCE has been left alone/).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await button.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("aggwatch may act on it again").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByLabel("Reason").fill("we agree now");
    await dialog.getByRole("button", { name: "End it" }).click();
    await dialog
      .getByText("Done: simulated/exchange/BINANCE is not quarantined any more.")
      .waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await repaired(2).waitFor();
  });

  it("asks again for what was not answered, as soon as the daemon answers", async () => {
    const { page, demo } = await start();
    await page.getByText("All is well").waitFor();
    // Of what was first seen a moment ago nothing is asked for.
    await page.route(/exchange\/[A-Z]+$/, async (route) => {
      const { entity, ...other } = await (await route.fetch()).json();
      await route.fulfill({ json: { ...other, entity: { ...entity, first_seen: LONG_AGO } } });
    });
    const minute = (): number => Math.floor(Date.now() / 60_000);
    const asked: Array<readonly [failed: number, read: number]> = [];
    // What is asked for each minute again is also there with the next one, so that is not proof.
    for (let round = 0; round < 3 && !asked.some(([failed, read]) => failed === read); round += 1) {
      await page.route(/\/history\?/, async (route) => await route.abort());
      await page.goto(`${demo.url}/?${round}#/entity/simulated/exchange/BINANCE`);
      await page.getByText("aggwatch cannot be reached").waitFor();
      const failed = minute();
      await page.unroute(/\/history\?/);
      await page.locator("svg.band").waitFor();
      asked.push([failed, minute()]);
    }
    expect(asked.some(([failed, read]) => failed === read)).toBe(true);
  });

  it("fades if the daemon is gone, and says since when, in the tab too", async () => {
    const { page, demo } = await start();
    await page.getByText("All is well").waitFor();
    await demo.kill();
    await page.getByText(/What is below is old: aggwatch does not answer since/).waitFor();
    const said = String(await page.locator("[role=alert]").textContent());
    expect(said).toMatch(/since [^()]+\. The page tries again every few seconds\.\s*$/);
    expect(await page.content()).not.toContain("Failed to fetch");
    await page.locator("main.faded").waitFor();
    // It is one sentence, and not as many columns as it has parts.
    const around = 'document.querySelector("[role=alert] time").parentElement';
    expect(await page.evaluate<string>(`getComputedStyle(${around}).display`)).not.toBe("flex");
    expect(await page.title()).toBe("(?) aggwatch does not answer");
    expect(await iconOf(page)).toContain("stroke-width");
    expect(await page.getByText("All is well").isVisible()).toBe(true);
    expect(await faultsEverywhere(page)).toEqual([]);
  });
});

async function iconOf(page: Page): Promise<string> {
  return decodeURIComponent(String(await page.locator('link[rel="icon"]').getAttribute("href")));
}

/** Does by its dialog what a button of the menu leads to. */
async function operate(page: Page, name: string, verb: string): Promise<void> {
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.locator("details.menu summary").click();
  await page.getByRole("button", { name }).click();
  const dialog = page.getByRole("dialog");
  // A count does not wait for the dialog to be there.
  await dialog.waitFor();
  const token = dialog.getByLabel("Your token");
  if ((await token.count()) > 0) await token.fill(TOKEN);
  await dialog.getByLabel("Reason").fill("a test");
  await dialog.getByRole("button", { name: verb }).click();
  await dialog.getByText("Done: ").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
}
