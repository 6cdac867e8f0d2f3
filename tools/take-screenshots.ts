import { join } from "node:path";
import { findBrowser, openPage, startBrowser } from "../test/e2e/browser.ts";
import { startBusyWorld } from "../test/e2e/busy-world.ts";

/** `node tools/take-screenshots.ts` takes the pictures of the docs again, of a real daemon in which much is wrong. */

const docs = join(import.meta.dirname, "..", "docs");
const EXCHANGE = "bsc-mainnet/exchange/EXCHANGE-0";

/** Each picture: the view, what it shows once it is there, and how high it is. */
const PICTURES = [
  ["console-overview.png", "#/", "Waiting for a person", 590],
  ["console-alert.png", `#/alert/ExchangeDisabled/${EXCHANGE}`, "Guards of enable_exchange", 640],
  ["console-timeline.png", "#/timeline", "Post-mortem draft", 590],
] as const;

const world = await startBusyWorld({ senders: 1_000, disabledPairs: 514 });
const browser = await startBrowser(findBrowser("pictures"));
try {
  const { page, complaints } = await openPage(browser);
  await page.goto(`${world.url}/#/alerts`);
  await page.getByText(/^5\d\d alerts$/).waitFor();
  // By then every poller has read its part.
  await page.goto(`${world.url}/#/`);
  await page.getByText(/all 5 pollers/).waitFor();
  for (const [file, hash, shown, height] of PICTURES) {
    await page.setViewportSize({ width: 1_280, height });
    await page.goto(`${world.url}/${hash}`);
    await page.getByText(shown).first().waitFor();
    // Pictures are of what is there, and not of what is still on its way.
    await page.waitForLoadState("load");
    await page.getByText("Loading …").waitFor({ state: "detached" });
    await page.screenshot({ path: join(docs, file) });
  }
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
} finally {
  await browser.close();
  await world.stop();
}
