import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findBrowser, openPage, startBrowser } from "../browser.ts";
import { startBusyWorld, type BusyWorld } from "../busy-world.ts";
import { startDemo, type Demo } from "../start-demo.ts";

const browserPath = findBrowser("the timeline in a browser");

/** An alert each, so that there are more findings than a page of the API has. */
const PAIRS = 1_100;

describe.skipIf(browserPath === undefined)("the timeline", () => {
  let world: BusyWorld;
  let browser: Browser;

  beforeAll(async () => {
    world = await startBusyWorld({ senders: 10, disabledPairs: PAIRS });
    browser = await startBrowser(browserPath);
    const { page } = await openPage(browser);
    await page.goto(`${world.url}/#/alerts?state=firing`);
    await page.getByText(/^1\s1\d\d alerts$/).waitFor();
    await page.close();
  });

  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });

  async function openTimeline(filters = "", prepare?: (page: Page) => Promise<void>) {
    const opened = await openPage(browser, { viewport: { width: 1_440, height: 900 } });
    await prepare?.(opened.page);
    await opened.page.goto(`${world.url}/#/timeline${filters}`);
    const chart = opened.page.getByRole("group", { name: /^Lifetimes/ });
    await chart.waitFor();
    return { ...opened, chart };
  }

  it("shows the newest findings, and older ones on demand", async () => {
    const { page, complaints } = await openTimeline();
    await page.getByText(/^1\s0\d\d findings$/).waitFor();
    await page.getByRole("button", { name: "Older ones" }).click();
    await page.getByText(/^1\s[1-9]\d\d findings$/).waitFor();
    await page.getByText("More was found than is shown").waitFor({ state: "detached" });
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("reads a page to its end that takes longer than the overview rests", async () => {
    const slowly = async (page: Page): Promise<void> => {
      await page.route(/timeline\?.*cursor=/, async (route) => {
        for (let looks = 0; looks < 2; looks += 1) await page.waitForResponse(/\/overview/);
        // It is gone if it was given up.
        await route.continue().catch(() => undefined);
      });
    };
    const { page, complaints } = await openTimeline("", slowly);
    await page.getByText(/^1\s0\d\d findings$/).waitFor();
    await page.getByRole("button", { name: "Older ones" }).click();
    await page.getByText(/^1\s[1-9]\d\d findings$/).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("draws ten pages at most, and says how the others are seen", async () => {
    const { page, complaints } = await openTimeline("", ONE_EACH);
    for (let pages = 1; pages < 10; pages += 1) {
      await page.getByText(pages === 1 ? "1 finding" : `${pages} findings`, EXACTLY).waitFor();
      await page.getByRole("button", { name: "Older ones" }).click();
    }
    await page.getByText("10 findings", EXACTLY).waitFor();
    await page.getByText("move there and zoom in").waitFor();
    expect(await page.getByRole("button", { name: "Older ones" }).count()).toBe(0);
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("asks for ten pages of old polls at most, each once, and says what is not shown", async () => {
    const asked: string[] = [];
    const endless = async (page: Page): Promise<void> => {
      await page.route(/types=polled%2Crestart/, async (route) => {
        const cursor = new URL(route.request().url()).searchParams.get("cursor") ?? "0";
        asked.push(cursor);
        const at = new Date(Date.now() - 60_000 * asked.length).toISOString();
        const rows = [{ ...POLLED, at, subject: `${asked.length}` }];
        const next = String(Number(cursor) + 1);
        await route.fulfill({ json: { from: at, until: at, kept_since: at, rows, next } });
      });
    };
    const { page } = await openTimeline(`?${await lastSecond(world)}`, endless);
    await page.getByText("Too much was found of pollers").waitFor();
    expect(asked).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    await page.close();
  });

  it("has twenty lanes, and more on demand", async () => {
    const { page, chart } = await openTimeline();
    const names = chart.locator("text.name");
    await page.getByRole("button", { name: /^100 more of/ }).waitFor();
    expect(await names.count()).toBe(20);
    await page.getByRole("button", { name: /^100 more of/ }).click();
    await names.nth(119).waitFor();
    expect(await names.count()).toBe(120);
    await page.close();
  });

  it("shows in a span what began long before it", async () => {
    const { page, chart } = await openTimeline(`?${await lastSecond(world)}`);
    await page.getByRole("button", { name: /^100 more of/ }).waitFor();
    expect(await chart.locator("rect.firing").count()).toBe(19);
    expect(await chart.locator("rect.truncated").count()).toBe(1);
    await page.close();
  });

  it("shows in a span that a poller had not read all since long before it", async () => {
    const { page, chart, complaints } = await openTimeline(`?${await lastSecond(world)}`);
    await chart.locator("rect.truncated").waitFor();
    // It stands above more alerts than are shown.
    await page.getByRole("button", { name: /^100 more of/ }).waitFor();
    const [first] = await chart.locator("text.name").allTextContents();
    expect(first).toContain("poller bsc-mainnet/exchanges");
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("marks at the edges of a span nothing that was outside of it", async () => {
    const { page, chart } = await openTimeline(`?types=polled&${await lastSecond(world)}`);
    await chart.locator("rect.truncated").waitFor();
    expect(await chart.locator("circle").count()).toBe(0);
    await page.close();
  });

  it("is moved by dragging, and zoomed by the wheel with Ctrl and by two fingers", async () => {
    const { page, chart, complaints } = await openTimeline();
    await page.getByRole("button", { name: "The last 1h" }).click();
    const lasting = await shown(chart);
    expect(lasting.length).toBe("1h");
    const { x, y, width } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(x + width * 0.5, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.8, y + 20, { steps: 4 });
    await page.mouse.up();
    const dragged = await shown(chart);
    expect(dragged.length).toBe("1h");
    expect(dragged.from).toBeLessThan(lasting.from);
    // Without a button pressed, a mouse that passes moves nothing.
    await page.mouse.move(x + width * 0.4, y + 20);
    expect((await shown(chart)).from).toBe(dragged.from);

    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -400);
    await page.keyboard.up("Control");
    await chart.getByRole("img", { name: /, \d+m( \d+s)? long$/ }).waitFor();
    const zoomed = await shown(chart);
    await pinch(page, chart);
    expect((await shown(chart)).length).not.toBe(zoomed.length);
    await page.close();
    expect(complaints).toEqual([]);
  });
});

it.skipIf(browserPath === undefined)(
  "shows that a poller has failed for long, though much was found of another since",
  async () => {
    const schedules = { exchanges: "* * * * * *", pools: "* * * * * *" };
    const demo = await startDemo({ aggregator: { schedules } });
    onTestFinished(async () => void (await demo.stop()));
    const browser = await startBrowser(browserPath);
    onTestFinished(async () => await browser.close());
    const told = async (outcome: RegExp): Promise<void> => {
      const { page } = await openPage(browser);
      await page.goto(`${demo.url}/#/timeline?types=polled`);
      await page.getByRole("row").filter({ hasText: outcome }).first().waitFor();
      await page.close();
    };
    await control(demo, { do: "set_fault", endpoint: "reserves", fault: FAILS });
    await told(/pools\s*failed/);
    await control(demo, { do: "set_fault", endpoint: "exchanges", fault: { kind: "partial" } });
    await told(/exchanges\s*(?:partial|truncated)/);
    const { page } = await openPage(browser);
    await ONE_EACH(page);
    await page.goto(`${demo.url}/#/timeline?${await lastSecond(demo)}`);
    const chart = page.getByRole("group", { name: /^Lifetimes/ });
    await chart.locator("text.name", { hasText: "poller simulated/pools" }).waitFor();
    await chart.locator("rect.failed").waitFor();
  },
);

/** One finding a page of the API, as so many as fill one would take days. */
const ONE_EACH = async (page: Page): Promise<void> => {
  await page.route(/timeline\?/, async (route) => {
    await route.continue({ url: route.request().url().replace("limit=1000", "limit=1") });
  });
};

const EXACTLY = { exact: true };

/** A finding of a poller, as the API gives it. */
const POLLED = {
  type: "polled",
  what: "complete",
  detail: "",
  by: null,
  reason: null,
  alertname: null,
  alert: null,
  entity: null,
  severity: null,
  alias: null,
};

const FAILS = { kind: "status", status: 500 };

async function control({ simulatorUrl }: Demo, command: object): Promise<void> {
  const reply = await fetch(`${simulatorUrl}/_sim/control`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(command),
  });
  expect(reply.status, await reply.text()).toBe(200);
}

/** A span up to now by the daemon's clock, once all that there is to find has been found. */
async function lastSecond({ url }: Pick<BusyWorld, "url">): Promise<string> {
  const overview = (await (await fetch(`${url}/api/v1/overview`)).json()) as { at: string };
  const from = new Date(Date.parse(overview.at) - 1_000).toISOString();
  return new URLSearchParams({ from, until: overview.at }).toString();
}

async function shown(chart: Locator): Promise<{ readonly from: number; readonly length: string }> {
  const label = await chart.getByRole("img").getAttribute("aria-label");
  const [, from = "", length = ""] = /from (.*), (.*) long$/.exec(label ?? "") ?? [];
  return { from: Date.parse(from), length };
}

/** Two fingers that move apart, as the browser tells of them. */
async function pinch(page: Page, chart: Locator): Promise<void> {
  const { x, y, width } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0 };
  const finger = async (type: string, pointerId: number, part: number): Promise<void> => {
    const where = { pointerId, clientX: x + width * part, clientY: y + 20 };
    await chart.dispatchEvent(type, { ...where, pointerType: "touch", bubbles: true });
  };
  await finger("pointerdown", 11, 0.55);
  await finger("pointerdown", 12, 0.65);
  await finger("pointermove", 11, 0.45);
  await finger("pointermove", 12, 0.85);
  await finger("pointerup", 11, 0.45);
  await finger("pointerup", 12, 0.85);
  await page.mouse.move(x, y);
}
