import { mkdtempSync, rmSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium, type Browser } from "playwright-core";
import { build } from "../tools/build.ts";
import { startBusyWorld, type Size } from "../test/e2e/busy-world.ts";
import { findTool } from "../test/e2e/tools.ts";
import { median, type Rounds } from "./measure.ts";
import { milliseconds, significant, type Row } from "./table.ts";

/** What the console may weigh, compressed, and how soon it is to be of use. */
const BUDGET_KB = 120;
const BUDGET_MS = 300;

type Look = { readonly ms: number; readonly requests: number; readonly bytesPerSecond: number };

/**
 * How soon a new browser shows the verdict and what waits for a person, of a real daemon in which much is watched and
 * much is wrong; what it transfers then; and what the package's one module weighs. The baselines are the budgets.
 */
export async function benchConsole(size: Size, { warmUps, rounds }: Rounds): Promise<Row[]> {
  const kilobytes = await weightOfPackage();
  const rows: Row[] = [
    {
      name: "console: compressed",
      size: 1,
      ours: `${significant(kilobytes)} kB`,
      baseline: `${BUDGET_KB} kB`,
      ratio: kilobytes / BUDGET_KB,
      note: "module and style of the package; the baseline is the budget",
    },
  ];
  const browserPath = findTool(["chromium", "chromium-browser"], "how soon the console shows");
  if (browserPath === undefined) return rows;
  const world = await startBusyWorld(size);
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  const looks: Look[] = [];
  try {
    for (let turn = -warmUps; turn < rounds; turn += 1) {
      const look = await lookAt(browser, world.url);
      if (turn >= 0) looks.push(look);
    }
  } finally {
    await browser.close();
    await world.stop();
  }
  const ms = median(looks.map((look) => look.ms));
  const requests = median(looks.map((look) => look.requests));
  const bytes = median(looks.map((look) => look.bytesPerSecond));
  return [
    ...rows,
    {
      name: "console: first view",
      size: size.senders,
      ours: milliseconds(ms),
      baseline: milliseconds(BUDGET_MS),
      ratio: ms / BUDGET_MS,
      note: `from source, nothing cached: ${requests} requests; the baseline is the budget`,
    },
    {
      name: "console: updates of the overview",
      size: size.senders,
      ours: `${significant(bytes / 1_000)} kB/s`,
      baseline: "5 kB/s",
      ratio: bytes / 5_000,
      note: "received while the overview is open; the baseline is the budget",
    },
  ];
}

const WATCHED_MS = 10_000;

/** In a context of its own, so that nothing is cached. */
async function lookAt(browser: Browser, url: string): Promise<Look> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let [requests, bytes] = [0, 0];
  await session.send("Network.enable");
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    requests += 1;
    bytes += encodedDataLength;
  });
  await page.goto(url, { waitUntil: "commit" });
  await page.getByRole("button", { name: "Approve" }).first().waitFor();
  // By the browser's own clock: from the beginning of the navigation.
  const ms = await page.evaluate<number>("performance.now()");
  const first = requests;
  await page.waitForLoadState("networkidle").catch(() => undefined);
  const before = bytes;
  await page.waitForTimeout(WATCHED_MS);
  const bytesPerSecond = (bytes - before) / (WATCHED_MS / 1_000);
  await context.close();
  return { ms, requests: first, bytesPerSecond };
}

async function weightOfPackage(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-bench-"));
  try {
    await build(directory);
    const sizes = ["console.js", "console.css"].map(
      (file) => gzipSync(readFileSync(join(directory, "lib", file)), { level: 9 }).length,
    );
    return sizes.reduce((sum, size) => sum + size, 0) / 1_000;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
