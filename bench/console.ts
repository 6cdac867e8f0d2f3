import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { chromium, type Browser } from "playwright-core";
import { build } from "../tools/build.ts";
import { startBusyWorld, type Size } from "../test/e2e/busy-world.ts";
import { findTool } from "../test/e2e/tools.ts";
import { allRead, firstView, serveLeastPage } from "./console/first-view.ts";
import { lookAtOverview } from "./console/viewers.ts";
import { median, type Rounds } from "./measure.ts";
import { startMeasured, type MeasuredDaemon } from "./scale/measured-daemon.ts";
import { milliseconds, significant, type Row } from "./table.ts";

/** What the console may weigh, compressed, how soon it is to be of use, and what looking at it may cost. */
const BUDGET_KB = 120;
const BUDGET_MS = 300;
const BUDGET_BLOCK_MS = 10;
const BUDGET_BYTES_PER_SECOND = 5_000;

const HEAP_MB = 512;
/** Of 10 000 senders, each read every 30 s, 1 % is another each second. */
const CHANGING = 0.3;
const VIEWERS = [0, 1, 50];
/** A look lasts; of two, the worse one counts. */
const LOOKS: Rounds = { warmUps: 1, rounds: 2 };

/**
 * How soon a browser that has cached nothing shows the verdict and what waits for a person, of a real daemon in which
 * much is watched and much is wrong, from source and of the package, as it begins to read and once all is read; how soon
 * it shows the least page, beside that daemon; what 1 and 50 viewers cost the daemon's loop beside none; what one is
 * sent; and what the package's one module weighs. The baselines are the budgets.
 */
export async function benchConsole(size: Size, times: Rounds, watchedMs: number) {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-bench-"));
  const browserPath = findTool(["chromium", "chromium-browser"], "how soon the console shows");
  const browser =
    browserPath === undefined
      ? undefined
      : await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  try {
    await build(directory);
    const programs = { "from source": "src/main.ts", package: join(directory, "lib/main.js") };
    const rows: Row[] = [weightRow(directory)];
    for (const [name, program] of Object.entries(programs)) {
      let daemon: MeasuredDaemon | undefined;
      const world = await startBusyWorld({ ...size, changing: CHANGING }, async (paths) => {
        daemon = await startMeasured(paths, HEAP_MB, program);
        return daemon;
      });
      try {
        if (browser !== undefined) {
          const views = { browser, url: world.url, size, times };
          // Of what the daemon has only begun to read; then of all of it.
          rows.push(await firstViewRow(views, `${name}, just started`));
          await allRead(world.url, size.senders);
          rows.push(await firstViewRow(views, name));
        }
        if (browser !== undefined && name === "package")
          rows.push(await leastViewRow({ browser, size, times }));
        if (daemon !== undefined && name === "package")
          rows.push(...(await viewerRows(daemon, size, { ...LOOKS, watchedMs })));
      } finally {
        await world.stop();
      }
    }
    return rows;
  } finally {
    await browser?.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

type FirstViews = {
  readonly browser: Browser;
  readonly url: string;
  readonly size: Size;
  readonly times: Rounds;
};

async function firstViewRow({ browser, url, size, times }: FirstViews, name: string): Promise<Row> {
  const views: Awaited<ReturnType<typeof firstView>>[] = [];
  for (let turn = -times.warmUps; turn < times.rounds; turn += 1) {
    const view = await firstView(browser, url);
    if (turn >= 0) views.push(view);
  }
  const ms = median(views.map((view) => view.ms));
  const soonest = milliseconds(Math.min(...views.map((view) => view.ms)));
  return {
    name: `console: first view, ${name}`,
    size: size.senders,
    ours: milliseconds(ms),
    baseline: milliseconds(BUDGET_MS),
    ratio: ms / BUDGET_MS,
    note: `nothing cached: ${median(views.map((view) => view.requests))} requests; the soonest ${soonest}`,
  };
}

/** Beside a daemon that works, as the other views are. */
async function leastViewRow(views: Omit<FirstViews, "url">): Promise<Row> {
  const { url, stop } = await serveLeastPage();
  try {
    return await firstViewRow({ ...views, url }, "the least page");
  } finally {
    stop();
  }
}

type Looks = Rounds & { readonly watchedMs: number };

/** No viewer, one and many take turns. */
async function viewerRows(daemon: MeasuredDaemon, { senders }: Size, looks: Looks): Promise<Row[]> {
  const blocks = new Map(VIEWERS.map((viewers) => [viewers, [] as number[]]));
  const cpu = new Map(VIEWERS.map((viewers) => [viewers, [] as number[]]));
  const sent: number[] = [];
  for (let turn = -looks.warmUps; turn < looks.rounds; turn += 1)
    for (const count of VIEWERS) {
      const look = await lookFor(daemon, count, looks.watchedMs);
      if (turn < 0) continue;
      blocks.get(count)?.push(look.longestBlockMs);
      cpu.get(count)?.push(look.cpuShare);
      if (count === 1) sent.push(look.bytesPerSecond);
    }
  const bytes = median(sent);
  return [
    ...VIEWERS.map((count) => {
      const ms = median(blocks.get(count) ?? []);
      const share = significant(100 * median(cpu.get(count) ?? []));
      return {
        name: `console: longest block, viewers: ${count}`,
        size: senders,
        ours: milliseconds(ms),
        baseline: milliseconds(BUDGET_BLOCK_MS),
        ratio: ms / BUDGET_BLOCK_MS,
        note: `processor time of the loop's thread, 1 % changed a second; ${share} % of a core in all`,
      };
    }),
    {
      name: "console: updates of the overview",
      size: senders,
      ours: `${significant(bytes / 1_000)} kB/s`,
      baseline: `${BUDGET_BYTES_PER_SECOND / 1_000} kB/s`,
      ratio: bytes / BUDGET_BYTES_PER_SECOND,
      note: "received by one viewer, 1 % changed a second",
    },
  ];
}

async function lookFor(daemon: MeasuredDaemon, count: number, watchedMs: number) {
  const viewers = Array.from({ length: count }, () => lookAtOverview(daemon.url));
  const before = await daemon.ask("sample");
  const bytesBefore = viewers.reduce((sum, viewer) => sum + viewer.bytes(), 0);
  await setTimeout(watchedMs);
  const after = await daemon.ask("sample");
  const bytes = viewers.reduce((sum, viewer) => sum + viewer.bytes(), 0) - bytesBefore;
  for (const viewer of viewers) viewer.leave();
  return {
    longestBlockMs: after.longestBlockUs / 1_000,
    cpuShare: (after.cpuUs - before.cpuUs) / 1_000 / watchedMs,
    bytesPerSecond: bytes / (watchedMs / 1_000) / Math.max(1, count),
  };
}

function weightRow(directory: string): Row {
  const sizes = ["console.js", "console.css"].map(
    (file) => gzipSync(readFileSync(join(directory, "lib", file)), { level: 9 }).length,
  );
  const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1_000;
  return {
    name: "console: compressed",
    size: 1,
    ours: `${significant(kilobytes)} kB`,
    baseline: `${BUDGET_KB} kB`,
    ratio: kilobytes / BUDGET_KB,
    note: "module and style of the package; the baseline is the budget",
  };
}
