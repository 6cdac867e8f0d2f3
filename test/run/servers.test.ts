import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createLog, type Logger } from "../../src/io/process/log.ts";
import { undeletedLogger } from "../../src/run/servers.ts";
import { startWatchdog } from "../../src/run/watchdog.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { watchdogSetup } from "./watchdog-setup.ts";

function keptLog(): { readonly log: Logger; readonly lines: unknown[] } {
  const lines: unknown[] = [];
  const log = createLog({ level: "warn", format: "json" }, { isTerminal: false }, (line) => {
    lines.push(JSON.parse(line));
  });
  return { log, lines };
}

it("a backup that cannot be made is logged, with who asked for it and why", async () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const { log, lines } = keptLog();
  const setup = watchdogSetup(path, [], { log });
  const sha256 = createHash("sha256").update("alice-token").digest("hex");
  const tokens = [{ name: "alice", scopes: ["operate"] as const, sha256 }];
  const { settings } = setup;
  const server = { ...settings.server, tokens };
  const started = await startWatchdog({ ...setup, settings: { ...settings, server } });
  if (!started.ok) throw new Error(started.problem);
  onTestFinished(started.value.stop);
  // Where their directory should be.
  writeFileSync(join(path, "backups"), "");
  const answer = await fetch(`${started.value.url}/api/v1/journal/backup`, {
    method: "POST",
    headers: { authorization: "Bearer alice-token" },
  });
  const text = await answer.text();
  expect(lines, text).toMatchObject([
    { level: "error", by: "alice", msg: "journal not backed up" },
  ]);
  const [{ detail }] = lines as [{ detail: string }];
  expect(detail).toContain("EEXIST");
  expect([answer.status, JSON.parse(text)]).toEqual([507, { error: detail }]);
});

it("names an old backup that cannot be deleted once, and again if it was gone meanwhile", () => {
  const { log, lines } = keptLog();
  const notDeleted = undeletedLogger(log);
  const one = { file: "one.sqlite", problem: "EISDIR" };
  const two = { file: "two.sqlite", problem: "EISDIR" };
  for (const undeleted of [[], [one], [one, two], [two], [one, two]]) notDeleted(undeleted);
  expect(lines).toMatchObject([{ undeleted: [one] }, { undeleted: [two] }, { undeleted: [one] }]);
});
