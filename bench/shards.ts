import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { startPostgres } from "../test/io/postgres/server.ts";
import { startMeasured, type MeasuredDaemon } from "./scale/measured-daemon.ts";
import { homeOf, writeLists } from "./shards/homes.ts";
import { seriesOf } from "./scrape.ts";
import { significant, type Row } from "./table.ts";

/** How many senders are spread over how many processes; the last size is compared with the first. */
export type Shards = {
  readonly senders: readonly number[];
  readonly replicas: number;
  readonly shards: number;
  readonly lease: string;
};

const LOOK_EVERY_MS = 1_000;
const PATIENCE_MS = 4_500_000;
const MEASURED_MS = 60_000;
/** No machine reaches this: the first look, at so many senders, is at how fast it reads if nothing holds it back. */
const UNBOUNDED = 10_000;
const PROBED = 10_000;
/** The units get seven tenths of the rate: nine tenths of what the machine holds, so that it is not always late. */
const SET = 0.9 / 0.7;
const TELL_EVERY_MS = 30_000;

type Found = {
  readonly firstMs: number;
  readonly firstUs: number;
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly rssMb: number;
  readonly commitsPerSecond: number;
  readonly rows: number;
  readonly rowsMb: number;
  readonly whole: string;
  readonly takeOverMs: number;
};

/**
 * Real processes on a real PostgreSQL and one aggregator that answers at once: how long all senders take, what one costs,
 * what the database is asked for, and how long it takes until a process that is killed is replaced.
 */
export async function benchShards(all: Shards): Promise<Row[]> {
  const rows: Row[] = [];
  const reached = Math.round(
    (await measure(Math.min(PROBED, ...all.senders), { ...all, perSecond: UNBOUNDED })).perSecond,
  );
  let least: Found | undefined;
  for (const senders of all.senders) {
    const found = await measure(senders, { ...all, perSecond: reached * SET });
    least ??= found;
    rows.push(...rowsOf(senders, found, least, { ...all, reached }));
  }
  return rows;
}

function rowsOf(
  size: number,
  found: Found,
  least: Found,
  { senders, replicas, shards, reached }: Shards & { readonly reached: number },
): Row[] {
  const row = (what: string, ours: number, baseline: number, unit: string, note: string): Row => ({
    name: `shards: ${what}`,
    size,
    ours: `${significant(ours)} ${unit}`,
    baseline: `${significant(baseline)} ${unit}`,
    ratio: ours / baseline,
    note,
  });
  const { firstMs, firstUs, perSecond, cpuUs, rssMb, commitsPerSecond, rowsMb, takeOverMs } = found;
  const spread = `${replicas} processes, ${shards} units`;
  const ofLeast = "baseline: the smallest size";
  const [smallest = size] = senders;
  const each = (of: (one: Found) => number): string => {
    if (size === smallest) return ofLeast;
    const more = (of(found) - of(least)) / (size - smallest);
    return `${significant(more)} for each sender more`;
  };
  return [
    row("first sweep", firstMs / 1_000, least.firstMs / 1_000, "s", `${spread}, from the start`),
    row(
      "CPU a sender, first sweep",
      firstUs,
      least.firstUs,
      "µs",
      `user and system, start-up included; ${ofLeast}`,
    ),
    row(
      "speed",
      perSecond,
      least.perSecond,
      "senders/s",
      `${found.whole}; unbounded, 10 000: ${reached}`,
    ),
    row("CPU a sender and sweep", cpuUs, least.cpuUs, "µs", `all processes; ${ofLeast}`),
    row("RSS, all", rssMb, least.rssMb, "MB", `kB: ${each((one) => one.rssMb * 1e3)}`),
    row("commits", commitsPerSecond, least.commitsPerSecond, "/s", "while all is as before"),
    row(
      "database, rows",
      found.rows,
      least.rows,
      "rows",
      each(({ rows }) => rows),
    ),
    row(
      "database",
      rowsMb,
      least.rowsMb,
      "MB",
      `with its indexes; bytes: ${each((one) => one.rowsMb * 1e6)}`,
    ),
    row(
      "take-over",
      takeOverMs / 1_000,
      least.takeOverMs / 1_000,
      "s",
      "SIGKILL until all units are owned",
    ),
  ];
}

