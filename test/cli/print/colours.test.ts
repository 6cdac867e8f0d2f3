/** Tests src/cli/print/colours.ts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { coloured, isColoured, takeColour } from "../../../src/cli/print/colours.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { commandLine } from "../command-line.ts";

const RED = "\u001B[31m";
const GREEN = "\u001B[32m";
const YELLOW = "\u001B[33m";
const END = "\u001B[39m";

describe("colours", () => {
  it("are on a terminal only, unless NO_COLOR is set, or they are asked for", () => {
    const asked = (when: "auto" | "always" | "never", isTerminal: boolean, env = {}) =>
      isColoured(when, { isTerminal, env });
    expect(asked("auto", true)).toBe(true);
    expect(asked("auto", false)).toBe(false);
    expect(asked("auto", true, { NO_COLOR: "1" })).toBe(false);
    expect(asked("auto", true, { NO_COLOR: "" })).toBe(true);
    expect(asked("auto", true, { TERM: "dumb" })).toBe(false);
    expect(asked("always", false, { NO_COLOR: "1" })).toBe(true);
    expect(asked("never", true)).toBe(false);
  });

  it.each([
    [["alerts", "--color", "never", "--all"], "never", ["alerts", "--all"]],
    [["--color=always", "alerts"], "always", ["alerts"]],
    [["alerts", "--no-color"], "never", ["alerts"]],
    [["alerts"], "auto", ["alerts"]],
    [["entities", "--", "--color"], "auto", ["entities", "--", "--color"]],
  ])("are asked for anywhere in a command line: %j", (args, when, rest) => {
    expect(takeColour(args)).toEqual({ ok: true, value: { when, rest } });
  });

  it("must be one of three words", () => {
    const must = "it must be auto, always, never";
    expect(takeColour(["--color", "red"])).toEqual({
      ok: false,
      problem: `--color "red": ${must}`,
    });
    expect(takeColour(["alerts", "--color"])).toEqual({
      ok: false,
      problem: `--color "": ${must}`,
    });
  });

  it("are those of states in cells of their own, and of nothing else", () => {
    expect(coloured("firing   critical  PoolDrained  the critical pool")).toBe(
      `${RED}firing${END}   ${RED}critical${END}  PoolDrained  the critical pool`,
    );
    expect(coloured("alerts: 2 firing, 1 pending")).toBe(
      `alerts: 2 ${RED}firing${END}, 1 ${YELLOW}pending${END}`,
    );
    expect(coloured("pending (unknown)  x")).toContain(`${YELLOW}pending${END} (unknown)`);
    expect(coloured("STATE  SEVERITY  ALERT")).toBe("\u001B[2mSTATE  SEVERITY  ALERT\u001B[22m");
    expect(coloured("actions: stopped")).toBe(`actions: ${RED}stopped${END}`);
    expect(coloured("it holds; it COVERS NOTHING NOW: check it")).toBe(
      `it holds; it ${RED}COVERS NOTHING NOW${END}: check it`,
    );
    // No head of a table, though in capitals.
    expect(coloured("BLIND")).toBe(`${RED}BLIND${END}`);
    expect(coloured("nothing to see")).toBe("nothing to see");
  });

  it("are also those of what fails before the name of a file or an invariant", () => {
    expect(coloured("FAILED own.test.yaml  1 of 3 tests")).toBe(
      `${RED}FAILED${END} own.test.yaml  1 of 3 tests`,
    );
    expect(coloured("    16:12:12  VIOLATED 2 storms: r1")).toBe(
      `    16:12:12  ${RED}VIOLATED${END} 2 storms: r1`,
    );
    expect(coloured("OK     own.test.yaml  3 tests")).toBe(
      `${GREEN}OK${END}     own.test.yaml  3 tests`,
    );
  });
});

const ESCAPE = "\u001B[";

describe("colours on the terminal of what goes on until it is ended", () => {
  it.for([
    { are: true },
    { are: true, more: ["--color", "always"] },
    { are: false, env: { NO_COLOR: "1" } },
    { are: false, env: { TERM: "dumb" } },
    { are: false, more: ["--color", "never"] },
  ])(
    "are those of all commands, in the log of run: %j",
    async ({ are, env = {}, more = [] }, context) => {
      const { path, remove } = temporaryDirectory();
      context.onTestFinished(remove);
      const file = join(path, "aggwatch.yaml");
      // The old name of a key is logged.
      const config = `notify: { page_url: "http://a.example" }\naggregators: [{ base_url: "http://127.0.0.1:1" }]`;
      writeFileSync(file, config);
      const args = ["run", "--config", file, "--rules", "rules", "--data", join(path, "data")];
      const change = { isTerminal: true, signal: AbortSignal.abort("SIGTERM") };
      const { printed } = await commandLine(
        [...args, "--listen", "127.0.0.1:0", ...more],
        env,
        change,
      );
      expect(printed).toContain("page_url");
      expect(printed.includes(ESCAPE)).toBe(are);
    },
  );

  it.each([
    [{}, true],
    [{ NO_COLOR: "1" }, false],
  ])("are those of all commands, in the story of the demo: %j", async (env, are) => {
    const stop = new AbortController();
    const printed: string[] = [];
    const print = (line: string): void => {
      printed.push(line);
      // The title of the first chapter.
      if (line.includes(" 1. ")) stop.abort("SIGINT");
    };
    const change = { isTerminal: true, signal: stop.signal, print };
    const { exitCode, complained } = await commandLine(["demo", "--port", "0"], env, change);
    expect({ exitCode, complained }).toEqual({ exitCode: 0, complained: "" });
    expect(printed.find((line) => line.includes(" 1. "))?.includes(ESCAPE)).toBe(are);
  });
});
