import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemo } from "./start-demo.ts";
import type { Demo } from "./start-demo.ts";
import { findTool } from "./tools.ts";

const browserPath = findTool(["chromium", "chromium-browser"], "the page in a browser");

describe.skipIf(browserPath === undefined)("the console in a browser", () => {
  let demo: Demo;
  let browser: Browser;

  beforeAll(async () => {
    demo = await startDemo();
    browser = await chromium.launch({
      executablePath: browserPath ?? "",
      // Chromium's own sandbox does not work for root, who runs this in a container.
      args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    });
  });

  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  it("shows an exchange that was disabled, by itself, and complains of nothing", async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });

    await page.goto(demo.url);
    await page.getByRole("heading", { name: "aggwatch" }).waitFor();
    await page.getByText("actions: shadow").waitFor();

    await page.goto(`${demo.url}/#/entities?kind=exchange`);
    const row = page.getByRole("row").filter({ hasText: "BINANCE" });
    await row.first().waitFor({ timeout: 30_000 });
    const disabled = row.filter({
      has: page.getByRole("cell", { name: "disabled", exact: true }),
    });
    expect(await disabled.count()).toBe(0);

    const reply = await fetch(`${demo.simulatorUrl}/api/v1/exchange/toggle/BINANCE`, {
      method: "DELETE",
    });
    expect(reply.status).toBe(200);

    // The page asks for itself anew; nobody presses a key.
    await disabled.first().waitFor({ timeout: 30_000 });
    expect(complaints).toEqual([]);
  });
});
