import { execFileSync, spawn } from "node:child_process";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

test("a daemon whose config comes from a pipe keeps it, until there is a file in its place", async (context) => {
  const aggregator = await startAggregator(context);
  const config = quickConfig({ url: aggregator.url, mode: "act" });
  const home = makeHome(context, config, QUICK_RULES);
  rmSync(home.config);
  execFileSync("mkfifo", [home.config]);
  // Written once, as by a program that decrypts it.
  const write = ["-c", 'printf %s "$1" > "$2"', "sh", config, home.config];
  const writer = spawn("sh", write, { stdio: "ignore" });
  context.onTestFinished(() => void writer.kill("SIGKILL"));
  const daemon = await startDaemon(context, home, ACT_KEY);
  daemon.process.kill("SIGHUP");
  const first = await daemon.line(({ msg }) => String(msg).startsWith("reload"));
  expect(first).toMatchObject({ msg: "reloaded", by: "SIGHUP", settings: [] });

  const file = `${home.config}.new`;
  writeFileSync(file, config.replace("level: debug", "level: info"));
  renameSync(file, home.config);
  const second = await daemon.line(({ by }) => by === "a change of the files");
  expect(second).toMatchObject({ msg: "reloaded", settings: ["log.level: debug -> info"] });
  expect(await daemon.end("SIGTERM")).toBe(0);
});
