/** Tests src/cli/context.ts: what commands make of variables that are empty. */
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { MAIN } from "../acceptance/daemon.ts";
import { childEnvironment } from "../child-environment.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";

const REPLAY = join(import.meta.dirname, "../replays/schema-3");
const SHIPPED = join(import.meta.dirname, "../../rules");
const EMPTY = {
  AGGWATCH_BASE_URL: "",
  AGGWATCH_CONFIG: "",
  AGGWATCH_DATA: "",
  AGGWATCH_RULES: "",
};

/** Runs it in a directory of its own, where the defaults are. */
function run(context: TestContext, args: readonly string[], fill: (cwd: string) => void) {
  const { path: cwd, remove } = temporaryDirectory();
  context.onTestFinished(remove);
  fill(cwd);
  const env = { ...childEnvironment(), ...EMPTY };
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { cwd, env });
  return { status, complained: stderr.toString().trim() };
}

describe("a variable that is empty counts as not set", () => {
  it("for a backtest", (context) => {
    const ran = run(context, ["backtest"], (cwd) => {
      mkdirSync(join(cwd, "data"));
      copyFileSync(join(REPLAY, "journal.sqlite"), join(cwd, "data", "journal.sqlite"));
      mkdirSync(join(cwd, "rules"));
      copyFileSync(join(REPLAY, "rules.yaml"), join(cwd, "rules", "rules.yaml"));
    });
    expect(ran).toStrictEqual({ status: 0, complained: "" });
  });

  it("for the tests of rules", (context) => {
    const ran = run(context, ["test", "--run", "is disabled"], (cwd) =>
      cpSync(SHIPPED, join(cwd, "rules"), { recursive: true }),
    );
    expect(ran).toStrictEqual({ status: 0, complained: "" });
  });

  it("for a simulation, which takes the shipped rules", (context) => {
    const ran = run(context, ["simulate", "--hours", "0"], () => undefined);
    const problem = '--hours "0": it must be a number above 0, at most 2000';
    expect(ran).toStrictEqual({ status: 2, complained: problem });
  });
});
