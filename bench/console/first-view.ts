import type { Browser } from "playwright-core";

/** What a new browser needs until it shows what waits for a person: the button that approves. */
export type FirstView = {
  readonly ms: number;
  /** That had ended by then. */
  readonly requests: number;
};

/** Notes by the browser's own clock when the button is there, without asking again and again. */
const NOTE = `new MutationObserver((_, observer) => {
  if (![...document.querySelectorAll("button")].some(({ textContent }) => textContent.includes("Approve"))) return;
  observer.disconnect();
  window.shownAfter = performance.now();
}).observe(document, { subtree: true, childList: true })`;

const READ = `({
  ms: shownAfter,
  requests: 1 + performance.getEntriesByType("resource").filter((one) => one.responseEnd <= shownAfter).length,
})`;

/** In a context of its own, so that nothing is cached. */
export async function firstView(browser: Browser, url: string): Promise<FirstView> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(NOTE);
  await page.goto(url, { waitUntil: "commit" });
  await page.getByRole("button", { name: "Approve" }).first().waitFor();
  const view = await page.evaluate<FirstView>(READ);
  await context.close();
  return view;
}
