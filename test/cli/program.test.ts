import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandLine } from "./command-line.ts";

const program = async (...args: readonly string[]) => await commandLine(args);

describe("aggwatch", () => {
  it("prints its version and nothing else", async () => {
    const { exitCode, printed, complained } = await program("--version");
    expect([exitCode, complained]).toEqual([0, ""]);
    expect(printed).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("prints its help without arguments", async () => {
    const { exitCode, complained } = await program();
    expect(exitCode).toBe(2);
    expect(complained).toContain("Usage: aggwatch");
    for (const command of ["run", "check", "demo", "simulator"])
      expect(complained).toContain(`  ${command} `);
  });

  it("leads from a mistake in a command to the help of that command", async () => {
    for (const [args, name] of [
      [["simulator", "--listen", "x"], "simulator"],
      [["release"], "release"],
    ] as const) {
      const { exitCode, complained } = await program(...args);
      expect(exitCode).toBe(2);
      expect(complained).toContain(`(aggwatch ${name} --help says what it takes)`);
    }
    const { complained } = await program("lint");
    expect(complained).toContain("(aggwatch --help lists the commands)");
  });

  it("says where what is no option of the daemon is set", async () => {
    const { complained, exitCode } = await program("run", "--mode", "act");
    expect(exitCode).toBe(2);
    expect(complained).toMatch(
      /^error: unknown option '--mode'\n.*did you mean "AGGWATCH_ACTIONS_MODE"\?\)$/,
    );
  });

  it.each([
    ["--port=80", 'the page and the API are served at "listen", such as 127.0.0.1:9733)'],
    ["--log-level", 'did you mean "AGGWATCH_LOG_LEVEL"?)'],
    ["--zebra", "such as AGGWATCH_ACTIONS_MODE)"],
  ])("says of %s, which is no option of the daemon, what there is", async (option, end) => {
    const { complained } = await program("run", option, "x");
    expect(complained.endsWith(end)).toBe(true);
  });

  it.each([["run"], ["check"]])(
    "leads %s to the option for a config file that is given alone",
    async (name) => {
      const { complained, exitCode } = await program(name, "--rules", "x.yaml", "etc/a.yaml");
      expect(exitCode).toBe(2);
      expect(complained.split("\n")[1]).toBe("(Did you mean --config etc/a.yaml?)");
      const other = await program(name, "--config", "a.yaml", "--zebra");
      expect(other.complained).not.toContain("Did you mean");
    },
  );

  it("has every command of the files in src/cli", async () => {
    const directory = join(import.meta.dirname, "../../src/cli");
    const texts = readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(directory, name), "utf8"));
    const held = texts.flatMap((text) =>
      [...text.matchAll(/^export const (\w+Command): CliCommand\b/gm)].map((match) => match[1]),
    );
    const program = readFileSync(join(directory, "program.ts"), "utf8");
    const [, listed = ""] = /^const commands: .*?= \[(.*?)^\];/ms.exec(program) ?? [];
    expect(held).toContain("statusCommand");
    expect(held.filter((name) => !listed.includes(`.${name}`))).toEqual([]);
  });

  it("knows each command by the name that loads it alone", async () => {
    const { complained } = await program();
    const names = [...complained.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = ""]) => name);
    expect(names).toContain("status");
    expect(names).toContain("hold");
    for (const name of names.filter((one) => one !== "help")) {
      const { printed } = await program(name, "--help");
      expect(printed).toContain(`Usage: aggwatch ${name}`);
    }
  });

  it("writes the help of each for 80 columns, so that no terminal of them breaks a line again", async () => {
    const { complained } = await program();
    const names = [...complained.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = ""]) => name);
    const helps = ["", ...names].map((name) => [...(name === "" ? [] : [name]), "--help"]);
    for (const args of helps) {
      const { printed } = await commandLine(args);
      expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([]);
      const onTerminal = await commandLine(args, {}, { isTerminal: true, width: 80 });
      expect(onTerminal.printed).toBe(printed);
    }
  });

  it("suggests the command that was meant", async () => {
    const { exitCode, complained } = await program("rnu");
    expect(exitCode).toBe(2);
    expect(complained).toContain("unknown command 'rnu'");
    expect(complained).toContain("Did you mean run?");
  });

  it.each(["abc", "99999", "-1", ""])(
    "says which option of the demo has a bad port: %s",
    async (port) => {
      const own = await program("demo", `--port=${port}`, "--simulator-port=0");
      expect(own.exitCode).toBe(2);
      expect(own.complained).toBe(`--port: ${port} is not a port (0 to 65535).`);
      const simulator = await program("demo", "--port=0", `--simulator-port=${port}`);
      expect(simulator.exitCode).toBe(2);
      expect(simulator.complained).toBe(`--simulator-port: ${port} is not a port (0 to 65535).`);
    },
  );
});
