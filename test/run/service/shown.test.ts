/** Tests src/run/service/service.ts: what a daemon counts and says of its own work. */
import { expect, it, onTestFinished } from "vitest";
import type { HeartbeatSetup, WatchdogSetup } from "../../../src/run/setup.ts";
import { startWatchdog, type Watchdog } from "../../../src/run/watchdog.ts";
import { startServer } from "../../io/local-server.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { aggregatorSetup, watchdogSetup } from "../watchdog-setup.ts";

async function start(baseUrl: string, change: Partial<WatchdogSetup>): Promise<Watchdog> {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const started = await startWatchdog(watchdogSetup(path, [aggregatorSetup(baseUrl)], change));
  if (!started.ok) throw new Error(started.problem);
  onTestFinished(started.value.stop);
  return started.value;
}

it("has metrics of its heartbeat, its traces and its watch lists", async () => {
  // Its first polls do not end.
  const aggregator = await startServer(() => undefined);
  onTestFinished(aggregator.close);
  const heartbeat: HeartbeatSetup = {
    url: "http://127.0.0.1:1",
    everyMs: 60_000,
    timeoutMs: 5_000,
    needsNotifier: false,
  };
  const stepped: string[] = [];
  const tracing: WatchdogSetup["tracing"] = {
    committed: () => undefined,
    stepped: ({ event }) => void stepped.push(event.type),
    reading: () => ({ exported: 7, dropped: 3 }),
    close: () => Promise.resolve(),
  };
  const { url, loop } = await start(aggregator.baseUrl, { heartbeat, tracing });
  await loop().caughtUp();
  expect(stepped).toContain("started");
  const metrics = (await (await fetch(`${url}/metrics`)).text()).split("\n");
  for (const line of [
    'aggwatch_heartbeat_withheld{reason="starting"} 1',
    'aggwatch_trace_spans_total{outcome="exported"} 7',
    'aggwatch_trace_spans_total{outcome="dropped"} 3',
    'aggwatch_watch_conflicts{aggregator="bsc"} 0',
  ])
    expect(metrics).toContain(line);
});

it("sends those who view it what changes", async () => {
  const { url, loop } = await start("http://127.0.0.1:1", {});
  const viewing = new AbortController();
  const answer = await fetch(`${url}/api/v1/events`, { signal: viewing.signal });
  const command = { name: "kill", source: "operator" } as const;
  let seen = "";
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen += piece;
    // It is a viewer now.
    if (piece.includes("event: reset"))
      loop().push({ type: "command", by: "alice", reason: "a drill of viewers", command });
    if (seen.includes("a drill of viewers")) break;
  }
  expect(seen).toContain("a drill of viewers");
  viewing.abort();
});