async function measure(
  senders: number,
  options: Shards & { readonly perSecond: number },
): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-shards-"));
  const server = await startPostgres();
  const world = fork(join(import.meta.dirname, "shards/fast-aggregator.ts"), { execArgv: [] });
  const daemons: MeasuredDaemon[] = [];
  const database = new pg.Client(await server.makeDatabase());
  try {
    const [port] = (await once(world, "message")) as [number];
    await database.connect();
    const { host, port: at, database: name, user } = database;
    writeFileSync(join(folder, "database-url"), `postgres://${user}@${host}:${at}/${name}\n`);
    writeLists(folder, senders);
    const began = performance.now();
    daemons.push(
      ...(await Promise.all(
        Array.from({ length: options.replicas }, async (_, index) =>
          startMeasured(
            homeOf(folder, `r${index + 1}`, { ...options, url: `http://127.0.0.1:${port}` }),
            4_096,
          ),
        ),
      )),
    );
    return await watch({ daemons, world, database, began, senders, shards: options.shards });
  } finally {
    await Promise.all(daemons.map(async (one) => await one.stop()));
    await database.end();
    const ended = once(world, "exit");
    world.disconnect();
    await ended;
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Running = {
  readonly daemons: MeasuredDaemon[];
  readonly world: ChildProcess;
  readonly database: pg.Client;
  readonly began: number;
  readonly senders: number;
  readonly shards: number;
};

type Usage = {
  readonly at: number;
  readonly cpuUs: number;
  readonly asked: number;
  readonly commits: number;
};

async function watch(running: Running): Promise<Found> {
  const { daemons, database, began, senders, shards } = running;
  await until(
    running,
    "the first sweep",
    async () =>
      // To ask the daemons costs them time; before that they cannot be done.
      (await askedOf(running)) >= senders && (await sweepsOf(daemons, shards)) >= 1,
  );
  const first = await usageOf(running);
  const done = await sweepsOf(daemons, shards);
  // Of a sweep that takes minutes, a part shows as well what a sender costs.
  await until(
    running,
    "the next sweep",
    async () =>
      performance.now() - first.at > MEASURED_MS ||
      ((await askedOf(running)) >= first.asked + senders &&
        (await sweepsOf(daemons, shards)) >= done + 1),
  );
  const last = await usageOf(running);
  const sizes = await sizesOf(daemons, database);
  const whole = await wholeOf(daemons);
  const [killed] = daemons.splice(0, 1);
  const killedAt = performance.now();
  await killed?.kill();
  await until(running, "the take-over", async () => (await ownedIn(daemons)) === shards);
  const asked = last.asked - first.asked;
  const tookMs = last.at - first.at;
  return {
    firstMs: first.at - began,
    firstUs: first.cpuUs / first.asked,
    perSecond: (asked * 1_000) / tookMs,
    cpuUs: (last.cpuUs - first.cpuUs) / asked,
    ...sizes,
    whole,
    commitsPerSecond: ((last.commits - first.commits) * 1_000) / tookMs,
    takeOverMs: performance.now() - killedAt,
  };
}

/** Whoever waits minutes for a table is told on the way how far it is. */
async function until(running: Running, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const { began, senders } = running;
  let toldAt = performance.now();
  while (!(await isSo())) {
    const now = performance.now();
    if (now - began > PATIENCE_MS) throw new Error(`${what} of ${senders} takes too long`);
    if (now - toldAt > TELL_EVERY_MS) {
      toldAt = now;
      const asked = await askedOf(running);
      process.stderr.write(
        `${senders} senders, ${Math.round((now - began) / 1_000)} s: ${what}, ${asked} asked\n`,
      );
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** How many requests about senders the aggregator has had. */
async function askedOf({ world }: Running): Promise<number> {
  const counted = once(world, "message");
  world.send("count");
  const [asked] = (await counted) as [number];
  return asked;
}

/** How often the unit that is furthest behind has been swept. */
async function sweepsOf(daemons: readonly MeasuredDaemon[], shards: number): Promise<number> {
  const swept = await byUnit(daemons, "aggwatch_polls_total", ({ poller }) => poller === "swaps");
  return swept.size < shards ? 0 : Math.min(...swept.values());
}

/** How many of all sweeps were not cut off before their end: with few, the figures are of a machine that is too slow. */
async function wholeOf(daemons: readonly MeasuredDaemon[]): Promise<string> {
  const count = async (outcome?: string): Promise<number> => {
    const fits = (labels: Readonly<Record<string, string>>): boolean =>
      labels["poller"] === "swaps" && (outcome === undefined || labels["outcome"] === outcome);
    const counts = await byUnit(daemons, "aggwatch_polls_total", fits);
    return [...counts.values()].reduce((sum, one) => sum + one, 0);
  };
  return `${await count("complete")} of ${await count()} sweeps whole`;
}

async function ownedIn(daemons: readonly MeasuredDaemon[]): Promise<number> {
  const owned = await byUnit(daemons, "aggwatch_replica_owner", ({ unit }) => unit !== undefined);
  return [...owned.values()].reduce((sum, one) => sum + one, 0);
}

async function byUnit(
  daemons: readonly MeasuredDaemon[],
  metric: string,
  fits: (labels: Readonly<Record<string, string>>) => boolean,
): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (const { url } of daemons)
    for (const { name, labels, value } of seriesOf(await (await fetch(`${url}/metrics`)).text())) {
      const { unit } = labels;
      if (name !== metric || unit === undefined || !fits(labels)) continue;
      sums.set(unit, (sums.get(unit) ?? 0) + value);
    }
  return sums;
}

async function usageOf(running: Running): Promise<Usage> {
  const { daemons, database } = running;
  const samples = await Promise.all(daemons.map(async ({ ask }) => await ask("sample")));
  const asked = await askedOf(running);
  const { rows } = await database.query(
    "SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()",
  );
  const cpuUs = samples.reduce((sum, one) => sum + one.cpuUs, 0);
  return { at: performance.now(), cpuUs, asked, commits: Number(rows[0]?.commits) };
}

async function sizesOf(
  daemons: readonly MeasuredDaemon[],
  database: pg.Client,
): Promise<Pick<Found, "rssMb" | "rows" | "rowsMb">> {
  const samples = await Promise.all(daemons.map(async ({ ask }) => await ask("collect")));
  const rssBytes = samples.reduce((sum, one) => sum + one.rssBytes, 0);
  const { rows } = await database.query(
    "SELECT pg_database_size(current_database()) AS bytes, (SELECT count(*) FROM state) AS rows",
  );
  const [{ bytes, rows: count }] = rows as [Record<string, string>];
  return { rssMb: rssBytes / 1e6, rows: Number(count), rowsMb: Number(bytes) / 1e6 };
}
