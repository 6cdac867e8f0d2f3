import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { startAggregator } from "./acceptance/aggregator.ts";
import { makeHome, startDaemon } from "./acceptance/daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./acceptance/quick.ts";
import { temporaryDirectory } from "./io/temporary-directory.ts";

const main = join(import.meta.dirname, "../src/main.ts");

/** Loaded before the program: sends it a second signal a moment after the first, while it closes. */
const IMPATIENT = `data:text/javascript,${encodeURIComponent(
  'process.once("SIGTERM", () => setImmediate(() => process.kill(process.pid, "SIGTERM")));',
)}`;

describe("the process", () => {
  // npm passes on a Ctrl-C that the terminal has sent to its child already.
  it("ends in its own time when a second signal comes", async () => {
    const args = ["--import", IMPATIENT, main, "simulator", "--port", "0"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(child, "close");
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await closed).toEqual([0, null]);
  });

  it("ends without complaint when nobody reads what it writes", async () => {
    const child = spawn(process.execPath, [main, "schema", "config"], { stdio: "pipe" });
    child.stdout.destroy();
    const complaints = await text(child.stderr);
    expect(complaints).toBe("");
  });

  it("stops a simulator whose reader has gone", async () => {
    const directory = temporaryDirectory();
    const scenario = join(directory.path, "story.yaml");
    const steps = Array.from({ length: 60 }, (_, at) => `  - { at: ${at}s, say: still here }`);
    writeFileSync(scenario, ["name: a talker", "steps:", ...steps].join("\n"));
    const args = [main, "simulator", "--port", "0", "--scenario", scenario];
    const child = spawn(process.execPath, args, { stdio: "pipe" });
    const closed = once(child, "close");
    await once(child.stdout, "data");
    child.stdout.destroy();
    expect(await text(child.stderr)).toBe("");
    expect(await closed).toEqual([0, null]);
    directory.remove();
  });

  it("watches on, and repairs, when nobody reads the daemon's log", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "act" });
    const daemon = await startDaemon(context, makeHome(context, config, QUICK_RULES), ACT_KEY);
    daemon.process.stdout?.destroy();
    const repaired = aggregator.next("POST", "/api/v1/exchange/toggle/BINANCE");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await repaired;
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});
