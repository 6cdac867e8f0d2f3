/** Tests src/console/views/pollers.ts: the console of a replica that polls nothing itself. */
import { describe, expect, it } from "vitest";
import { startAggregator } from "../../acceptance/aggregator.ts";
import { makeHome, startDaemon } from "../../acceptance/daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "../../acceptance/quick.ts";
import { usePostgres } from "../../io/postgres/fixture.ts";
import { findBrowser, openPage, startBrowser } from "../browser.ts";

const browserPath = findBrowser("the console of a standby");

describe.skipIf(browserPath === undefined)("the console of a standby", () => {
  const server = usePostgres();

  it("shows how the polls of the owner went, as far as they are recorded", async (context) => {
    const aggregator = await startAggregator(context);
    const database = await server().makeDatabase();
    const start = async (name: string) => {
      const own = `journal: { postgres: { replica: ${name}, lease: 3s } }\n`;
      const config = quickConfig({ timeout: "2s", url: aggregator.url, mode: "shadow" }) + own;
      const home = makeHome(context, config, QUICK_RULES);
      return await startDaemon(context, home, { ...ACT_KEY, AGGWATCH_DATABASE_URL: database });
    };
    const owner = await start("a");
    await owner.line((line) => line["msg"] === "acting");
    const standby = await start("b");
    const browser = await startBrowser(browserPath);
    context.onTestFinished(async () => await browser.close());
    const { page, complaints } = await openPage(browser, { viewport: { width: 390, height: 844 } });
    await page.goto(standby.url);
    await page.getByText("b; a/").first().waitFor();
    await page.getByRole("slider", { name: /^the last \d+ polls of exchanges/ }).waitFor();
    await page.getByText("polls of another replica").first().waitFor();
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(390);
    // Until a minute was recorded, the browser says by itself that it is not kept.
    expect(complaints.filter((one) => !one.startsWith("Failed to load resource"))).toEqual([]);
  });
});
