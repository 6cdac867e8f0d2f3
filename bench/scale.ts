import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { stringify } from "yaml";
import { readRuleFiles } from "../src/io/process/files.ts";
import { build } from "../tools/build.ts";
import { median } from "./measure.ts";
import { addressesOf, bareLoop } from "./poll.ts";
import type { Sample } from "./scale/inside.ts";
import { SEMI_SPACE_MB, startMeasured, type MeasuredDaemon } from "./scale/measured-daemon.ts";
import { seriesOf } from "./scrape.ts";
import { significant, type Row } from "./table.ts";

/** How large the deployment is, and how often all of it is read before it is measured. */
export type Scale = {
  readonly senders: number;
  readonly swapsEach: number;
  readonly pools: number;
  readonly pairs: number;
  readonly sweeps: number;
  readonly everySeconds: number;
  /** The largest old space of the daemon's heap. */
  readonly heapMb: number;
  /** Whether the senders' finished swaps are read as well. */
  readonly history: boolean;
};

const SCRAPE_EVERY_MS = 1_000;
const PATIENCE_MS = 1_200_000;
/** The first warms up. */
const BARE_TURNS = 4;

/** What is asked of a daemon at this size; each figure stands beside its limit, or beside bare got. */
const LIMITS = { rssMb: 400, liveMb: 180, blockMs: 20, scrapeMs: 5, restartMs: 1_000 };

/**
 * The package on a large deployment that says the same each time: what it needs of memory and processor, how long it
 * blocks, how long a scrape takes by the client's clock, and a restart. The rules are the shipped ones, whose minutes
 * are seconds, so that what is bad fires while it is measured.
 */
