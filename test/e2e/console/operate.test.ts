import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findBrowser } from "../browser.ts";
import { HOLDER_TOKEN, READER_TOKEN } from "../busy-world.ts";
import { TOKEN } from "../tokens.ts";
import { EXCHANGE, useBusyConsole } from "./busy-console.ts";

const browserPath = findBrowser("what is wrong in a browser");

describe.skipIf(browserPath === undefined)("the console of much that is wrong", () => {
  const { open, urlOf } = useBusyConsole(browserPath, 100);

  it("leads from an alert to its rule, its runbook and its runs, and saves what happened", async () => {
    const { page, complaints } = await open();
    await page.goto(urlOf(`#/alert/ExchangeDisabled/${EXCHANGE}`));
    for (const name of ["Why", "Runbook", "Notified", "Each time", "Rule", "What happened"])
      await page.getByRole("heading", { name: new RegExp(`^${name}( \\d+)?$`) }).waitFor();
    await page.getByText("An exchange has been in the aggregator's disabled listing").waitFor();
    // So it is of one that is silenced, or over, and of this one, as there are no channels.
    await page.getByText("No channel knows it as firing, and nothing about it waits.").waitFor();
    // Of thousands of findings the newest are shown, unless some are asked for.
    await page.goto(urlOf("#/timeline?text=EXCHANGE-0"));
    await page.getByText(/\d findings?$/).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Post-mortem draft" }).click();
    const draft = readFileSync(await (await saved).path(), "utf8");
    expect(draft).toMatch(/^# Post-mortem: 20/);
    expect(draft).toContain("ExchangeDisabled|bsc-mainnet/exchange/EXCHANGE-0");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("says on the page of an entity which rule each thing that happened is about", async () => {
    const { page } = await open();
    await page.goto(urlOf(`#/entity/${EXCHANGE}`));
    const happened = page.locator(".happened tbody tr");
    await happened.filter({ hasText: "alert ExchangeDisabled firing" }).first().waitFor();
    await happened
      .filter({ hasText: "suppressed ExchangeDisabled enable_exchange" })
      .first()
      .waitFor();
    // On that of an alert all is about its rule.
    await page.goto(urlOf(`#/alert/ExchangeDisabled/${EXCHANGE}`));
    await happened.filter({ hasText: "alert firing" }).first().waitFor();
    await page.close();
  });

  it("says of a runbook that cannot be read that it could not, and reads it again", async () => {
    const { page } = await open();
    await page.route(/runbooks\//, async (route) => await route.abort());
    await page.goto(urlOf(`#/alert/ExchangeDisabled/${EXCHANGE}`));
    await page.getByText("It could not be read: ").waitFor();
    expect(await page.getByText("has no runbook").count()).toBe(0);
    await page.unroute(/runbooks\//);
    await page.getByText("An exchange has been in the aggregator's disabled listing").waitFor();
    await page.close();
  });

  it("names an entity by its alias, wherever it is named", async () => {
    const { page, complaints } = await open();
    const named = (role: "row" | "article") =>
      page.getByRole(role).filter({ hasText: "loan-0" }).first();
    await page.goto(urlOf());
    await named("article").waitFor();
    await page.getByText("LiquidationStuck", { exact: true }).first().click();
    await named("row").waitFor();
    await page.goto(urlOf("#/alerts?alertname=LiquidationStuck"));
    await named("row").waitFor();
    await page.goto(urlOf("#/timeline?text=LiquidationStuck"));
    await page.locator("svg text.name", { hasText: "LiquidationStuck|loan-0" }).waitFor();
    await page
      .getByRole("cell", { name: /liquidation\/0x.* \(loan-0\)/ })
      .first()
      .waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("LiquidationStuck loan-0");
    const found = page.getByRole("search").getByRole("link", { name: /firing on loan-0/ });
    await found.click();
    await page.getByText("of this rule, on loan-0").waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("holds an entity by its dialog, says what that covers, and ends it again", async () => {
    const { page } = await open();
    await page.goto(urlOf(`#/entity/${EXCHANGE}`));
    await page.getByRole("button", { name: "Hold" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 entity, with 1 alert pending or firing").waitFor();
    await dialog.getByLabel("Entity", { exact: true }).fill("EXCHANGE-O");
    await dialog.getByText("0 entities: nothing that is known now").waitFor();
    await dialog.getByLabel("Entity", { exact: true }).fill("");
    // Their 514 pairs, too.
    await dialog.getByText("552 entities").waitFor();
    await dialog.getByLabel("Kind of entity").selectOption("");
    await dialog.getByLabel("Rule").selectOption("PoolLow");
    await dialog.getByText("60 entities, with 1 alert pending or firing").waitFor();
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByLabel("Reason").fill("maintenance");
    await dialog.getByRole("button", { name: "Hold" }).click();
    await dialog.getByText("Done: ").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();

    await page.goto(urlOf("#/"));
    await page.getByRole("row").filter({ hasText: "maintenance" }).getByRole("button").click();
    await dialog.getByLabel("Reason").fill("done");
    await dialog.getByRole("button", { name: "End it" }).click();
    await dialog.getByText("Done: ").waitFor();
    await page.close();
  });

  it("says how many pollers a hold covers, though the overview does not count them", async () => {
    const { page } = await open();
    await page.goto(urlOf("#/entity/bsc-mainnet/poller/exchanges"));
    await page.getByRole("button", { name: "Hold" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 entity, with 0 alerts pending or firing").waitFor();
    await dialog.getByLabel("Entity", { exact: true }).fill("");
    await dialog.getByText(/^[1-9]\d* entities, with 0 alerts pending or firing$/).waitFor();
    await page.close();
  });

  it("does not say that a hold covers nothing before that is known", async () => {
    const { page } = await open();
    page.setDefaultTimeout(10_000);
    await page.goto(urlOf(`#/alert/ExchangeDisabled/${EXCHANGE}`));
    const hold = page.getByRole("button", { name: "Hold" });
    await hold.waitFor();
    const known = Promise.withResolvers<void>();
    await page.route("**/api/v1/scope?*", async (route) => {
      await known.promise;
      await route.continue();
    });
    await hold.click();
    const about = page.getByRole("dialog").locator("dl");
    await about.getByText("Loading …").waitFor();
    await page.evaluate("new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn)))");
    expect(await about.textContent()).toContain("Loading …");
    expect(await about.textContent()).not.toContain("0 entities");
    known.resolve();
    await about.getByText("1 entity, with 1 alert pending or firing").waitFor();
    await page.close();
  });

  it("says why it is not known what a hold covers, if the daemon refuses its scope", async () => {
    const { page } = await open();
    page.setDefaultTimeout(10_000);
    await page.goto(urlOf(`#/alert/ExchangeDisabled/${EXCHANGE}`));
    await page.getByRole("button", { name: "Hold" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 entity, with 1 alert pending or firing").waitFor();
    await dialog.getByLabel("Entity", { exact: true }).fill("x".repeat(1_000));
    await dialog.locator("dl strong.bad").getByText("the query is wrong").waitFor();
    await page.close();
  });

  it("says of what the config lists that no operator can take it off", async () => {
    const { page } = await open();
    await page.goto(urlOf(`#/entity/bsc-mainnet/sender/0x${"5".padStart(40, "0")}`));
    await page.getByRole("button", { name: "Watch no longer" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("0 entries of an operator: it is listed by config").waitFor();
    await page.close();
  });

  it("says of an alert what holds its action back now, and not what did at first", async () => {
    const { page } = await open();
    await page.goto(urlOf(`#/alert/ExchangeDisabled/${EXCHANGE}`));
    // The reading that began it came right after the start, and no later one was complete.
    await page.getByText("held back (starting): no complete reading").waitFor();
    await page.close();
  });

  it("leads on a phone from what happened to the alert, and shows where one is", async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 } });
    await page.goto(urlOf("#/timeline?text=EXCHANGE-0&types=alert"));
    const views = page.getByRole("navigation", { name: "Views" });
    await page.getByText(/\d findings?$/).waitFor();
    const shown = await views.getByRole("link", { name: "Timeline" }).boundingBox();
    expect((shown?.x ?? 999) + (shown?.width ?? 0)).toBeLessThanOrEqual(390);
    await page
      .getByRole("cell")
      .getByRole("link", { name: /ExchangeDisabled/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "ExchangeDisabled", exact: true }).waitFor();
    await page.goto(urlOf("#/remediations?text=none-such"));
    await page.getByText("No remediation fits.").waitFor();
    await page.close();
  });

  it("shows what a reload would change before it asks for it", async () => {
    const { page } = await open();
    await page.goto(urlOf());
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

  it("has no button for what a token does not allow", async () => {
    const { page } = await open();
    await page.goto(urlOf());
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
    await page.goto(urlOf(`#/entity/${EXCHANGE}`));
    await page.getByText("Guards of enable_exchange").waitFor();
    expect(await page.getByRole("button", { name: "Hold" }).count()).toBe(0);
    await page.close();
  });

  it("offers holds and silences to a token that allows no more, and makes them", async () => {
    const { page } = await open();
    await page.goto(urlOf(`#/entity/${EXCHANGE}`));
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await button("Silence").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your token").fill(HOLDER_TOKEN);
    await dialog.getByLabel("Reason").fill("known to all");
    await dialog.getByRole("button", { name: "Silence" }).click();
    await dialog.getByText("Done: ").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await button("Hold").waitFor();
    expect(await button("Silence").count()).toBe(1);
    await page.getByText("carol", { exact: true }).click();
    await button("Hold …").waitFor();
    expect(await button("Silence …").count()).toBe(1);
    for (const name of ["Stop all actions …", "Watch one more …", "Reload …"])
      expect(await button(name).count()).toBe(0);
    await page.close();
  });

  it("keeps nothing in the browser but the zone of the clock", async () => {
    const { page } = await open({ viewport: { width: 1_440, height: 900 } });
    await page.goto(urlOf());
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
