import { setTimeout } from "node:timers/promises";
import type { Browser } from "playwright-core";
import type { EntitiesJson } from "../../src/io/api/answers.ts";

/** What a new browser needs until it shows what waits for a person: the button that approves. */
export type FirstView = {
  readonly ms: number;
  /** That had ended by then. */
  readonly requests: number;
};

const ASK_AGAIN_MS = 500;
const SHOWN = "the first view is shown";

/** Notes by the browser's own clock when the button is there. Asked again and again, the page would be the slower. */
const NOTE = `new MutationObserver((_, observer) => {
  if (![...document.querySelectorAll("button")].some(({ textContent }) => textContent.includes("Approve"))) return;
  observer.disconnect();
  window.shownAfter = performance.now();
  console.debug("${SHOWN}");
}).observe(document, { subtree: true, childList: true })`;

const READ = `({
  ms: shownAfter,
  requests: 1 + performance.getEntriesByType("resource").filter((one) => one.responseEnd <= shownAfter).length,
})`;

/** Resolves when all of so many senders, and whatever else is watched, were read. */
export async function allRead(url: string, senders: number): Promise<void> {
  for (;;) {
    const reply = await fetch(`${url}/api/v1/entities?kind=sender&limit=1`);
    const { total } = (await reply.json()) as EntitiesJson;
    if (total === senders) return;
    await setTimeout(ASK_AGAIN_MS);
  }
}

/** In a context of its own, so that nothing is cached. */
export async function firstView(browser: Browser, url: string): Promise<FirstView> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(NOTE);
  const shown = page.waitForEvent("console", (message) => message.text() === SHOWN);
  await page.goto(url, { waitUntil: "commit" });
  await shown;
  const view = await page.evaluate<FirstView>(READ);
  await context.close();
  return view;
}
