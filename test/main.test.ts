import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, type TestContext } from "vitest";
import { startAggregator } from "./acceptance/aggregator.ts";
import { makeHome, startDaemon } from "./acceptance/daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./acceptance/quick.ts";
import { childEnvironment } from "./child-environment.ts";
import { temporaryDirectory } from "./io/temporary-directory.ts";

const main = join(import.meta.dirname, "../src/main.ts");

/** Loaded before the program: sends it a second signal a moment after the first, while it closes. */
const IMPATIENT = `data:text/javascript,${encodeURIComponent(
  'process.once("SIGTERM", () => setImmediate(() => process.kill(process.pid, "SIGTERM")));',
)}`;

/** Loaded before the program: it logs more than a pipe holds while it closes. */
const TALKATIVE = `data:text/javascript,${encodeURIComponent(
  'process.once("SIGTERM", () => process.stdout.write("x".repeat(10_000_000)));',
)}`;

/** Loaded before the program: sends it a SIGHUP before it loads the rest of itself. */
const HASTY = `data:text/javascript,${encodeURIComponent(
  'process.on("newListener", (name) => name === "SIGTERM" && process.kill(process.pid, "SIGHUP"));',
)}`;

/** Loaded before the program: sends it signals from its last moment on, until it is gone. */
const INSISTENT = `data:text/javascript,${encodeURIComponent(
  `import { spawn } from "node:child_process";
  const signals = ["-c", \`while kill -INT \${process.pid}; do :; done\`];
  process.once("exit", () => spawn("sh", signals, { detached: true, stdio: "ignore" }));`,
)}`;

describe("the process", () => {
  it("ends with its own exit code when signals come until it is gone", async () => {
    const args = ["--import", INSISTENT, main, "schema", "config"];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("starts a daemon that is asked to read its files again before it has read them", async (context) => {
    const directory = temporaryDirectory();
    context.onTestFinished(directory.remove);
    const args = ["--import", HASTY, main, "run", "--listen", "127.0.0.1:0"];
    const env = { AGGWATCH_BASE_URL: "http://127.0.0.1:1", AGGWATCH_DATA: directory.path };
    const child = spawn(process.execPath, args, {
      cwd: join(import.meta.dirname, ".."),
      env: { ...childEnvironment(), ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    context.onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    child.stdout.on("data", (lines: Buffer) => {
      if (lines.includes('"watching"')) child.kill("SIGTERM");
    });
    expect(await ended).toEqual([0, null]);
  });

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

  it("ends a daemon whose log is read no further", async (context) => {
    const directory = temporaryDirectory();
    context.onTestFinished(directory.remove);
    const args = ["--import", TALKATIVE, main, "run", "--listen", "127.0.0.1:0"];
    const child = spawn(process.execPath, args, {
      cwd: join(import.meta.dirname, ".."),
      env: {
        ...childEnvironment(),
        AGGWATCH_BASE_URL: "http://127.0.0.1:1",
        AGGWATCH_DATA: directory.path,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    context.onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    child.stdout.pause();
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  it("watches on, and repairs, when nobody reads the daemon's log", async (context) => {
    await repairsUnread(context);
  });

  it("does so too if an option for every command comes before run", async (context) => {
    await repairsUnread(context, ["--color", "never"]);
  });
});

async function repairsUnread(context: TestContext, before: readonly string[] = []): Promise<void> {
  const aggregator = await startAggregator(context);
  const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
  const daemon = await startDaemon(context, home, ACT_KEY, { before });
  daemon.process.stdout?.destroy();
  const repaired = aggregator.next("POST", "/api/v1/exchange/toggle/BINANCE");
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await repaired;
  expect(await daemon.end("SIGTERM")).toBe(0);
}

describe("a process in another time zone", () => {
  it("judges rules by UTC and by the time zones that they name", () => {
    const directory = temporaryDirectory();
    const write = (name: string, lines: readonly string[]): void =>
      writeFileSync(join(directory.path, name), lines.join("\n"));
    const rule = (alert: string, when: string) =>
      `{ alert: ${alert}, each: exchange, when: '${when}' }`;
    write("rules.yaml", [
      "groups:",
      "  - name: calendar",
      "    rules:",
      `      - ${rule("July", "now.getDayOfYear() == 181")}`,
      // There is no such hour in Berlin on that day.
      `      - ${rule("Two", 'now.getHours("UTC") == 2 && now.getMonth() == 2')}`,
    ]);
    const at = (start: string, alert: string) => [
      `  - name: ${alert}`,
      `    start: ${start}`,
      "    given: [{ exchange: A, status: enabled }]",
      `    expect: [{ at: 30s, alerts: [{ ${alert}: A }] }]`,
    ];
    const tests = [...at("2026-07-01T12:00:00Z", "July"), ...at("2026-03-29T02:00:00Z", "Two")];
    write("rules.test.yaml", ["tests:", ...tests]);
    const env = { ...childEnvironment(), TZ: "Europe/Berlin" };
    const args = [main, "test", directory.path];
    const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    expect(`${stdout}${stderr}`).toContain("2 tests");
    expect(`${stdout}${stderr}`).not.toContain("FAILED");
    directory.remove();
  });
});

describe("npm that is ended", () => {
  const scripts = {
    start: ["--listen", "127.0.0.1:0"],
    demo: ["--port", "0"],
    simulator: ["--port", "0"],
  };

  it.for(Object.entries(scripts))(
    "ends what `npm run %s` runs",
    async ([script, args], context) => {
      if (spawnSync("npm", ["--version"]).status !== 0) return context.skip("npm is not in PATH");
      const directory = temporaryDirectory();
      context.onTestFinished(directory.remove);
      const child = spawn("npm", ["run", "--silent", script, "--", ...args], {
        cwd: join(import.meta.dirname, ".."),
        env: {
          ...process.env,
          AGGWATCH_BASE_URL: "http://127.0.0.1:1",
          AGGWATCH_DATA: directory.path,
        },
        stdio: ["ignore", "pipe", "inherit"],
        // A group of its own, so that the test leaves no process behind.
        detached: true,
      });
      const { pid } = child;
      if (pid === undefined) throw new Error("npm did not start");
      context.onTestFinished(() => {
        try {
          process.kill(-pid, "SIGKILL");
        } catch {
          // The group has ended, as it should.
        }
      });
      // It comes when every process that holds its output has ended.
      const closed = once(child, "close");
      await once(child.stdout, "data");
      child.stdout.resume();
      child.kill("SIGTERM");
      await closed;
    },
  );
});
