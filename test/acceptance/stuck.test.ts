import { describe, expect, it, type TestContext } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon } from "./daemon.ts";
import { MAKES, STUCK_HOOK } from "./stuck-signals.ts";

/** A daemon that can be made stuck from outside; it may stand still for so long. */
async function startHooked(context: TestContext, stuckAfter: string): Promise<Daemon> {
  const aggregator = await startAggregator(context);
  const config = [
    `stuck_after: ${stuckAfter}`,
    "aggregators:",
    "  - name: sim",
    `    base_url: ${aggregator.url}`,
    '    schedules: { exchanges: "* * * * * *" }',
    "",
  ].join("\n");
  const home = makeHome(context, config, "groups: []\n");
  return await startDaemon(context, home, STUCK_HOOK);
}

async function endOf(daemon: Daemon): Promise<readonly [number | null, string | null]> {
  return await new Promise((resolve) => {
    daemon.process.once("close", (code, signal) => resolve([code, signal]));
  });
}

describe("a loop that stands still ends the process, and its last line says how", () => {
  it("if the event loop is blocked", async (context) => {
    const daemon = await startHooked(context, "2s");
    const ended = endOf(daemon);
    daemon.process.kill(MAKES.eventLoopBlocked);
    expect(await ended).toEqual([null, "SIGABRT"]);
    const last = daemon.lines.at(-1) ?? {};
    expect(last).toMatchObject({ level: "fatal" });
    expect(last["msg"]).toMatch(
      /^stuck: the event loop is blocked, and no tick was handled for \d/,
    );
  });

  it("if the event loop lives, and no tick goes through the loop", async (context) => {
    const daemon = await startHooked(context, "2s");
    const ended = endOf(daemon);
    daemon.process.kill(MAKES.ticksStop);
    expect(await ended).toEqual([null, "SIGABRT"]);
    const last = daemon.lines.at(-1) ?? {};
    expect(last["msg"]).toMatch(/^stuck: the event loop turns, and yet no tick was handled for \d/);
  });

  it("and one that turns ends as ever, with exit code 0", async (context) => {
    const daemon = await startHooked(context, "2s");
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});
