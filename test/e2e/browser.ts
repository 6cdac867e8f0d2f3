import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { findTool } from "./tools.ts";

/** Chromium, as the tests of pages start it. */

/** On a busy host a page may take long; what it waits for is in the message. */
const LONGEST_WAIT_MS = 120_000;

/** Undefined, and it is said for what it is missed, if there is none. */
export function findBrowser(what: string): string | undefined {
  return findTool(["chromium", "chromium-browser"], what);
}

export async function startBrowser(path: string | undefined): Promise<Browser> {
  return await chromium.launch({
    executablePath: path ?? "",
    timeout: LONGEST_WAIT_MS,
    // Chromium's own sandbox does not work for root, who runs this in a container.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
}

/** A page, and what the browser complains of there. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser["newPage"]>[0] = {},
): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(LONGEST_WAIT_MS);
  // An answer to a request may be on its way through a route; that it does not arrive any more is no failure.
  const close = page.close.bind(page);
  page.close = async (closing) => {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await close(closing);
  };
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  return { page, complaints };
}
