import { describe, expect, it } from "vitest";
import { findBrowser } from "../browser.ts";
import { TOKEN } from "../tokens.ts";
import { EXCHANGE, useBusyConsole } from "./busy-console.ts";

const browserPath = findBrowser("the past in a browser");

describe.skipIf(browserPath === undefined)("the past of ten thousand senders", () => {
  const { open, urlOf, past } = useBusyConsole(browserPath, 10_000);

  it("turns back time on every view, says so, lets nothing be done then, and comes back to now", async () => {
    const { page, complaints } = await open();
    await page.goto(urlOf(`#/entity/${EXCHANGE}`));
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
    await page.goto(urlOf(`#/entity/${EXCHANGE}?at=${past()}`));
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

  it("tries a rule: its problem with a caret, what it would find, and what it would have done", async () => {
    const { page, complaints } = await open();
    await page.goto(urlOf("#/try"));
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
    await page.goto(urlOf(`#/?at=${past()}`));
    await page.getByRole("link", { name: "What would today's rules have done since?" }).click();
    await page.getByLabel("Your token").fill(TOKEN);
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    await page.getByText(/would have been otherwise$/).waitFor();
    await page.getByText(/^\d+ readings? replayed/).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
