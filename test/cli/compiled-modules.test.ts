import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startAggregator } from "../acceptance/aggregator.ts";
import { makeHome, startDaemon } from "../acceptance/daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "../acceptance/quick.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { madeOnce, SOURCE } from "../made-once.ts";

const MAIN = (await madeOnce("program")) ?? SOURCE;

it("keeps compiled modules in the user's own cache, and nowhere if there is none", () => {
  const { path, remove } = temporaryDirectory();
  const version = (env: Readonly<Record<string, string>>): string =>
    spawnSync(process.execPath, [MAIN, "--version"], { env, cwd: path, encoding: "utf8" }).stdout;
  try {
    const printed = [
      version({ XDG_CACHE_HOME: join(path, "xdg"), TMPDIR: path }),
      version({ HOME: join(path, "home"), TMPDIR: path }),
      version({ XDG_CACHE_HOME: "not/absolute", TMPDIR: path }),
      version({ TMPDIR: path }),
      version({ HOME: join(path, "off"), NODE_DISABLE_COMPILE_CACHE: "1", TMPDIR: path }),
    ];
    expect(new Set(printed).size).toBe(1);
    expect(printed[0]).toMatch(/^\d+\.\d+/);
    expect(existsSync(join(path, "xdg/aggwatch"))).toBe(true);
    expect(existsSync(join(path, "home/.cache/aggwatch"))).toBe(true);
    const kept = readdirSync(path, { recursive: true, encoding: "utf8" });
    expect(kept.filter((name) => name.endsWith("/command-program.js.code"))).toHaveLength(2);
    expect(existsSync(join(path, "not"))).toBe(false);
    expect(existsSync(join(path, "off"))).toBe(false);
    expect(existsSync(join(path, "node-compile-cache"))).toBe(false);
  } finally {
    remove();
  }
});

it("keeps the code of a daemon while it runs, so that one that is killed leaves it", async (context) => {
  const { path, remove } = temporaryDirectory();
  context.onTestFinished(remove);
  const env = { ...ACT_KEY, NODE_COMPILE_CACHE: path };
  spawnSync(process.execPath, [MAIN, "--version"], { env });
  const [own = ""] = readdirSync(path);
  const watcher = watch(join(path, own));
  context.onTestFinished(() => watcher.close());
  const { url } = await startAggregator(context);
  const home = makeHome(context, quickConfig({ url, mode: "shadow" }), QUICK_RULES);
  const daemon = await startDaemon(context, home, env);
  const isKept = (): boolean => existsSync(join(path, own, "daemon-run.js.code"));
  while (!isKept()) await once(watcher, "change");
  await daemon.end("SIGKILL");
});
