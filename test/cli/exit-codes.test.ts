/** Tests src/cli: that a wrong command line ends with 2 and a wrong file with 1, as docs/operations.md says. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { MAIN } from "../acceptance/daemon.ts";
import { childEnvironment } from "../child-environment.ts";
import { commandLine } from "./command-line.ts";

const REPLAY = "test/replays/schema-3";
const RECORDED = ["--data", `${REPLAY}/journal.sqlite`, "--rules", REPLAY];
const MISSING = "test/cli/no-such-file";
const ONE_RUN = ["--runs", "1", "--hours", "0.05", "--workers", "1"];

const ended = async (args: readonly string[]) =>
  await commandLine(args, { AGGWATCH_DATA: MISSING, AGGWATCH_RULES: REPLAY });

describe("the exit code of a command that cannot be carried out", () => {
  it.each([
    [["backtest", ...RECORDED, "--since", "soon"]],
    [["backtest", ...RECORDED, "--until", "soon"]],
    [["backtest", ...RECORDED, "--since", "2d", "--until", "7d"]],
    [["backtest", ...RECORDED, "--since", "2026-01-02", "--until", "2026-01-01"]],
    [["replies", "--since", "2d", "--until", "2000-01-01"]],
    [["timeline", "--until", "7d"]],
    [["replies", "--since", "soon"]],
    [["replies", "--until", "soon"]],
    [["replies", "x"]],
    [["demo", "--port", "abc"]],
    [["demo", "--simulator-port", "abc"]],
    [["simulator", "--port", "abc"]],
    [["simulator", "--seed", "abc"]],
    [["simulator", "--speed", "abc"]],
    [["simulator", "--base-path", "abc"]],
    [["simulator", "--deployment", "abc"]],
    [["simulator", "--print-profile"]],
    [["simulator", "--port", "abc", "--scenario", MISSING]],
    [["simulate", "--runs", "abc"]],
    [["simulate", "--hours", "abc"]],
    [["simulate", "--shards", "2"]],
    [["simulate", "--runs", "abc", "--rules", MISSING]],
    [["status", "--url", "abc"]],
    [["kill", "--url", "ftp://127.0.0.1", "--reason", "x", "--token-file", MISSING]],
    [["journal", "backup", "--url", "abc"]],
  ])("is 2 if its line is wrong, whatever else is: %j", async (args) => {
    expect(await ended(args)).toMatchObject({
      exitCode: 2,
      complained: expect.stringMatching(/./),
    });
  });

  it.each([
    [["run", "--config", ""], "--config <file>"],
    [["check", "--config="], "--config <file>"],
    [["backtest", ...RECORDED, "--html", ""], "--html <file>"],
    [["mcp", "--token-file", ""], "--token-file <file>"],
  ])("is 2 if an option for a file is empty, as an unset variable is: %j", async (args, option) => {
    const env = { AGGWATCH_BASE_URL: "http://127.0.0.1:1", AGGWATCH_RULES: MISSING };
    const { exitCode, complained } = await commandLine(args, env);
    expect(exitCode).toBe(2);
    expect(complained).toContain(`option '${option}' argument '' is invalid. It must name a file.`);
  });

  it("is 1 if a variable has the wrong address, and the variable is named", async () => {
    const { exitCode, complained } = await commandLine(["status"], { AGGWATCH_URL: "abc" });
    expect(exitCode).toBe(1);
    expect(complained).toMatch(/^AGGWATCH_URL: abc is not an address; /);
  });

  it.each([
    [["backtest", ...RECORDED, "--since", "2030-01-01"]],
    [["backtest", ...RECORDED, "--since", "1s", "--until", "2026-11-21T15:28:20Z"]],
    [["backtest", "--rules", REPLAY]],
    [["backtest", ...RECORDED, "--against", MISSING]],
    [["replies", "7"]],
    [["simulator", "--scenario", MISSING]],
    [["simulator", "--act-key-file", MISSING]],
    [["simulate", ...ONE_RUN, "--rules", MISSING]],
    [["simulate", ...ONE_RUN, "--config", MISSING]],
    [["simulate", ...ONE_RUN, "--scenario", MISSING]],
  ])("is 1 if a file that it names is wrong: %j", async (args) => {
    expect(await ended(args)).toMatchObject({
      exitCode: 1,
      complained: expect.stringMatching(/./),
    });
  });
});

describe("the exit code of the help", () => {
  const helped = (...args: readonly string[]) => {
    const env = childEnvironment();
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { env });
    return { status, printed: stdout.toString(), complained: stderr.toString() };
  };

  it.each([[["help"]], [["help", "journal"]], [["journal", "--help"]]])(
    "is 0 if it was asked for: %j",
    (args) => {
      const { status, printed, complained } = helped(...args);
      expect(printed).toMatch(/^Usage: aggwatch /);
      expect({ status, complained }).toStrictEqual({ status: 0, complained: "" });
    },
  );

  it("is 2 if nothing was asked for, or of what is not there, which is named", () => {
    expect(helped().status).toBe(2);
    const { status, complained } = helped("help", "rnu");
    expect(status).toBe(2);
    expect(complained).toContain("unknown command 'rnu'");
    expect(complained).toContain("Did you mean run?");
  });
});
