import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WatchJson } from "../../../src/io/api/answers.ts";
import { createHash } from "node:crypto";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import type { AggregatorSetup } from "../../../src/run/setup.ts";
import { startWatchdog, type Watchdog } from "../../../src/run/watchdog.ts";
import { sendJson, startServer, type LocalServer } from "../../io/local-server.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { aggregatorSetup, EVERY_POLLER, watchdogSetup } from "../watchdog-setup.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let server: LocalServer;
let running: Watchdog | undefined;
/** What the list over HTTP says; undefined: it is down. */
let overHttp: unknown;
let wake = (): void => {};

beforeEach(async () => {
  directory = temporaryDirectory();
  mkdirSync(join(directory.path, "watch"));
  overHttp = [];
  server = await startServer(({ url }, response) => {
    if (url.includes("/list"))
      sendJson(response, overHttp ?? {}, overHttp === undefined ? 503 : 200);
    else sendJson(response, url.includes("disabled") ? { exchanges: [], pairs: [] } : []);
    wake();
  });
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  await server.close();
  directory.remove();
});

const SWAPS = EVERY_POLLER.filter(({ name }) => name === "swaps");

async function start(
  change: Partial<AggregatorSetup> = {},
  everyMs = 20,
  files = [join(directory.path, "watch/*.yaml")],
): Promise<Watchdog> {
  const http = {
    name: "desks",
    url: `${server.baseUrl}/list`,
    everyMs,
    timeoutMs: 5_000,
    auth: { type: "none" },
  } as const;
  const setup = watchdogSetup(directory.path, [
    aggregatorSetup(server.baseUrl, {
      pollers: SWAPS,
      watch: { ...NOTHING_WATCHED, senders: [{ address: "0xconfig", alias: "desk" }] },
      watchSources: { files, http: [http] },
      ...change,
    }),
  ]);
  const sha256 = createHash("sha256").update("alice-token").digest("hex");
  const started = await startWatchdog({
    ...setup,
    settings: {
      ...setup.settings,
      server: {
        ...setup.settings.server,
        tokens: [{ name: "alice", scopes: ["operate"], sha256 }],
      },
    },
  });
  if (!started.ok) throw new Error(started.problem);
  running = started.value;
  return started.value;
}

const write = (name: string, ...targets: string[]): void =>
  writeFileSync(
    join(directory.path, "watch", name),
    JSON.stringify([{ targets, labels: { kind: "sender" } }]),
  );

const senders = (...targets: string[]) => [{ targets, labels: { kind: "sender" } }];

async function read({ url }: Watchdog): Promise<WatchJson["aggregators"][number]> {
  const reply = (await (await fetch(`${url}/api/v1/watch`)).json()) as WatchJson;
  const [one] = reply.aggregators;
  if (one === undefined) throw new Error("there is no aggregator");
  return one;
}

const targetsOf = async (watchdog: Watchdog): Promise<string[]> =>
  (await read(watchdog)).entries.map(({ target }) => target);

