import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findBrowser } from "../browser.ts";
import { EXCHANGE, useBusyConsole } from "./busy-console.ts";

/** Nothing is cut, hidden or too small to read, from a phone to a wide screen, and when it is zoomed. */

const browserPath = findBrowser("widths of the console");

/** A phone, a tablet on end and on its side, a laptop that is zoomed, and a laptop. */
const WIDTHS = [390, 720, 768, 900, 1_024, 1_152, 1_280];

const VIEWS = ["", "alerts", "entities", "remediations", "timeline", "rules", `entity/${EXCHANGE}`];

describe.skipIf(browserPath === undefined)("the console", () => {
  const { open, urlOf, past } = useBusyConsole(browserPath, 100);

  it.each(WIDTHS)(
    "fits into a width of %d pixels, with what is found and the menu",
    async (width) => {
      const { page } = await open({ viewport: { width, height: 800 } });
      page.setDefaultTimeout(10_000);
      const wide: string[] = [];
      const measure = async (what: string): Promise<void> => {
        const by = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        if (by > 0) wide.push(`${what} by ${by}`);
      };
      for (const view of [...VIEWS, `alerts?at=${past()}`]) {
        await page.goto(urlOf(`#/${view}`));
        await page.locator("main h2, main p").first().waitFor();
        await page.getByText("Loading …").waitFor({ state: "detached" });
        // What a market is set to is a status, and so a choice.
        await page.evaluate(
          "for (const one of document.querySelectorAll('select')) one.append(new Option('max_quantity=7 '.repeat(20)))",
        );
        await measure(view);
      }
      await page.goto(urlOf());
      await page.getByRole("searchbox").fill("exchange");
      await page.getByRole("link", { name: /^All \d+ alerts$/ }).waitFor();
      await measure("what is found");
      await page.keyboard.press("Escape");
      await page.getByText("Operate", { exact: true }).click();
      await measure("the menu");
      expect(wide).toEqual([]);
      await page.close();
    },
  );

  it.each([800, 1_000, 1_280])(
    "keeps the filters below the bar at %d pixels, while a list is scrolled",
    async (width) => {
      const { page } = await open({ viewport: { width, height: 700 } });
      page.setDefaultTimeout(10_000);
      await page.goto(urlOf("#/alerts"));
      await page.getByText(/^5\d\d alerts$/).waitFor();
      await page.evaluate("scrollTo(0, 3000)");
      await page.getByRole("row").nth(5).waitFor();
      const [bar, filters] = [page.locator("header.top"), page.locator(".filters")];
      const below = async (): Promise<number> =>
        ((await filters.boundingBox())?.y ?? 0) - (await bottomOf(bar));
      await expect.poll(below).toBeGreaterThanOrEqual(-1);
      await page.close();
    },
  );

  it.each([390, 600, 768, 1_024, 1_280])(
    "has letters that can be read on the timeline at %d pixels",
    async (width) => {
      const { page } = await open({ viewport: { width, height: 800 } });
      page.setDefaultTimeout(10_000);
      await page.goto(urlOf("#/timeline?types=alert"));
      const name = page.locator("svg text.name").first();
      await name.waitFor();
      const { height = 0 } = (await name.boundingBox()) ?? {};
      expect(height).toBeGreaterThanOrEqual(9);
      expect(height).toBeLessThanOrEqual(24);
      await page.close();
    },
  );

  it("draws rows of two lines once a screen is turned, and of one when it is turned back", async () => {
    const { page } = await open({ viewport: { width: 1_440, height: 800 } });
    page.setDefaultTimeout(10_000);
    await page.goto(urlOf("#/alerts?alertname=LiquidationStuck"));
    const row = page.locator(".rows .row").first();
    const heightOf = async (): Promise<number> => (await row.boundingBox())?.height ?? 0;
    await expect.poll(heightOf).toBe(34);
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(heightOf).toBe(58);
    await page.setViewportSize({ width: 1_440, height: 800 });
    await expect.poll(heightOf).toBe(34);
    await page.close();
  });

  it("is printed dark on light, without what can be pressed and without empty pages", async () => {
    const { page } = await open({ viewport: { width: 794, height: 1_123 }, colorScheme: "dark" });
    page.setDefaultTimeout(10_000);
    await page.goto(urlOf("#/alerts"));
    await page.getByText(/^5\d\d alerts$/).waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.locator(".rows .badge").first().waitFor();
    const style = 'getComputedStyle(document.querySelector(".rows .badge"))';
    const styleOf = async (name: string): Promise<string> =>
      await page.evaluate<string>(`${style}["${name}"]`);
    // Browsers print no background, unless they are told to.
    expect(await styleOf("backgroundColor")).toBe("rgba(0, 0, 0, 0)");
    expect(await styleOf("color")).toBe("rgb(27, 31, 35)");
    expect(await page.getByRole("button").filter({ visible: true }).count()).toBe(0);
    const rows = await page.locator(".rows .row").count();
    const height = await page.evaluate<number>("document.documentElement.scrollHeight");
    expect(height).toBeLessThan(rows * 70 + 400);
    await page.close();
  });
});

async function bottomOf(locator: ReturnType<Page["locator"]>): Promise<number> {
  const { y = 0, height = 0 } = (await locator.boundingBox()) ?? {};
  return y + height;
}
