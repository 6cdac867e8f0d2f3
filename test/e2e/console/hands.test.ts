import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { faultsEverywhere } from "../axe.ts";
import { findBrowser, openPage, startBrowser } from "../browser.ts";
import { startDemo, type Demo } from "../start-demo.ts";
import { TOKEN, tokensFile } from "../tokens.ts";
import { disableExchange, repairingDemo } from "./demos.ts";

/** What gets in the way of a person who operates by mouse and keys, alone or beside another one. */

const browserPath = findBrowser("operating in a browser");

const TOKENS = tokensFile([
  { name: "alice", token: TOKEN, scopes: ["read", "operate", "approve"] },
  { name: "carol", token: "carol", scopes: ["operate", "approve"] },
  { name: "dave", token: "dave", scopes: ["read"] },
]);

describe.skipIf(browserPath === undefined)("operating the console", () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    browser = await startBrowser(browserPath);
    const config = ["server: { tokens_file: tokens.yaml }", ""];
    const files = { "tokens.yaml": TOKENS, "rules/pools.yaml": QUIET_RULE };
    demo = await startDemo(repairingDemo("propose", { config, files }));
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  async function open(view = "") {
    const { page } = await openPage(browser, { viewport: { width: 1_440, height: 900 } });
    onTestFinished(async () => await page.close());
    await page.goto(`${demo.url}/${view}`);
    const menu = page.locator("details.menu");
    await menu.waitFor();
    const dialog = page.getByRole("dialog");
    const choose = async (name: string): Promise<void> => {
      await menu.locator("summary").click();
      await menu.getByRole("button", { name }).click();
      await dialog.waitFor();
    };
    return { page, menu, dialog, choose };
  }

  /** What carol asks for elsewhere. */
  async function byCarol(method: string, path: string, body: object): Promise<void> {
    const reply = await fetch(`${demo.url}/api/v1/${path}`, {
      method,
      headers: { authorization: "Bearer carol", "content-type": "application/json" },
      body: JSON.stringify({ ...body, reason: "carol knows" }),
    });
    expect(reply.status).toBe(200);
  }

  it("closes the menu by Escape, and by pressing elsewhere", async () => {
    const { page, menu } = await open();
    await menu.locator("summary").click();
    await page.locator("details.menu[open]").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("details.menu:not([open])").waitFor();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("SUMMARY");
    await menu.locator("summary").click();
    await page.locator("details.menu[open]").waitFor();
    await page.getByText("Watching: ").click();
    await page.locator("details.menu:not([open])").waitFor();
  });

  it("can ask for nothing from the past by a dialog that was open before", async () => {
    const { page, dialog, choose } = await open();
    const { at } = (await (await fetch(`${demo.url}/api/v1/overview`)).json()) as { at: string };
    await page.goto(`${demo.url}/#/?at=${at}`);
    await page.getByText("This is the past").waitFor();
    await page.getByRole("button", { name: "Back to now" }).click();
    await choose("Hold …");
    await page.goBack();
    await page.getByText("This is the past").waitFor();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.getByText("Operate").waitFor();
    expect(await dialog.count()).toBe(0);
  });

  it("takes another token in the dialog, if the first does not allow it", async () => {
    const { page, dialog, choose } = await open();
    await choose("Hold …");
    await dialog.getByLabel("Entity", { exact: true }).fill("OKX");
    await dialog.getByLabel("Your token").fill("dave");
    await dialog.getByLabel("Reason").fill("maintenance");
    await page.keyboard.press("Enter");
    await dialog.getByText("the token of dave lacks the scope hold").waitFor();
    await dialog.getByRole("button", { name: "Another token" }).click();
    // It has the focus once it is there.
    await dialog.getByLabel("Your token").and(page.locator(":focus")).waitFor();
    await page.keyboard.type(TOKEN);
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1_440, height: 900 });
    await dialog.getByRole("button", { name: "Hold" }).click();
    await dialog.getByText("Done: ").waitFor();
    expect(await dialog.getByLabel("Entity", { exact: true }).inputValue()).toBe("OKX");
  });

  it("reads what another person did meanwhile", async () => {
    const { page, dialog } = await open();
    await disableExchange(demo, "BINANCE");
    const card = page.getByRole("article").filter({ hasText: "BINANCE" });
    await card.getByRole("button", { name: "Approve" }).click();
    await byCarol("POST", `proposals/${await card.getAttribute("id")}/deny`, {});
    await dialog.getByText("any more: carol denied it (carol knows)").waitFor();
    await page.keyboard.press("Escape");
    await card.getByText("denied by carol: carol knows").waitFor();
    expect(await card.getByText("By command").count()).toBe(0);

    await byCarol("POST", "holds", { scope: { id: "KUCOIN" }, for: "1h" });
    const row = page.getByRole("row").filter({ hasText: "id KUCOIN" });
    await row.getByRole("button").click();
    const id = /End hold (\S+)/.exec((await dialog.textContent()) ?? "")?.[1];
    await byCarol("DELETE", `holds/${id}`, {});
    await dialog.getByText("The hold has ended.").waitFor();
    expect(await dialog.getByRole("button", { name: "End it" }).isDisabled()).toBe(true);
  });

  it("stays in the dialog by the keyboard when its button is gone", async () => {
    const { page, dialog, choose } = await open();
    await choose("Stop all actions …");
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByLabel("Reason").fill("a look");
    await dialog.getByRole("button", { name: "Stop all actions" }).press("Enter");
    await dialog.getByText("Done: ").waitFor();
    expect(await focused(page)).toBe("Stop all actions");
    await page.keyboard.press("Escape");
    await choose("Release the kill switch …");
    await dialog.getByLabel("Reason").fill("seen");
    await dialog.getByRole("button", { name: "Release" }).press("Enter");
    await dialog.getByText("No operator's kill switch is on any more.").waitFor();
    await dialog.locator("button:focus", { hasText: "Close" }).waitFor();
  });

  it("does not reload by the second click on the preview, and previews each reload", async () => {
    const { page, dialog, choose } = await open();
    const sent: string[] = [];
    page.on("request", (one) => {
      if (one.url().includes("reload")) sent.push(new URL(one.url()).search);
    });
    await choose("Reload …");
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByText("It would change nothing.").waitFor();
    const button = dialog.getByRole("button", { name: "Reload" });
    // As of a double click on the preview, which was answered between the two.
    await button.dispatchEvent("click", { detail: 2 });
    await dialog.getByRole("button", { name: "Close" }).focus();
    expect(sent).toEqual(["?dry_run=true"]);
    await button.click();
    await dialog.getByText("Done: ").waitFor();
    await dialog.getByRole("button", { name: "Preview" }).waitFor();
    expect(await dialog.getByText("It would change nothing.").count()).toBe(0);
    expect(sent).toEqual(["?dry_run=true", ""]);
  });

  it("reads loudly that what is to be watched no longer is on no list", async () => {
    const { dialog, choose } = await open();
    const address = `0x${"ab".repeat(20)}`;
    const entry = { aggregator: "simulated", kind: "sender", target: address, alias: "desk-z" };
    await byCarol("POST", "watch", entry);
    await choose("Watch no longer …");
    const target = dialog.getByLabel("Target");
    await target.fill(`0x${"cd".repeat(20)}`);
    await dialog.getByText("0 entries: no list has it").waitFor();
    await target.fill("desk-z");
    await dialog.getByText(`0 entries: it is the alias of ${address}`).waitFor();
    await target.fill(address.toUpperCase().replace("0X", "0x"));
    await dialog.getByText("takes 1 entry of an operator off its list").waitFor();
    await target.fill("x".repeat(201));
    await dialog.getByText("the query is wrong").waitFor();
  });

  it("says of what is to be watched no longer what the call will find, however it is written", async () => {
    const { dialog, choose } = await open();
    const entry = { aggregator: "simulated", kind: "order", target: "spot/aB1/0xOWNER" };
    await byCarol("POST", "watch", entry);
    await choose("Watch no longer …");
    await dialog.getByLabel("Kind").selectOption("order");
    const target = dialog.getByLabel("Target");
    await target.fill("spot/AB1");
    await dialog.getByText("0 entries: no list has it").waitFor();
    await target.fill(" spot/aB1 ");
    await dialog.getByText("takes 1 entry of an operator off its list").waitFor();
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByLabel("Reason").fill("it is over");
    await dialog.getByRole("button", { name: "Unwatch" }).click();
    await dialog.getByText("Done: ").waitFor();
    await dialog.getByText("0 entries: no list has it").waitFor();
  });

  it("can hold a rule that has no alert, and reads how much that covers", async () => {
    const { dialog, choose } = await open();
    await choose("Hold …");
    await dialog.getByLabel("Rule").selectOption("NoPool");
    const covered = dialog.getByText(/^\d+ entities, with 0 alerts pending or firing$/);
    const said = (await covered.textContent())?.split(" ")[0];
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByLabel("Reason").fill("quiet as it is");
    await dialog.getByRole("button", { name: "Hold" }).click();
    await dialog.getByText(`it covers ${said} entities now, with 0 alerts`).waitFor();
    await dialog.getByLabel("Kind of entity").selectOption("exchange");
    await dialog.getByText("0 entities: nothing that is known now").waitFor();
  });
});

const QUIET_RULE = `
groups:
  - name: pools
    rules:
      - alert: NoPool
        each: pool
        when: pool.base < 0.0
`;

async function focused(page: Page): Promise<unknown> {
  return await page.evaluate("document.activeElement.textContent.trim()");
}