/** Looks again after each request that the server gets: the list is asked for all the time. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

const untilTargets = (watchdog: Watchdog, ...targets: string[]): Promise<void> =>
  until(async () => (await targetsOf(watchdog)).join() === targets.join());

const askedFor = (target: string): boolean =>
  server.seen.some(({ url }) => url.endsWith(`sender=${target}`));

async function ask(method: string, target: string): Promise<[number, unknown]> {
  const reply = await fetch(`${running?.url ?? ""}/api/v1/watch`, {
    method,
    headers: { authorization: "Bearer alice-token", "content-type": "application/json" },
    body: JSON.stringify({ kind: "sender", target, reason: "a test" }),
  });
  return [reply.status, await reply.json()];
}

describe("the watch lists of a daemon", () => {
  it("are those of config, files and HTTP, and follow them", async () => {
    write("a.yaml", "0xfile");
    overHttp = senders("0xhttp");
    const watchdog = await start();
    await untilTargets(watchdog, "0xconfig", "0xfile", "0xhttp");
    await until(async () => ["0xconfig", "0xfile", "0xhttp"].every(askedFor));
    overHttp = senders("0xhttp", "0xmore");
    rmSync(join(directory.path, "watch/a.yaml"));
    write("b.yaml", "0xother");
    await untilTargets(watchdog, "0xconfig", "0xother", "0xhttp", "0xmore");
    await until(async () => ["0xother", "0xmore"].every(askedFor));
    const { tables } = watchdog.loop().state();
    expect(tables.entity.has("bsc/sender/0xfile")).toBe(false);
  });

  it("stay as they were if a source cannot be read, also over a restart", async () => {
    write("a.yaml", "0xfile");
    overHttp = senders("0xhttp");
    const watchdog = await start();
    await untilTargets(watchdog, "0xconfig", "0xfile", "0xhttp");
    overHttp = undefined;
    writeFileSync(join(directory.path, "watch/a.yaml"), "- targets: [1]\n");
    const hasFailed = async (own: Watchdog): Promise<boolean> =>
      (await read(own)).sources.every(({ problem }) => problem !== null);
    await until(() => hasFailed(watchdog));
    expect(await targetsOf(watchdog)).toEqual(["0xconfig", "0xfile", "0xhttp"]);
    await watchdog.stop();
    const again = await start();
    expect(await targetsOf(again)).toEqual(["0xconfig", "0xfile", "0xhttp"]);
    await until(() => hasFailed(again));
    const health = await (await fetch(`${again.url}/healthz`)).text();
    expect(health).toContain("what it said before (1 entry) is in force");
    const metrics = await (await fetch(`${again.url}/metrics`)).text();
    expect(metrics).toContain('aggwatch_watch_sources_failed{aggregator="bsc",source="file"} 1');
    expect(metrics).toContain('aggwatch_watch_sources_failed{aggregator="bsc",source="http"} 1');
    const entries = 'aggwatch_watch_entries{aggregator="bsc",kind="sender"';
    expect(metrics).toContain(`${entries},source="http"} 1`);
    expect(metrics).toContain(`${entries},source="api"} 0`);
  });

  it.each([
    ["without end", "[".repeat(4_000) + "]".repeat(4_000)],
    ["with more mistakes than a stack holds", `[{ "targets": [${"1,".repeat(150_000)}1] }]`],
  ])("stay as they were if a source gives a list %s, and the daemon goes on", async (_, list) => {
    write("a.json", "0xfile");
    overHttp = senders("0xhttp");
    const files = [join(directory.path, "watch/*.json")];
    const watchdog = await start({}, 20, files);
    await untilTargets(watchdog, "0xconfig", "0xfile", "0xhttp");
    overHttp = JSON.parse(list);
    writeFileSync(join(directory.path, "watch/a.json"), list);
    await until(async () =>
      (await read(watchdog)).sources.every(({ problem }) => problem !== null),
    );
    expect(await targetsOf(watchdog)).toEqual(["0xconfig", "0xfile", "0xhttp"]);
    const problems = (await read(watchdog)).sources.map(({ problem }) => problem ?? "");
    for (const { length } of problems) expect(length).toBeLessThan(10_000);
    overHttp = senders("0xmore");
    write("a.json", "0xother");
    await untilTargets(watchdog, "0xconfig", "0xother", "0xmore");
  });

  it("take an operator's entry at once, ask for it, and keep it over a restart", async () => {
    const rarely = SWAPS.map((own) => ({ ...own, schedule: "0 0 0 1 1 *" }));
    const watchdog = await start({ pollers: rarely }, 3_600_000);
    await until(async () => askedFor("0xconfig"));
    expect(await ask("POST", "0xnew")).toEqual([200, expect.objectContaining({ durable: true })]);
    await until(async () => askedFor("0xnew"));
    expect(server.seen.filter(({ url }) => url.endsWith("=0xconfig"))).toHaveLength(1);
    expect(await ask("DELETE", "0xconfig")).toEqual([
      409,
      expect.objectContaining({
        error: "sender 0xconfig is listed by config, and can only be removed there",
      }),
    ]);
    const shortened = { error: "target: must be written whole, not shortened" };
    expect(await ask("POST", "0x8a12…4f3c")).toEqual([409, expect.objectContaining(shortened)]);
    await watchdog.stop();
    const again = await start({ pollers: rarely }, 3_600_000);
    expect(await targetsOf(again)).toEqual(["0xconfig", "0xnew"]);
    expect((await ask("DELETE", "0xnew"))[0]).toBe(200);
    expect(await targetsOf(again)).toEqual(["0xconfig"]);
  });

  it("begin and end a poller that has something to ask only through them", async () => {
    const watchdog = await start({ watch: NOTHING_WATCHED }, 3_600_000);
    expect(watchdog.loop().policy().aggregators[0]?.pollers).toEqual([]);
    await ask("POST", "0xnew");
    await until(async () => askedFor("0xnew"));
    await ask("DELETE", "0xnew");
    expect(watchdog.loop().policy().aggregators[0]?.pollers).toEqual([]);
    expect([...watchdog.loop().state().tables.entity.keys()]).toEqual(["bsc/aggregator/bsc"]);
    expect(watchdog.loop().state().surfaces.size).toBe(0);
  });

  it("say if a sweep does not fit its schedule", async () => {
    write("a.yaml", ...Array.from({ length: 200 }, (_, index) => `0x${index}`));
    const { client } = aggregatorSetup(server.baseUrl);
    const rate = { requestsPerSecond: 50, concurrency: 4 };
    const watchdog = await start({ client: { ...client, rate } }, 3_600_000);
    const health = await (await fetch(`${watchdog.url}/healthz`)).text();
    expect(health).toContain(
      "Poller swaps of bsc: a sweep takes 5s at 50 requests/s, the schedule is 1s",
    );
    const metrics = await (await fetch(`${watchdog.url}/metrics`)).text();
    const sweep = '{aggregator="bsc",poller="swaps"}';
    expect(metrics).toContain(`aggwatch_sweep_least_seconds${sweep} 4.02`);
    expect(metrics).toContain(`aggwatch_sweep_interval_seconds${sweep} 1`);
    // What takes long on purpose is not stale.
    const [poller] = watchdog.loop().policy().aggregators[0]?.pollers ?? [];
    expect(poller?.staleAfterMs).toBe(3 * 4_020);
  });
});
