import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { get, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JOURNAL_FILE } from "../../src/io/journal/journal.ts";
import { createLog } from "../../src/io/process/log.ts";
import { HOUR } from "../../src/domain/time.ts";
import { startWatchdog, type Watchdog } from "../../src/run/watchdog.ts";
import type { WatchdogSetup } from "../../src/run/setup.ts";
import { runScript, sourceUrl } from "../io/journal/child-script.ts";
import { sendJson, startServer, type LocalServer } from "../io/local-server.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { aggregatorSetup, daemonSettings, EVERY_POLLER, watchdogSetup } from "./watchdog-setup.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let aggregator: LocalServer;
let gate: Promise<void>;
let running: Watchdog[] = [];

beforeEach(async () => {
  directory = temporaryDirectory();
  gate = Promise.resolve();
  aggregator = await startServer((seen, response) => void answer(seen.url, response));
});

async function answer(url: string, response: ServerResponse): Promise<void> {
  await gate;
  if (url.includes("disabled")) sendJson(response, { exchanges: [], pairs: [] });
  else sendJson(response, url.includes("exchange") ? ["BINANCE"] : []);
}

afterEach(async () => {
  await Promise.all(running.map((watchdog) => watchdog.stop()));
  running = [];
  await aggregator.close();
  directory.remove();
});

function setup(change: Partial<WatchdogSetup> = {}, path = directory.path): WatchdogSetup {
  return watchdogSetup(path, [aggregatorSetup(aggregator.baseUrl)], change);
}

async function start(own = setup()): Promise<Watchdog> {
  const started = await startWatchdog(own);
  if (!started.ok) throw new Error(started.problem);
  running.push(started.value);
  return started.value;
}

async function problemOf(own: WatchdogSetup): Promise<string> {
  const started = await startWatchdog(own);
  if (started.ok) running.push(started.value);
  return started.ok ? "" : started.problem;
}

async function text(watchdog: Watchdog, path: string): Promise<[number, string]> {
  const reply = await fetch(watchdog.url + path);
  return [reply.status, await reply.text()];
}

/** The status of `/metrics` if it is asked for under a name, which `fetch` does not let choose. */
async function statusAs(host: string, watchdog: Watchdog): Promise<number | undefined> {
  const answered = Promise.withResolvers<number | undefined>();
  get(`${watchdog.url}/metrics`, { headers: { host } }, (response) => {
    response.resume();
    answered.resolve(response.statusCode);
  }).on("error", answered.reject);
  return await answered.promise;
}

/** Asks again and again, as a probe of an orchestrator does, until the answer is as wanted. */
async function until(watchdog: Watchdog, path: string, wanted: RegExp): Promise<string> {
  for (;;) {
    const [status, body] = await text(watchdog, path);
    if (wanted.test(`${status} ${body}`)) return body;
  }
}

describe("a watchdog", () => {
  it("is healthy at once, ready after the first polls, and shows what they saw", async () => {
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    // On a busy host the first answer takes long, and a poll that takes longer than `stale_after` is named there.
    const pollers = EVERY_POLLER.map((one) => ({ ...one, staleAfterMs: HOUR }));
    const aggregators = [aggregatorSetup(aggregator.baseUrl, { pollers })];
    const watchdog = await start(setup({ aggregators }));
    expect(await text(watchdog, "/healthz")).toEqual([200, "ok\n"]);
    const [status, reasons] = await text(watchdog, "/readyz");
    expect(status).toBe(503);
    expect(reasons).toContain("the first poll of exchanges is not done");
    held.resolve();
    await until(watchdog, "/readyz", /^200 ok/);
    const [, metrics] = await text(watchdog, "/metrics");
    expect(metrics).toContain('aggwatch_exchange_disabled{aggregator="bsc",exchange="BINANCE"} 0');
    expect(metrics).toContain('aggwatch_up{aggregator="bsc",poller="exchanges"} 1');
    expect((await text(watchdog, "/plain"))[1]).toContain("BINANCE");
  });

  it("can be stopped twice, is gone then, and its journal is free", async () => {
    const first = await start();
    await Promise.all([first.stop(), first.stop()]);
    await first.stop();
    await expect(fetch(first.url)).rejects.toThrow("fetch failed");
    const second = await start();
    expect((await text(second, "/healthz"))[0]).toBe(200);
  });

  it("is not disturbed by another one in the same process, nor by its end", async () => {
    const other = temporaryDirectory();
    try {
      const one = await start();
      const two = await start(setup({ version: "9.9.9" }, other.path));
      await Promise.all([until(one, "/readyz", /^200/), until(two, "/readyz", /^200/)]);
      await one.stop();
      const [, metrics] = await text(two, "/metrics");
      expect(metrics).toContain('version="9.9.9"');
      expect(metrics).toContain("process_cpu_seconds_total");
      await two.stop();
    } finally {
      other.remove();
    }
  });

  it("answers under the names in its config, and under no other", async () => {
    const own = setup();
    const { settings } = own;
    const server = { ...settings.server, hosts: ["watch.example"] };
    const watchdog = await start({ ...own, settings: { ...settings, server } });
    expect(await statusAs("watch.example", watchdog)).toBe(200);
    expect(await statusAs("evil.example", watchdog)).toBe(421);
  });

  it("stops acting while the kill file exists", async () => {
    const own = setup();
    writeFileSync(own.settings.actions.killFile, "");
    const watchdog = await start(own);
    expect((await text(watchdog, "/plain"))[1]).toContain("the kill switch is on (file");
    rmSync(own.settings.actions.killFile);
    await until(watchdog, "/metrics", /aggwatch_killed\{source="file"\} 0/);
  });
});

