/** Tests src/run/service/service.ts: replies that are kept as they came. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createLog } from "../../../src/io/process/log.ts";
import { startWatchdog } from "../../../src/run/watchdog.ts";
import { sendJson, startServer } from "../../io/local-server.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { aggregatorSetup, watchdogSetup } from "../watchdog-setup.ts";

it("replies that cannot be kept are logged, and the watching goes on", async () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const aggregator = await startServer((_, response) => sendJson(response, []));
  onTestFinished(aggregator.close);
  // Where their file should be.
  mkdirSync(join(path, "replies.sqlite"));
  const lines: unknown[] = [];
  const log = createLog({ level: "warn", format: "json" }, { isTerminal: false }, (line) => {
    lines.push(JSON.parse(line));
  });
  const setup = watchdogSetup(path, [aggregatorSetup(aggregator.baseUrl)], { log });
  const { settings } = setup;
  const replies = { ...settings.record.replies, keep: "changes" as const };
  const record = { ...settings.record, replies };
  const started = await startWatchdog({ ...setup, settings: { ...settings, record } });
  if (!started.ok) throw new Error(started.problem);
  const { url, stop } = started.value;
  while ((await fetch(`${url}/readyz`)).status !== 200);
  await stop();
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: "warn",
      err: expect.anything(),
      msg: "replies cannot be kept; tried again in a minute",
    }),
  );
});
