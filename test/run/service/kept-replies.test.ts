/** Tests src/run/service/service.ts: replies that are kept as they came. */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { listReplies } from "../../../src/io/journal/read-replies.ts";
import { REPLIES_FILE } from "../../../src/io/journal/replies-store.ts";
import { createLog } from "../../../src/io/process/log.ts";
import { startWatchdog, type Watchdog } from "../../../src/run/watchdog.ts";
import { sendJson, startServer } from "../../io/local-server.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { aggregatorSetup, silentLog, watchdogSetup } from "../watchdog-setup.ts";

/** A daemon that keeps replies, once it has polled. */
async function keeping(path: string, log = silentLog()): Promise<Watchdog> {
  const aggregator = await startServer((_, response) => sendJson(response, []));
  onTestFinished(aggregator.close);
  const setup = watchdogSetup(path, [aggregatorSetup(aggregator.baseUrl)], { log });
  const { settings } = setup;
  const replies = { ...settings.record.replies, keep: "changes" as const };
  const record = { ...settings.record, replies };
  const started = await startWatchdog({ ...setup, settings: { ...settings, record } });
  if (!started.ok) throw new Error(started.problem);
  onTestFinished(started.value.stop);
  while ((await fetch(`${started.value.url}/readyz`)).status !== 200);
  return started.value;
}

it("replies that cannot be kept are logged, and the watching goes on", async () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  // Where their file should be.
  mkdirSync(join(path, REPLIES_FILE));
  const lines: unknown[] = [];
  const log = createLog({ level: "warn", format: "json" }, { isTerminal: false }, (line) => {
    lines.push(JSON.parse(line));
  });
  const { stop } = await keeping(path, log);
  await stop();
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: "warn",
      err: expect.anything(),
      msg: "replies cannot be kept; tried again in a minute",
    }),
  );
});

it("the last replies are kept, and their file is whole, once a daemon has stopped", async () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const { stop } = await keeping(path);
  await stop();
  // No write-ahead log is left beside it.
  expect(readdirSync(path).filter((name) => name.startsWith(REPLIES_FILE))).toEqual([REPLIES_FILE]);
  const kept = listReplies(path, { endpoint: "exchanges", limit: 10 });
  expect(kept).toMatchObject({ ok: true, value: [{ status: 200 }] });
});
