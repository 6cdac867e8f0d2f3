import { describe, expect, it } from "vitest";
import { findBrowser } from "../browser.ts";
import { TOKEN } from "../tokens.ts";
import { EXCHANGE, useBusyConsole } from "./busy-console.ts";

/** The way to what somebody looks for in much that is wrong, and back. */

const browserPath = findBrowser("finding things in a browser");

describe.skipIf(browserPath === undefined)("finding something in the console", () => {
  const { open, urlOf } = useBusyConsole(browserPath, 100);

  it("searches again and again by the keys alone", async () => {
    const { page } = await open();
    await page.goto(urlOf());
    const box = page.getByRole("searchbox", { name: /^Search/ });
    const found = page.getByRole("search").getByRole("link");
    await box.waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("EXCHANGE-0");
    await found.first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    await found.first().waitFor({ state: "detached" });
    // Who goes on typing opens it again.
    await box.fill("EXCHANGE-1");
    await found.filter({ hasText: /^EXCHANGE-1 / }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "EXCHANGE-1", exact: true }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("no-such");
    await page.getByText("Nothing has all these words.").waitFor();
    expect(await box.inputValue()).toBe("no-such");
    expect(await found.count()).toBe(0);
    await page.close();
  });

  it("sees what was found above everything else on a phone, without a page that is too wide", async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 } });
    await page.goto(urlOf());
    await page.getByRole("searchbox", { name: /^Search/ }).fill("EXCHANGE-1");
    const found = page.getByRole("search").getByRole("link");
    await found.filter({ hasText: /^EXCHANGE-1 / }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    // Each is on top where it stands, and none under the links of the views.
    const covered = await found.evaluateAll((links: Where[]) =>
      links.flatMap((link) => {
        const { left, top, width, height } = link.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        const at = link.ownerDocument.elementFromPoint(x, y);
        return at === null || link.contains(at) ? [] : [at.textContent];
      }),
    );
    expect(covered).toEqual([]);
    await page.close();
  });

  it("comes back to the rows of a list that it left", async () => {
    const { page } = await open({ viewport: { width: 1_440, height: 900 } });
    await page.goto(urlOf("#/alerts"));
    const row = page.getByRole("row", { name: /EXCHANGE-9\/A86-USDT/ });
    await page.getByText(/^5\d\d alerts$/).waitFor();
    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, 100_000);
    await row.waitFor();
    await row.scrollIntoViewIfNeeded();
    const before = (await row.boundingBox())?.y;
    await row.getByRole("link", { name: "EXCHANGE-9/A86-USDT" }).click();
    await page.getByRole("heading", { name: "EXCHANGE-9/A86-USDT" }).waitFor();
    expect(await page.evaluate("scrollY")).toBe(0);
    await page.goBack();
    await row.waitFor();
    await expect.poll(async () => (await row.boundingBox())?.y).toBe(before);
    await page.close();
  });

  it("reads the severity of each alert, and the whole of a text that is cut", async () => {
    const { page } = await open({ viewport: { width: 1_440, height: 900 } });
    await page.goto(urlOf("#/alerts?text=EXCHANGE-0&alertname=ExchangeDisabled"));
    const cell = (text: RegExp) => page.getByRole("cell").filter({ hasText: text });
    await cell(/^firing critical$/).waitFor();
    expect(await cell(/^held back/).getAttribute("title")).toMatch(/^held back \(starting\): .+/);
    await page.close();
  });

  it("reads each problem of a tried rule once, and no columns in which nothing stands", async () => {
    const { page } = await open();
    await page.goto(urlOf("#/try"));
    const editor = page.getByLabel("A rule file, as YAML");
    const text = await editor.inputValue();
    await editor.fill(text.replace("each: exchange", "each: exchang"));
    await page.getByLabel("Your token").fill(TOKEN);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText('unknown kind "exchang"').waitFor();
    expect(await page.getByText('did you mean "exchange"?').count()).toBe(1);
    await editor.fill(text);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByRole("row").filter({ hasText: "EXCHANGE-0" }).waitFor();
    const heads = await page.getByRole("columnheader").allTextContents();
    expect(heads).toEqual(["Entity", "What it read"]);
    await page.close();
  });

  it("has one line for what can be pressed on a phone", async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 } });
    await page.goto(urlOf(`#/entity/${EXCHANGE}`));
    const menu = await page.locator("details.menu").boundingBox();
    const clock = await page.getByRole("button", { name: /\d\d:\d\d:\d\d/ }).boundingBox();
    expect(clock?.y).toBeLessThan((menu?.y ?? 0) + (menu?.height ?? 0));
    // Its name is its id, which is said once.
    await page.getByRole("heading", { name: "EXCHANGE-0" }).waitFor();
    expect(await page.locator(".pagehead code").count()).toBe(0);
    await page.close();
  });
});

/** Of an element in the browser, which tests are not compiled for. */
type Where = {
  readonly textContent: string;
  readonly getBoundingClientRect: () => Readonly<
    Record<"left" | "top" | "width" | "height", number>
  >;
  readonly contains: (other: Where) => boolean;
  readonly ownerDocument: { readonly elementFromPoint: (x: number, y: number) => Where | null };
};
