import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { faultsEverywhere } from "../axe.ts";
import { findBrowser, openPage, startBrowser } from "../browser.ts";
import { startDemo, type Demo } from "../start-demo.ts";
import { TOKEN } from "../tokens.ts";
import { disableExchange, operatedDemo, repairingDemo } from "./demos.ts";

const browserPath = findBrowser("deciding on the page");

describe.skipIf(browserPath === undefined)("a proposal on the page", () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    browser = await startBrowser(browserPath);
    demo = await startDemo(repairingDemo("propose", operatedDemo(["approve"])));
  });

  afterAll(async () => {
    await demo?.stop();
    await browser?.close();
  });

  const disable = async (name: string): Promise<void> => await disableExchange(demo, name);
  const row = (page: Page, name: string) => page.getByRole("article").filter({ hasText: name });

  it("is approved by a person with a token and a reason, and then sent", async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(demo.url);
    await disable("BINANCE");
    await row(page, "BINANCE").getByRole("button", { name: "Approve" }).click();

    const dialog = page.getByRole("dialog");
    await dialog.getByText("enableExchange exchange=BINANCE").waitFor();
    await dialog.getByLabel("Your token").fill("not-the-token");
    await dialog.getByLabel("Reason").fill("checked with the desk");
    await dialog.getByRole("button", { name: "Approve" }).click();
    await dialog.getByText("Refused (401): unknown token").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);

    // The view behind it goes on while the dialog is open, and nothing that was typed is lost.
    await page.waitForResponse(/overview/);
    await page.waitForResponse(/overview/);
    expect(await dialog.getByLabel("Reason").inputValue()).toBe("checked with the desk");

    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByRole("button", { name: "Approve" }).click();
    await dialog.getByText("Done: approved enable_exchange").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();

    const remediation = page.getByRole("row").filter({ hasText: "verified" });
    await remediation.filter({ hasText: "enable_exchange" }).first().waitFor();
    const { remediations } = (await (await fetch(`${demo.url}/api/v1/status`)).json()) as {
      remediations: unknown[];
    };
    expect(remediations).toMatchObject([{ approved_by: "alice", state: "verified" }]);
    // Chromium itself reports the answer 401.
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    expect(await storedBy(page)).toEqual({ local: 0, session: 0, cookie: "" });
    expect(await page.content()).not.toContain(TOKEN);
    await page.close();
  });

  it("that is over, or never was, is not looked for in vain by who follows its link", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${demo.url}/#p1234`);
    const link = page.getByText("p1234 does not wait").getByRole("link");
    expect(await link.getAttribute("href")).toBe("#/timeline?text=p1234");
    await page.close();
  });

  it("is denied, and the token need not be typed again on the same page", async () => {
    const { page } = await openPage(browser);
    await page.goto(demo.url);
    await disable("KUCOIN");
    await row(page, "KUCOIN").getByRole("button", { name: "Deny" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your token").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByLabel("Reason").fill("left off on purpose");
    await dialog.getByRole("button", { name: "Deny" }).click();
    await dialog.getByText("Done: denied enable_exchange").waitFor();
    await dialog.getByText("does not wait for this decision any more").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByText("denied while this alert lasts").waitFor();

    await disable("OKX");
    await row(page, "OKX").getByRole("button", { name: "Deny" }).click();
    await dialog.getByText("As alice.").waitFor();
    expect(await dialog.getByLabel("Your token").count()).toBe(0);
    await dialog.getByLabel("Reason").fill("this one too");
    await dialog.getByRole("button", { name: "Deny" }).click();
    await dialog.getByText("Done: denied enable_exchange").waitFor();
    await page.close();
  });

  it("gives the focus back to what opened it, and to what follows once that is gone", async () => {
    // One of its own: what is left disabled here would make a storm with what the other tests disable.
    const own = await startDemo(repairingDemo("propose", operatedDemo(["approve"])));
    onTestFinished(async () => void (await own.stop()));
    const { page } = await openPage(browser);
    await page.goto(own.url);
    await disableExchange(own, "PANCAKESWAP");
    await disableExchange(own, "CURVE");
    const deny = row(page, "PANCAKESWAP").getByRole("button", { name: "Deny" });
    await deny.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    const focused = async (): Promise<string> =>
      await page.evaluate<string>(
        "[document.activeElement.tagName, document.activeElement.closest('article')?.textContent].join(' ')",
      );
    await expect.poll(focused, { timeout: 15_000 }).toMatch(/^BUTTON .*PANCAKESWAP/s);

    const operate = page.locator("details.menu");
    await operate.locator("summary").click();
    await operate.getByRole("button", { name: "Hold …" }).click();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await expect.poll(focused, { timeout: 15_000 }).toMatch(/^SUMMARY/);

    await row(page, "PANCAKESWAP").getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Your token").fill(TOKEN);
    await dialog.getByLabel("Reason").fill("it is back");
    await page.keyboard.press("Enter");
    await dialog.getByText("Done: approved enable_exchange").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await row(page, "PANCAKESWAP").waitFor({ state: "detached" });
    await expect.poll(focused, { timeout: 15_000 }).toMatch(/^(A|BUTTON) .*enable_exchange/s);
    await page.close();
  });

  it("opens its dialog by the link of a notification, once, and sends nothing by itself", async () => {
    const { page } = await openPage(browser);
    await page.goto(demo.url);
    await disable("ASCENDEX");
    await row(page, "ASCENDEX").waitFor();
    const id = await row(page, "ASCENDEX").getAttribute("id");
    // As `linkTo` of src/notifiers/wording.ts writes it.
    await page.goto(`${demo.url}/#${id}`);
    const dialog = page.getByRole("dialog");
    await dialog.getByText("enableExchange exchange=ASCENDEX").waitFor();
    expect(await dialog.getByLabel("Reason").inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    // The view is made again meanwhile, and the person has decided not to decide.
    await page.waitForResponse(/overview/);
    await page.waitForResponse(/overview/);
    expect(await dialog.isVisible()).toBe(false);
    expect(await row(page, "ASCENDEX").getByRole("button", { name: "Deny" }).count()).toBe(1);
    await page.reload();
    await dialog.getByText("enableExchange exchange=ASCENDEX").waitFor();
    await page.close();
  });

  it("is explained on the entity's page as soon as something is wrong there", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${demo.url}/#/entity/simulated/exchange/ORION_POOL`);
    await page.getByRole("heading", { name: /^Rules/ }).waitFor();
    expect(await page.getByText("Guards of enable_exchange").count()).toBe(0);
    await disable("ORION_POOL");
    await page.getByText("Guards of enable_exchange").waitFor();
    await page.close();
  });

  it("is a command only, if the browser runs no script", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(demo.url);
    await page.waitForURL(/\/plain$/);
    await page.getByRole("heading", { name: "aggwatch" }).waitFor();
    expect(await page.getByRole("button").count()).toBe(0);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await context.close();
  });

  it("says how deciding is enabled, if there are no tokens, and that a page is old", async () => {
    const other = await startDemo(repairingDemo("propose"));
    const { page } = await openPage(browser);
    try {
      await page.goto(other.url);
      await disableExchange(other, "BINANCE");
      await page.getByText("Nobody can decide here: writing calls are off").waitFor();
      const names = await page.getByRole("button").allTextContents();
      expect(names.filter((name) => /approve|deny|hold|stop/i.test(name))).toEqual([]);
    } finally {
      await other.stop();
    }
    await page.getByRole("alert").getByText("What is below is old").waitFor();
    await page.close();
  });
});

async function storedBy(page: Page): Promise<{ local: number; session: number; cookie: string }> {
  return await page.evaluate(
    "({ local: localStorage.length, session: sessionStorage.length, cookie: document.cookie })",
  );
}
