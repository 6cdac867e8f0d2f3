import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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
/**
 * A new window costs the browser as much as the page (measured: renderers of its own bars and its start page, 180 ms of
 * two cores), which is over before a person has typed an address.
 */
const WINDOW_OPENS_MS = 1_000;
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
  await setTimeout(WINDOW_OPENS_MS);
  await page.goto(url, { waitUntil: "commit" });
  await shown;
  const view = await page.evaluate<FirstView>(READ);
  await context.close();
  return view;
}

const LEAST_PAGE = `<!doctype html><title>aggwatch</title><script type="module" src="/page.js"></script><body>`;
const LEAST_MODULE = `const button = document.createElement("button");
button.textContent = "Approve";
document.body.append(button);`;

/** The least that a page with a module can be: what of a first view is the browser's own. */
export async function serveLeastPage(): Promise<{
  readonly url: string;
  readonly stop: () => void;
}> {
  const server = createServer(({ url }, reply) => {
    const isModule = url === "/page.js";
    reply.setHeader("content-type", isModule ? "text/javascript" : "text/html");
    reply.end(isModule ? LEAST_MODULE : LEAST_PAGE);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, stop: () => void server.close() };
}