export async function benchScale(scale: Scale, name = "scale"): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-scale-"));
  const { swapsEach, pools, pairs, senders } = scale;
  const counts = [swapsEach, pools, pairs].map(String);
  const world = fork(join(import.meta.dirname, "scale/world-server.ts"), counts, { execArgv: [] });
  const started: MeasuredDaemon[] = [];
  const directory = join(folder, "package");
  const program = join(directory, "lib/main.js");
  const start = async (): Promise<MeasuredDaemon> => {
    const daemon = await startMeasured(pathsIn(folder), scale.heapMb, program, folder);
    started.push(daemon);
    return daemon;
  };
  try {
    const [port] = (await once(world, "message")) as [number];
    const url = `http://127.0.0.1:${port}`;
    const bareUs = await bareCpuUs(url, addressesOf(senders));
    writeWorld(folder, url, scale);
    await build(directory);
    const daemon = await start();
    const found = await watch(daemon, scale);
    await daemon.stop();
    const journalMb = sizeOf(join(folder, "data")) / 1e6;
    const from = performance.now();
    const again = await start();
    await fetch(`${again.url}/healthz`);
    const restartMs = performance.now() - from;
    const row = (what: string, value: number, unit: string, limit: number, note: string): Row => ({
      name: `${name}: ${what}`,
      size: senders * swapsEach,
      ours: `${significant(value)} ${unit}`,
      baseline: `${significant(limit)} ${unit}`,
      ratio: value / limit,
      note,
    });
    const heap = `heap of at most ${scale.heapMb} MB, semi-spaces of ${SEMI_SPACE_MB}`;
    const swept = `after ${scale.sweeps} sweeps, ${heap}`;
    return [
      row("RSS", found.end.rssBytes / 1e6, "MB", LIMITS.rssMb, swept),
      row("live heap", found.live.heapBytes / 1e6, "MB", LIMITS.liveMb, "garbage collected"),
      row(
        "block, first sweep",
        found.firstBlockMs,
        "ms",
        LIMITS.blockMs,
        "longest, processor time",
      ),
      row("block, steady", found.steadyBlockMs, "ms", LIMITS.blockMs, "longest, processor time"),
      row("block, steady, median", found.usualBlockMs, "ms", LIMITS.blockMs, "longest of a second"),
      row("CPU a request", found.cpuUs, "µs", bareUs, "all that it does; baseline: bare got"),
      row("scrape", found.scrapeMs, "ms", LIMITS.scrapeMs, "median, by the client's clock"),
      row(
        "restart",
        restartMs,
        "ms",
        LIMITS.restartMs,
        `to /healthz, ${significant(journalMb)} MB`,
      ),
    ];
  } finally {
    for (const daemon of started) await daemon.stop();
    const ended = once(world, "exit");
    world.disconnect();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What got and JSON.parse take of this process to read the same. */
async function bareCpuUs(url: string, addresses: readonly string[]): Promise<number> {
  const bare = bareLoop(url, addresses);
  try {
    for (let turn = 0; turn < BARE_TURNS; turn += 1) await bare.run();
    return median(bare.cpu.slice(1)) / addresses.length;
  } finally {
    bare.close();
  }
}

function pathsIn(folder: string): string[] {
  const at = (name: string): string => join(folder, name);
  return ["--config", at("aggwatch.yaml"), "--data", at("data"), "--rules", at("rules")];
}

function writeWorld(folder: string, url: string, scale: Scale): void {
  const { senders, swapsEach, pools, everySeconds, history } = scale;
  const swaps = `*/${everySeconds} * * * * *`;
  const config = {
    aggregators: [
      {
        name: "large",
        base_url: url,
        rate: { requests_per_second: 1_000, concurrency: 64 },
        schedules: history ? { swaps } : { swaps, swap_history: "off" },
        watch: { senders: addressesOf(senders).map((address) => ({ address })) },
      },
    ],
    limits: { entities: Math.max(10_000, pools, senders * (swapsEach + 1)) },
    log: { level: "info", format: "json" },
  };
  writeFileSync(join(folder, "aggwatch.yaml"), stringify(config));
  mkdirSync(join(folder, "data"));
  mkdirSync(join(folder, "rules"));
  const files = readRuleFiles(join(import.meta.dirname, "../rules"));
  if (!files.ok) throw new Error(files.problem);
  for (const { name, text } of files.value)
    writeFileSync(join(folder, "rules", basename(name)), text.replace(/( for: \d+)m\b/g, "$1s"));
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

type Found = {
  readonly end: Sample;
  readonly live: Sample;
  readonly firstBlockMs: number;
  readonly steadyBlockMs: number;
  readonly usualBlockMs: number;
  readonly cpuUs: number;
  readonly scrapeMs: number;
};

/** Scrapes each second, as Prometheus would, until all was read as often as the scale says. */
async function watch(daemon: MeasuredDaemon, { senders, sweeps }: Scale): Promise<Found> {
  const givenUpAt = performance.now() + PATIENCE_MS;
  const blocks: number[] = [];
  const scrapes: number[] = [];
  let firstBlockMs = 0;
  // What the start itself takes is measured by another scenario.
  await daemon.ask("sample");
  let first: { readonly sample: Sample; readonly polls: number } | undefined;
  for (;;) {
    const { polls, tookMs } = await scrape(daemon.url);
    const sample = await daemon.ask("sample");
    const blockMs = sample.longestBlockUs / 1_000;
    if (first === undefined) {
      firstBlockMs = Math.max(firstBlockMs, blockMs);
      if (polls > 0) first = { sample, polls };
    } else {
      blocks.push(blockMs);
      scrapes.push(tookMs);
      // On a busy machine, all sweeps may have been made when the first is seen.
      if (polls >= sweeps && polls > first.polls) {
        const cpuUs = (sample.cpuUs - first.sample.cpuUs) / (senders * (polls - first.polls));
        const live = await daemon.ask("collect");
        const steadyBlockMs = Math.max(...blocks);
        const usual = { usualBlockMs: median(blocks), scrapeMs: median(scrapes) };
        return { end: sample, live, firstBlockMs, steadyBlockMs, cpuUs, ...usual };
      }
    }
    if (performance.now() > givenUpAt) throw new Error(`only ${polls} sweeps in twenty minutes`);
    await pause(SCRAPE_EVERY_MS);
  }
}

/** How often all senders were read, and how long it took until the last byte of the compressed page was here. */
async function scrape(url: string): Promise<{ readonly polls: number; readonly tookMs: number }> {
  const from = performance.now();
  const request = get(`${url}/metrics`, { headers: { "accept-encoding": "gzip" } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const body = await buffer(response);
  const tookMs = performance.now() - from;
  const polls = seriesOf(gunzipSync(body).toString())
    .filter(({ name, labels }) => name === "aggwatch_polls_total" && labels["poller"] === "swaps")
    .reduce((sum, { value }) => sum + value, 0);
  return { polls, tookMs };
}
