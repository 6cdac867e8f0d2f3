import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsEverywhere } from "../axe.ts";
import { findBrowser, openPage, startBrowser } from "../browser.ts";
import { startDemo, type Demo } from "../start-demo.ts";
import { disableExchange, repairingDemo } from "./demos.ts";

const browserPath = findBrowser("the remediations in a browser");

describe.skipIf(browserPath === undefined)("the list of remediations", () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    browser = await startBrowser(browserPath);
    demo = await startDemo(repairingDemo("act"));
    for (const name of ["BINANCE", "KUCOIN"]) await disableExchange(demo, name);
  });

  afterAll(async () => {
    await demo?.stop();
    await browser?.close();
  });

  it("is filtered by an entity, whose page leads to it, and by the address alone", async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(`${demo.url}/#/remediations`);
    const list = page.getByRole("table", { name: "Remediations" });
    await list.getByText("KUCOIN").waitFor();
    await list.getByText("BINANCE").waitFor();

    const entity = page.getByLabel("Entity", { exact: true });
    await entity.fill("exchange/BINANCE");
    await entity.press("Enter");
    await page.getByText("1 remediation", { exact: true }).waitFor();
    expect(await list.getByText("KUCOIN").count()).toBe(0);
    expect(page.url()).toContain("entity=exchange%2FBINANCE");
    expect(await faultsEverywhere(page)).toEqual([]);

    await page.getByLabel("Outcome").selectOption("rejected");
    await page.getByText("0 remediations").waitFor();
    await page.getByRole("link", { name: "Clear" }).click();
    await page.getByText("2 remediations").waitFor();
    expect(await entity.inputValue()).toBe("");

    await page.goto(`${demo.url}/#/entity/simulated/exchange/KUCOIN`);
    await page.getByRole("link", { name: "All of them" }).click();
    await page.getByText("1 remediation", { exact: true }).waitFor();
    expect(await entity.inputValue()).toBe("simulated/exchange/KUCOIN");
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("keeps what is being typed while the list is drawn anew", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${demo.url}/#/remediations`);
    await page.getByText("2 remediations").waitFor();
    const entity = page.getByLabel("Entity", { exact: true });
    await entity.pressSequentially("exchange/BIN");
    for (let times = 0; times < 2; times += 1)
      await page.waitForResponse((reply) => /api\/v1\/remediations/.test(reply.url()));
    await page.getByText("2 remediations").waitFor();
    expect(await entity.inputValue()).toBe("exchange/BIN");
    await page.close();
  });

  it("says how an entity is named, of what cannot be one", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${demo.url}/#/remediations?entity=BINANCE`);
    await page.getByText("entity: must be kind/id, such as exchange/BINANCE").waitFor();
    await page.close();
  });
});