it("says at its start that others can still read the data directory, and why", async () => {
  const foreign = join(directory.path, "notes.txt");
  writeFileSync(foreign, "");
  chmodSync(directory.path, 0o755);
  const lines: unknown[] = [];
  const log = createLog({ level: "warn", format: "json" }, { isTerminal: false }, (line) => {
    lines.push(JSON.parse(line));
  });
  await start(setup({ log }));
  const left = [{ path: directory.path, problem: expect.stringContaining("notes.txt") }];
  expect(lines).toMatchObject([{ left, msg: "the data directory stays open to other users" }]);
});

it("closes its data directory to others, and says that it was open", async () => {
  chmodSync(directory.path, 0o755);
  const lines: unknown[] = [];
  const log = createLog({ level: "warn", format: "json" }, { isTerminal: false }, (line) => {
    lines.push(JSON.parse(line));
  });
  await start(setup({ log }));
  const mended = [{ path: directory.path, mode: "0755" }];
  expect(lines).toMatchObject([{ mended, msg: "the data directory was open to other users" }]);
});

describe("a watchdog that cannot start says why, and leaves nothing behind", () => {
  it("when its port is taken", async () => {
    const port = Number(new URL(aggregator.baseUrl).port);
    const problem = await problemOf(
      setup({
        settings: { ...daemonSettings(directory.path), listen: { host: "127.0.0.1", port } },
      }),
    );
    expect(problem).toMatch(
      new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${port} \\(.*EADDRINUSE.*\\)\\. .*--listen`),
    );
    // The journal is free again.
    await start();
  });

  it("when another watchdog has the journal", async () => {
    await start();
    expect(await problemOf(setup())).toContain("in use by another aggwatch");
  });

  it("when a row of the journal is damaged", async () => {
    const first = await start();
    await first.stop();
    const file = join(directory.path, JOURNAL_FILE);
    const database = new DatabaseSync(file);
    database.exec("UPDATE state SET value = 'x' WHERE name = 'counter' AND key = 'at'");
    database.close();
    expect(await problemOf(setup())).toContain(`${file} is damaged (the row counter at: not JSON`);
  });
});

describe("a process", () => {
  it("ends by itself once its watchdog has stopped: nothing keeps it alive", async () => {
    const child = runScript(
      `
      import { startWatchdog } from ${JSON.stringify(sourceUrl("run/watchdog.ts"))};
      import { watchdogSetup, aggregatorSetup } from ${JSON.stringify(
        new URL("watchdog-setup.ts", import.meta.url).href,
      )};
      const [, directory, baseUrl] = process.argv;
      const started = await startWatchdog(watchdogSetup(directory, [aggregatorSetup(baseUrl)]));
      if (!started.ok) throw new Error(started.problem);
      const { url, stop } = started.value;
      while ((await fetch(url + "/readyz")).status !== 200);
      await (await fetch(url + "/metrics")).text();
      await stop();
      console.log("stopped");
      `,
      [directory.path, aggregator.baseUrl],
    );
    try {
      expect(await child.nextLine(), child.errors()).toBe("stopped");
      expect(await child.ended, child.errors()).toBe(0);
    } finally {
      child.process.kill("SIGKILL");
    }
  });
});
