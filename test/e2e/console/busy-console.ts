import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { openPage, startBrowser } from "../browser.ts";
import { startBusyWorld, type BusyWorld } from "../busy-world.ts";

/** One of its exchanges, which is disabled. */
export const EXCHANGE = "bsc-mainnet/exchange/EXCHANGE-0";

/** One of its orders, by an id that is longer than a phone is wide. */
export const ORDER =
  "bsc-mainnet/liquidation/0x202f8b12ba2c0a98fd65c03dfa303715b72c28bbf98a0bd0c30bdcc6428b30c1";

export type BusyConsole = {
  readonly open: (
    options?: Parameters<typeof openPage>[1],
  ) => Promise<{ readonly page: Page; readonly complaints: readonly string[] }>;
  /** The address of a view, which begins with `#`. */
  readonly urlOf: (view?: string) => string;
  /** An instant by which the alerts had begun. */
  readonly past: () => string;
};

/** The console of a real daemon with some 540 alerts, for the tests of one file. */
export function useBusyConsole(browserPath: string | undefined, senders: number): BusyConsole {
  let world: BusyWorld;
  let browser: Browser;
  let past: string;
  beforeAll(async () => {
    world = await startBusyWorld({ senders, disabledPairs: 514 });
    browser = await startBrowser(browserPath);
    const { page } = await openPage(browser);
    await page.goto(`${world.url}/#/alerts`);
    await page.getByText(/^5\d\d alerts$/).waitFor();
    await page.close();
    const overview = (await (await fetch(`${world.url}/api/v1/overview`)).json()) as { at: string };
    past = overview.at;
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });
  return {
    open: (options = {}) => openPage(browser, options),
    urlOf: (view = "") => `${world.url}/${view}`,
    past: () => past,
  };
}
