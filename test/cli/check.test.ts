import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../../src/cli/program.ts";

const shipped = join(import.meta.dirname, "../../rules");

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "aggwatch-check-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

async function check(args: readonly string[], env: Record<string, string> = {}) {
  const printed: string[] = [];
  const complained: string[] = [];
  const exitCode = await runProgram(["check", ...args], {
    env,
    isTerminal: false,
    onHangup: () => () => undefined,
    nodeVersion: "v24.0.0",
    print: (line) => printed.push(line),
    complain: (line) => complained.push(line),
    signal: new AbortController().signal,
  });
  return { exitCode, printed: printed.join("\n"), complained: complained.join("\n") };
}

const BASE_URL = { AGGWATCH_BASE_URL: "https://aggregator.example/bsc-mainnet/backend" };

describe("aggwatch check", () => {
  it("says what it found, with the shipped rules and a base URL alone", async () => {
    const { exitCode, printed, complained } = await check(["--rules", shipped], BASE_URL);
    expect(complained).toBe("");
    expect(printed).toMatch(/^5 files, 13 rules, 1 aggregator, actions: shadow$/);
    expect(exitCode).toBe(0);
  });

  it("prints every problem of the config and of the rules, and exits with 1", async () => {
    const config = write(
      "config.yaml",
      "aggregators:\n  - base_url: https://host/x\n    auth: { act: { type: bearer, value_file: none } }\nlisten: 5\n",
    );
    write(
      "a.yaml",
      "groups:\n  - name: a\n    rules:\n      - { alert: A, each: pool, when: pool.bas < 1 }\n",
    );
    rmSync(write("b.yaml", ""));
    const { exitCode, printed, complained } = await check([
      "--config",
      config,
      "--rules",
      join(directory),
    ]);
    expect(exitCode).toBe(1);
    expect(printed).toBe("");
    // The config lies in the same folder, so it is read as a rule file too.
    expect(complained).toContain(
      `${config}:3:46: error: the secret file ${join(directory, "none")} cannot be read`,
    );
    expect(complained).toContain(`${config}:4:9: error: "listen" must be text, not a number`);
    expect(complained).toContain(`${join(directory, "a.yaml")}:4:44: error: unknown fact "bas"`);
    expect(complained).toContain('did you mean "base"?');
  });

  it.each([
    ["no aggregator", [], {}, "AGGWATCH_BASE_URL"],
    ["a wrong base URL", [], { AGGWATCH_BASE_URL: "localhost:80" }, "AGGWATCH_BASE_URL: error"],
    [
      "no config file",
      ["--config", "nope.yaml"],
      {},
      "nope.yaml: error: the config file cannot be read: no such file",
    ],
    ["no config file, by variable", [], { AGGWATCH_CONFIG: "no.yaml" }, "no.yaml: error"],
  ])("says in one message what is wrong: %s", async (_, args, env, text) => {
    const { exitCode, complained } = await check(["--rules", shipped, ...args], env);
    expect(exitCode).toBe(1);
    expect(complained).toContain(text);
    expect(complained).toContain("1 problem");
  });

  it("checks the wire profile, and points into the config", async () => {
    const config = write(
      "config.yaml",
      "aggregators:\n  - base_url: https://host/x\n    wire: { disabled: { path: '/api/{nope}' } }\n",
    );
    const { exitCode, complained } = await check(["--config", config, "--rules", shipped]);
    expect(exitCode).toBe(1);
    expect(complained).toContain(`${config}:3:31: error: there is no argument {nope}`);
    expect(complained).toContain("1 problem");
  });

  it("says where it looked for the rules", async () => {
    const { exitCode, complained } = await check(["--rules", join(directory, "nope")], BASE_URL);
    expect(exitCode).toBe(1);
    expect(complained).toContain("no such file or directory");
    const empty = await check(["--rules", directory], BASE_URL);
    expect(empty.complained).toContain("there is no rule file");
  });

  it("finds the rules beside the config file that names them", async () => {
    const config = write("config.yml", "rules: .\naggregators: [{ base_url: 'https://host/x' }]\n");
    const { complained } = await check(["--config", config]);
    expect(complained).toContain("config.yml:1:1: error");
  });
});
