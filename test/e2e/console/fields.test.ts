import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findBrowser } from "../browser.ts";
import { TOKEN } from "../tokens.ts";
import { useBusyConsole } from "./busy-console.ts";

/** Fields keep what a person writes, and it goes where it was written. */

const browserPath = findBrowser("fields of the console");

describe.skipIf(browserPath === undefined)("the console", () => {
  const { open, urlOf } = useBusyConsole(browserPath, 100);

  it.each(["try", "backtest"])(
    "stops all actions from the view %s, which has a field for a token of its own",
    async (view) => {
      const { page } = await open();
      page.setDefaultTimeout(10_000);
      await page.goto(urlOf(`#/${view}`));
      await page.getByText("Operate", { exact: true }).click();
      await page.getByRole("button", { name: "Stop all actions …" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Your token").fill(TOKEN);
      await dialog.getByLabel("Reason").fill("a drill");
      await dialog.getByRole("button", { name: "Stop all actions" }).click();
      await dialog.getByText("Done: ").waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
      // A token that is known there is known here, too.
      await page.locator("main").getByText("As alice.").waitFor();
      await page.close();
      await release();
    },
  );

  it("refuses a token with an invisible character, says why, and sends no request", async () => {
    const { page } = await open();
    page.setDefaultTimeout(10_000);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(urlOf("#/try"));
    await page.getByLabel("Your token").fill(`${TOKEN}\u200B`);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("perhaps an invisible one, that no token has").waitFor();
    expect(await page.getByText("cannot be reached").count()).toBe(0);
    expect(asked).not.toContain("/api/v1/token");
    await page.close();
  });

  it("says of a result that it is of the text as it was before it was changed", async () => {
    const { page } = await open();
    await page.goto(urlOf("#/try"));
    const editor = page.getByLabel("A rule file, as YAML");
    const text = await editor.inputValue();
    const old = page.getByText("The text was changed since:", { exact: false });
    const tryIt = async (found: string): Promise<void> => {
      await page.getByRole("button", { name: "Try it" }).click();
      await page.getByText(found, { exact: true }).waitFor();
    };
    await page.getByLabel("Your token").fill(TOKEN);
    await tryIt("4 exchanges");
    await page.getByRole("button", { name: "on the last hour" }).click();
    await page.getByText(/^It would have fired/).waitFor();
    expect(await old.count()).toBe(0);
    await editor.fill(text.replace("disabled", "enabled"));
    await old.nth(1).waitFor({ timeout: 10_000 });
    await tryIt("34 exchanges");
    // The replay is still of the text before.
    expect(await old.count()).toBe(1);
    await editor.fill(text);
    await tryIt("4 exchanges");
    expect(await old.count()).toBe(0);
    await page.close();
  });

  it("asks for another token if that which a view knows is not taken any more", async () => {
    const { page } = await open();
    page.setDefaultTimeout(10_000);
    await page.goto(urlOf("#/try"));
    await page.getByLabel("Your token").fill(TOKEN);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("4 exchanges").waitFor();
    await page.route(/api\/v1\/try-rule/, async (route) => {
      await route.fulfill({ status: 401, json: { error: "the token is not known" } });
    });
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("Refused (401): the token is not known").waitFor();
    await page.getByLabel("Your token").waitFor();
    await page.close();
  });

  it("keeps what is written into the form of a replay while time passes, in either zone", async () => {
    const { page } = await open({ timezoneId: "Asia/Kolkata" });
    page.setDefaultTimeout(10_000);
    await page.clock.install();
    await page.goto(urlOf("#/backtest"));
    const from = page.getByLabel(/^From/);
    await from.fill("2026-01-31T12:00:00");
    const clock = page.locator(".state .plain");
    const before = await clock.textContent();
    await page.clock.runFor(5_000);
    await expect.poll(async () => await clock.textContent()).not.toBe(before);
    expect(await from.inputValue()).toMatch(/^2026-01-31T12:00/);
    await clock.click();
    await page.getByLabel("From (UTC)").waitFor();
    expect(await from.inputValue()).toMatch(/^2026-01-31T06:30/);
    await page.close();
  });

  it("keeps the focus, and all that is typed, in the filter of the timeline", async () => {
    const { page } = await open();
    page.setDefaultTimeout(10_000);
    await page.goto(urlOf("#/timeline"));
    const text = page.getByLabel("Text");
    await text.focus();
    // Each is asked for before the next is typed, as by a slow hand.
    for (const typed of ["P", "Pa", "Pai", "Pair"]) {
      const answered = page.waitForResponse((response) => response.url().endsWith(`text=${typed}`));
      await page.keyboard.type(typed.slice(-1));
      await (await answered).finished();
      await drawn(page);
    }
    expect(await text.inputValue()).toBe("Pair");
    expect(await page.evaluate<string>("document.activeElement.tagName")).toBe("INPUT");
    await page.close();
  });

  it("leaves the filters of a timeline that was refused, so that they can be mended", async () => {
    const { page } = await open();
    page.setDefaultTimeout(10_000);
    await page.goto(urlOf("#/timeline?types=nonsense"));
    await page.getByText("the query is wrong").waitFor();
    await page.getByLabel("What").selectOption("alert");
    await page.getByText(/\d findings$/).waitFor();
    await page.close();
  });

  async function release(): Promise<void> {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const body = JSON.stringify({ reason: "the drill is over" });
    const reply = await fetch(urlOf("api/v1/kill"), { method: "DELETE", headers, body });
    expect(reply.status).toBe(200);
  }
});

async function drawn(page: Page): Promise<void> {
  await page.evaluate("new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn)))");
}
