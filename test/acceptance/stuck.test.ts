import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { MAIN, makeHome, startDaemon, type Daemon } from "./daemon.ts";
import { MAKES, STUCK_HOOK } from "./stuck-signals.ts";

/** The program as process 1 of a PID namespace of its own, as in a container. */
const AS_PROCESS_1 = join(import.meta.dirname, "as-process-1.mjs");

/** A daemon that can be made stuck from outside; it may stand still for so long. */
async function startHooked(
  context: TestContext,
  stuckAfter: string,
  program = MAIN,
): Promise<Daemon> {
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
  const env = { ...STUCK_HOOK, PROGRAM: MAIN };
  return await startDaemon(context, home, env, { program });
}

async function endOf(daemon: Daemon): Promise<readonly [number | null, string | null]> {
  return await new Promise((resolve) => {
    daemon.process.once("close", (code, signal) => resolve([code, signal]));
  });
}

const canIsolate = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;
const WITHOUT_UNSHARE = canIsolate ? "" : " (skipped: unshare, of util-linux, needs root)";

/** The pid, as seen from outside, of the only child of the process. */
function childOf(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
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

  it.skipIf(!canIsolate)(
    `also if it is process 1 of a container, which its own signals do not end${WITHOUT_UNSHARE}`,
    async (context) => {
      const daemon = await startHooked(context, "2s", AS_PROCESS_1);
      const ended = endOf(daemon);
      process.kill(childOf(daemon.process.pid), MAKES.eventLoopBlocked);
      expect(await ended).toEqual([null, "SIGTRAP"]);
      expect(daemon.lines.at(-1)?.["msg"]).toMatch(/^stuck: the event loop is blocked/);
    },
  );

  it("and one that turns ends as ever, with exit code 0", async (context) => {
    const daemon = await startHooked(context, "2s");
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});
