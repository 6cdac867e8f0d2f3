import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsOf } from "./axe.ts";
import { findBrowser, openPage, startBrowser } from "./browser.ts";
import { READER_TOKEN, startBusyWorld, TOKEN, type BusyWorld } from "./busy-world.ts";

const browserPath = findBrowser("the console in a browser");

const SIZES = [
  { width: 390, height: 844 },
  { width: 1_440, height: 900 },
  { width: 3_840, height: 2_160 },
];

const EXCHANGE = "bsc-mainnet/exchange/EXCHANGE-0";

/** Each view, and what it shows once it is there. */
const VIEWS: ReadonlyArray<readonly [string, string | RegExp]> = [
  ["#/", "Waiting for a person"],
  ["#/alerts", /^5\d\d alerts$/],
  [`#/alert/ExchangeDisabled/${EXCHANGE}`, "Guards of enable_exchange"],
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
    ["#/try", "This is asked of the present"],
  ].map(([hash = "", shown = ""]) => [`${String(hash)}?at=${at}`, shown] as const);

describe.skipIf(browserPath === undefined)("the console of ten thousand senders", () => {
  let world: BusyWorld;
  let browser: Browser;
  /** By then the alerts had begun. */
  let past: string;

  beforeAll(async () => {
    world = await startBusyWorld({ senders: 10_000, disabledPairs: 514 });
    browser = await startBrowser(browserPath);
    const { page } = await openPage(browser);
    await page.goto(`${world.url}/#/alerts`);
    await page.getByText(/^5\d\d alerts$/).waitFor();
    await page.close();
    const overview = (await (await fetch(`${world.url}/api/v1/overview`)).json()) as { at: string };
    past = overview.at;
  });

  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });

  const open = (options: Parameters<typeof openPage>[1] = {}) => openPage(browser, options);

  it.each(
    SIZES.flatMap((size) => (["light", "dark"] as const).map((scheme) => [size, scheme] as const)),
  )(
    "has no fault that axe finds, and is as wide as the screen, on every view: %o, %s",
    async (viewport, colorScheme) => {
      const { page, complaints } = await open({ viewport, colorScheme, reducedMotion: "reduce" });
      for (const [hash, shown] of [...VIEWS, ...pastViews(past)]) {
        await page.goto(`${world.url}/${hash}`);
        await page.getByText(shown).first().waitFor();
        expect(await faultsOf(page), hash).toEqual([]);
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        expect(width, hash).toBeLessThanOrEqual(viewport.width);
      }
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  it("turns back time on every view, says so, lets nothing be done then, and comes back to now", async () => {
    const { page, complaints } = await open();
    await page.goto(`${world.url}/#/entity/${EXCHANGE}`);
    await page.getByRole("button", { name: "Hold" }).waitFor();
    await page.getByRole("button", { name: "Look back" }).click();
    await page.getByRole("slider", { name: "Instant" }).focus();
    await page.keyboard.press("Home");
    await page.getByText(/^This is the past: 20\d\d-/).waitFor();
    const seen: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/v1/")) seen.push(request.url());
    });
    await page.keyboard.press("ArrowRight");
    await page
      .getByText("What happened")
      .or(page.getByText("was not known then"))
      .first()
      .waitFor();
    expect(page.url()).toMatch(/\?at=20\d\d-/);
    expect(await page.getByRole("button", { name: "Hold" }).count()).toBe(0);
    expect(await page.getByText("Operate").count()).toBe(0);
    expect(await page.title()).toBe("the past – aggwatch");
    // Every link stays in the past, and nothing of the present is asked for.
    await page.goto(`${world.url}/#/entity/${EXCHANGE}?at=${past}`);
    await page.getByRole("heading", { name: /^What happened/ }).waitFor();
    await page.getByRole("link", { name: "Alerts", exact: true }).click();
    await page.getByText(/^5\d\d alerts$/).waitFor();
    expect(page.url()).toContain("at=20");
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.filter((url) => !url.includes("at=20"))).toEqual([]);
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.getByText("Operate").waitFor();
    expect(page.url()).not.toContain("at=");
    expect(await page.getByText("This is the past").count()).toBe(0);
    // What the slider passed before anything was known is refused, which a browser always logs.
    expect(complaints.filter((text) => !/status of (?:404|410)/.test(text))).toEqual([]);
    await page.close();
  });

  it("fits a desktop within two screens, and a phone within five", async () => {
    for (const [viewport, screens] of [
      [{ width: 1_440, height: 900 }, 2],
      [{ width: 390, height: 844 }, 5],
    ] as const) {
      const { page } = await open({ viewport });
      await page.goto(world.url);
      await page.getByText("read by").or(page.getByText("Remediations")).first().waitFor();
      const height = await page.evaluate<number>("document.documentElement.scrollHeight");
      expect(height).toBeLessThanOrEqual(screens * viewport.height);
      await page.close();
    }
  });

  it("finds what is searched for from the keyboard alone, and shows what the text really is", async () => {
    const { page, complaints } = await open();
    await page.goto(world.url);
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

    await page.goto(`${world.url}/#/alerts?alertname=ExchangeDisabled`);
    await page
      .getByText(String.raw`BIN\u{410}NCE`)
      .first()
      .waitFor();
    await page.goto(`${world.url}/#/`);
    await page.locator("small", { hasText: "<script>alert(" }).first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("draws only the rows that can be seen, and gets to the last of them", async () => {
    const { page } = await open({ viewport: { width: 1_440, height: 900 } });
    await page.goto(`${world.url}/#/alerts`);
    const rows = page.getByRole("table", { name: "Alerts" }).getByRole("row");
    await page.getByText(/^5\d\d alerts$/).waitFor();
    await rows.nth(5).waitFor();
    expect(await rows.count()).toBeLessThan(70);
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await page.getByRole("row").filter({ hasText: "PoolLow" }).waitFor();
    expect(await rows.count()).toBeLessThan(70);
    await page.close();
  });

  it("holds an entity by its dialog, says what that covers, and ends it again", async () => {
    const { page } = await open();
    await page.goto(`${world.url}/#/entity/${EXCHANGE}`);
    await page.getByRole("button", { name: "Hold" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 entity and what belongs to it").waitFor();
    await dialog.getByLabel("Entity", { exact: true }).fill("");
    await dialog.getByText("38 entities").waitFor();
    await dialog.getByLabel("Kind of entity").selectOption("");
    await dialog.getByLabel("Rule").selectOption("PoolLow");
    await dialog.getByText("1 entity", { exact: true }).waitFor();
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByLabel("Reason").fill("maintenance");
    await dialog.getByRole("button", { name: "Hold" }).click();
    await dialog.getByText("Done: ").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();

    await page.goto(`${world.url}/#/`);
    await page.getByRole("row").filter({ hasText: "maintenance" }).getByRole("button").click();
    await dialog.getByLabel("Reason").fill("done");
    await dialog.getByRole("button", { name: "End it" }).click();
    await dialog.getByText("Done: ").waitFor();
    await page.close();
  });

  it("shows what a reload would change before it asks for it", async () => {
    const { page } = await open();
    await page.goto(world.url);
    await page.getByText("Operate").click();
    await page.getByRole("button", { name: "Reload …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByText("It would change nothing.").waitFor();
    await dialog.getByRole("button", { name: "Reload" }).click();
    await dialog.getByText("Done: ").waitFor();
    await page.close();
  });

  it("leads from an alert to its rule, its runbook and its runs, and saves what happened", async () => {
    const { page, complaints } = await open();
    await page.goto(`${world.url}/#/alert/ExchangeDisabled/${EXCHANGE}`);
    for (const name of ["Why", "Runbook", "Told to", "Each time", "Rule", "What happened"])
      await page.getByRole("heading", { name: new RegExp(`^${name}( \\d+)?$`) }).waitFor();
    await page.getByText("An exchange is in the aggregator's disabled listing").waitFor();
    // Of thousands of findings the newest are shown, unless some are asked for.
    await page.goto(`${world.url}/#/timeline?text=EXCHANGE-0`);
    await page.getByText(/\d findings?$/).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Post-mortem draft" }).click();
    const draft = readFileSync(await (await saved).path(), "utf8");
    expect(draft).toMatch(/^# Post-mortem: 20/);
    expect(draft).toContain("ExchangeDisabled|bsc-mainnet/exchange/EXCHANGE-0");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("tries a rule: its problem with a caret, what it would find, and what it would have done", async () => {
    const { page, complaints } = await open();
    await page.goto(`${world.url}/#/try`);
    const editor = page.getByLabel("A rule file, as YAML");
    await editor.fill((await editor.inputValue()).replace("exchange.status", "exchange.statu"));
    await page.getByLabel("Your token").fill(TOKEN);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("^^^").waitFor();
    await editor.fill((await editor.inputValue()).replace("exchange.statu", "exchange.status"));
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("4 exchanges").waitFor();
    await page.getByRole("row").filter({ hasText: "EXCHANGE-0" }).waitFor();
    await page.getByRole("button", { name: "on the last hour" }).click();
    await page.getByText(/^It would have fired \d+ times$/).waitFor();
    await page.getByText("alerts would have fired").waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("replays the past by today's rules, and says what would have been otherwise", async () => {
    const { page, complaints } = await open();
    await page.goto(`${world.url}/#/?at=${past}`);
    await page.getByRole("link", { name: "What would today's rules have done since?" }).click();
    await page.getByLabel("Your token").fill(TOKEN);
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    await page.getByText(/would have been otherwise$/).waitFor();
    await page.getByText(/^\d+ readings? replayed/).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("has no button for what a token does not allow", async () => {
    const { page } = await open();
    await page.goto(world.url);
    await page.getByRole("button", { name: "Deny" }).last().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your token").fill(READER_TOKEN);
    await dialog.getByLabel("Reason").fill("left as it is");
    await dialog.getByRole("button", { name: "Deny" }).click();
    await dialog.getByText("Done: denied").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByText("bob").first().click();
    await page.getByRole("button", { name: "Forget the token" }).waitFor();
    expect(await page.getByRole("button", { name: "Stop all actions" }).count()).toBe(0);
    await page.goto(`${world.url}/#/entity/${EXCHANGE}`);
    await page.getByText("Guards of enable_exchange").waitFor();
    expect(await page.getByRole("button", { name: "Hold" }).count()).toBe(0);
    await page.close();
  });

  it("keeps nothing in the browser but the zone of the clock", async () => {
    const { page } = await open({ viewport: { width: 1_440, height: 900 } });
    await page.goto(world.url);
    await page.getByRole("button", { name: /^20\d\d-/ }).click();
    await page.getByRole("button", { name: /UTC$/ }).waitFor();
    expect(
      await page.evaluate(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
      ),
    ).toBe(JSON.stringify([{ "aggwatch.zone": "UTC" }, {}, ""]));
    await page.close();
  });
});
