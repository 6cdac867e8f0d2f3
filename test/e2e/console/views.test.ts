import { describe, expect, it } from "vitest";
import { faultsOf } from "../axe.ts";
import { findBrowser } from "../browser.ts";
import { EXCHANGE, ORDER, useBusyConsole } from "./busy-console.ts";

const browserPath = findBrowser("the console in a browser");

const SIZES = [
  { width: 390, height: 844 },
  { width: 1_440, height: 900 },
  { width: 3_840, height: 2_160 },
];

/** Each view, and what it shows once it is there. */
const VIEWS: ReadonlyArray<readonly [string, string | RegExp]> = [
  ["#/", "Waiting for a person"],
  ["#/alerts", /^5\d\d alerts$/],
  [`#/alert/ExchangeDisabled/${EXCHANGE}`, "Guards of enable_exchange"],
  [`#/alert/LiquidationStuck/${ORDER}`, "Guards of force_cancel_order"],
  ["#/entities", "EXCHANGE-0"],
  [`#/entity/${EXCHANGE}`, "Guards of enable_exchange"],
  ["#/remediations", /^\d+ remediations?$/],
  ["#/timeline", "Post-mortem draft"],
  ["#/rules", "LiquidationStuck"],
  ["#/try", "Nothing of it is kept"],
  ["#/backtest", "is replayed by the rules and settings in force"],
];

/** The same as of an instant that is past. */
const pastViews = (at: string): typeof VIEWS =>
  [
    ["#/", /^\d+ alerts? firing/],
    ["#/alerts", /^5\d\d alerts$/],
    [`#/alert/ExchangeDisabled/${EXCHANGE}`, "Each time"],
    ["#/entities", "EXCHANGE-0"],
    [`#/entity/${EXCHANGE}`, "What happened"],
    ["#/remediations", /^\d+ remediations?$/],
    ["#/timeline", "Post-mortem draft"],
    ["#/rules", "LiquidationStuck"],
    ["#/try", "This view has no past"],
  ].map(([hash = "", shown = ""]) => [`${String(hash)}?at=${at}`, shown] as const);

describe.skipIf(browserPath === undefined)("the console of ten thousand senders", () => {
  const { open, urlOf, past } = useBusyConsole(browserPath, 10_000);

  it.each(
    SIZES.flatMap((size) => (["light", "dark"] as const).map((scheme) => [size, scheme] as const)),
  )(
    "has no fault that axe finds, and is as wide as the screen, on every view: %o, %s",
    async (viewport, colorScheme) => {
      const { page, complaints } = await open({ viewport, colorScheme, reducedMotion: "reduce" });
      for (const [hash, shown] of [...VIEWS, ...pastViews(past())]) {
        await page.goto(urlOf(hash));
        await page.getByText(shown).first().waitFor();
        expect(await faultsOf(page), hash).toEqual([]);
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        expect(width, hash).toBeLessThanOrEqual(viewport.width);
      }
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  it("fits a desktop within two screens, and a phone within five", async () => {
    for (const [viewport, screens] of [
      [{ width: 1_440, height: 900 }, 2],
      [{ width: 390, height: 844 }, 5],
    ] as const) {
      const { page } = await open({ viewport });
      await page.goto(urlOf());
      await page.getByText("read by").or(page.getByText("Remediations")).first().waitFor();
      const height = await page.evaluate<number>("document.documentElement.scrollHeight");
      expect(height).toBeLessThanOrEqual(screens * viewport.height);
      await page.close();
    }
  });

  it("finds what is searched for from the keyboard alone, and shows what the text really is", async () => {
    const { page, complaints } = await open();
    await page.goto(urlOf());
    await page.getByRole("heading", { name: "Waiting for a person" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("desk-42");
    await page
      .getByRole("search")
      .getByRole("link", { name: /^desk-42 / })
      // The first sweep over all senders takes half a minute.
      .waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "desk-42", exact: true }).waitFor();
    expect(page.url()).toContain("#/entity/bsc-mainnet/sender/0x");

    await page.goto(urlOf("#/alerts?alertname=ExchangeDisabled"));
    await page
      .getByText(String.raw`BIN\u{410}NCE`)
      .first()
      .waitFor();
    await page.goto(urlOf("#/"));
    await page.locator("small", { hasText: "<script>alert(" }).first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("draws only the rows that can be seen, and gets to the last of them", async () => {
    const { page } = await open({ viewport: { width: 1_440, height: 900 } });
    await page.goto(urlOf("#/alerts"));
    const rows = page.getByRole("table", { name: "Alerts" }).getByRole("row");
    await page.getByText(/^5\d\d alerts$/).waitFor();
    await rows.nth(5).waitFor();
    expect(await rows.count()).toBeLessThan(70);
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await page.getByRole("row").filter({ hasText: "PoolLow" }).waitFor();
    expect(await rows.count()).toBeLessThan(70);
    await page.close();
  });
});
