/** Tests src/run/service/loaded-app.ts: a real process whose program's files are replaced right after its start. */
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { MAIN, makeHome, startDaemon } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

/** What is loaded after the start, and where the built program says from which of its files. */
const LATER = {
  "makes the API": /\{ createApp \} = await .*?\brequire\("(.+?)"\)/,
  "hands requests to it": /function loadAdapter\(\) \{\s+return await .*?\brequire\("(.+?)"\)/,
};

/** A copy of the built program, and the path of that file of it. */
function copyProgram(context: TestContext, imports: RegExp): { program: string; later: string } {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-replaced-"));
  context.onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  cpSync(dirname(dirname(MAIN)), directory, { recursive: true });
  const lib = join(directory, "lib");
  const run = readFileSync(join(lib, "run.js"), "utf8");
  const name = imports.exec(run)?.[1];
  if (name === undefined) throw new Error("the program loads it in another way");
  return { program: join(lib, "main.js"), later: join(lib, name) };
}

test.for(Object.entries(LATER))(
  "without what %s it polls on, and answers that it has to be restarted",
  async ([, imports], context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(
      context,
      quickConfig({ url: aggregator.url, mode: "shadow" }),
      QUICK_RULES,
    );
    const { program, later } = copyProgram(context, imports);
    renameSync(later, `${later}.old`);
    const daemon = await startDaemon(context, home, ACT_KEY, { program });
    const asked = await Promise.all(
      ["/healthz", "/metrics"].map((path) => fetch(`${daemon.url}${path}`)),
    );
    expect(asked.map(({ status }) => status)).toEqual([503, 503]);
    expect(await asked[0]?.text()).toContain("Restart it");
    await daemon.line(({ msg }) => String(msg).includes("cannot be loaded"), {
      what: "that what answers cannot be loaded",
    });
    await aggregator.next("GET", "/exchange/disabled");
    renameSync(`${later}.old`, later);
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    expect(await daemon.end("SIGTERM")).toBe(0);
  },
);
