/** Tests src/cli: what commands that are to give an answer say if SIGINT ends them before they have it. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ANSWERED_WITHIN } from "../../src/io/api/operator-calls.ts";
import { startServer, type LocalServer } from "../io/local-server.ts";
import { commandLine } from "./command-line.ts";

let directory = "";
let silent: LocalServer;
let interruption: AbortController;

// Whatever is asked of it is not answered, and the person at the terminal loses patience.
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "aggwatch-interrupted-"));
  interruption = new AbortController();
  silent = await startServer(() => interruption.abort("SIGINT"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await silent.close();
  rmSync(directory, { recursive: true });
});

const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};

const run = async (...args: readonly string[]) =>
  await commandLine(args, {}, { signal: interruption.signal });

describe("SIGINT before the answer", () => {
  it("ends a probe with 1, which says nothing of what it did not ask, and writes nothing", async () => {
    const written = join(directory, "suggested.yaml");
    const probed = await run("probe", "--base-url", silent.baseUrl, "--write", written);
    expect(probed).toEqual({ exitCode: 1, printed: "", complained: "interrupted by SIGINT" });
    expect(existsSync(written)).toBe(false);
    const json = await run("probe", "--base-url", silent.baseUrl, "--json");
    expect(json).toEqual({ exitCode: 1, printed: "", complained: "interrupted by SIGINT" });
  });

  it("ends a question to a daemon with 1, and not as if there were none", async () => {
    const asked = await run("status", "--url", silent.baseUrl);
    expect(asked).toEqual({ exitCode: 1, printed: "", complained: "interrupted by SIGINT" });
  });

  it("says of what was to be changed that it may have been", async () => {
    const token = ["--token-file", file("token", "secret\n")];
    const killed = await run("kill", "--reason", "x", "--url", silent.baseUrl, ...token);
    expect(killed.complained).toBe("interrupted by SIGINT; it may have been done");
    expect(killed.exitCode).toBe(1);
  });

  it("waits as long for a change as a standby may take, and says that it may have been made", async () => {
    const timeout = new AbortController();
    const late = await startServer(() =>
      timeout.abort(new DOMException("timed out", "TimeoutError")),
    );
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) =>
      ms > ANSWERED_WITHIN ? timeout.signal : AbortSignal.abort(new Error(`${ms} ms`)),
    );
    const token = ["--token-file", file("token", "secret\n")];
    const killed = await run("kill", "--reason", "x", "--url", late.baseUrl, ...token);
    expect(killed.complained).toBe(
      `no answer from ${late.baseUrl} within 40 s; it may have been done`,
    );
    await late.close();
  });

  it.each([
    ["kill", "it may have been done"],
    ["status", "Does it run?"],
  ])("says of %s, if the connection breaks: %s", async (command, said) => {
    const broken = await startServer((_seen, response) => response.destroy());
    const token = ["--reason", "x", "--token-file", file("token", "secret\n")];
    const args = [command, "--url", broken.baseUrl, ...(command === "kill" ? token : [])];
    expect((await run(...args)).complained).toContain(said);
    await broken.close();
  });

  it("ends a test of notifications with 1, and gives up what has no answer", async () => {
    const aggregators = "aggregators: [{ name: here, base_url: http://127.0.0.1:1 }]";
    const notify = `notify: { webhooks: [{ name: hook, url_file: ${file("url", silent.baseUrl)} }] }`;
    const config = file("c.yaml", `${aggregators}\n${notify}\n`);
    const tested = await run("notify", "test", "--config", config);
    expect(tested).toMatchObject({ exitCode: 1, complained: "interrupted by SIGINT" });
    expect(tested.printed).toMatch(/hook +webhook +failed +given up/);
  });
});

describe("SIGINT while a record is replayed", () => {
  it("ends the backtest with 1 and without a report, and leaves no copy of the journal", async () => {
    const replay = join(import.meta.dirname, "../replays/schema-3");
    const data = join(directory, "data");
    mkdirSync(data);
    cpSync(join(replay, "journal.sqlite"), join(data, "journal.sqlite"));
    vi.stubEnv("TMPDIR", directory);
    const before = readdirSync(directory, { recursive: true });
    const printed: string[] = [];
    const print = (line: string): void => {
      printed.push(line);
      if (line.includes("replayed")) interruption.abort("SIGINT");
    };
    const context = { signal: interruption.signal, isTerminal: true, print };
    const args = ["backtest", "--data", data, "--rules", replay];
    const { exitCode, complained } = await commandLine(args, {}, context);
    expect(printed.join("\n")).toContain("% replayed");
    expect(printed.join("\n")).not.toContain("Verdict");
    expect(complained).toBe("interrupted by SIGINT");
    expect(exitCode).toBe(1);
    expect(readdirSync(directory, { recursive: true })).toEqual(before);
  });

  it("hears a signal that came while rules were read", async () => {
    setImmediate(() => interruption.abort("SIGINT"));
    const replay = join(import.meta.dirname, "../replays/schema-3");
    const done = await run("backtest", "--data", join(replay, "journal.sqlite"), "--rules", replay);
    expect(done).toEqual({ exitCode: 1, printed: "", complained: "interrupted by SIGINT" });
  });
});

describe("SIGINT while the tests of rules run", () => {
  it("ends them with 1, and without a word on those that were run", async () => {
    setImmediate(() => setImmediate(() => interruption.abort("SIGINT")));
    const ended = { exitCode: 1, printed: "", complained: "interrupted by SIGINT" };
    expect(await run("test", "rules")).toEqual(ended);
  });
});

describe("SIGINT while the simulation runs", () => {
  const args = ["--runs", "3", "--hours", "0.05", "--workers", "1"] as const;

  it("ends it with the summary of the runs that are done, and says that it is not of all", async () => {
    const shown: string[] = [];
    const print = (text: string): void => {
      shown.push(text);
      if (text.includes("1 of 3 runs")) interruption.abort("SIGINT");
    };
    const context = { signal: interruption.signal, isTerminal: true, print };
    const { exitCode, complained } = await commandLine(["simulate", ...args], {}, context);
    expect(complained).toBe("interrupted by SIGINT: 2 of 3 runs were not made");
    expect(shown.join("\n")).toContain("1 run of the rules");
    expect(exitCode).toBe(0);
  });

  it("ends it with 1, and no summary, within the first run", async () => {
    setImmediate(() => interruption.abort("SIGINT"));
    const ended = await run("simulate", ...args, "--hours", "500");
    expect(ended).toEqual({ exitCode: 1, printed: "", complained: "interrupted by SIGINT" });
  });
});

describe("SIGINT while a journal is looked at", () => {
  it.each([["check"], ["info"], ["repair"], ["backup", "copy.sqlite"]])(
    "ends journal %s with 1 and without a result, and leaves nothing but the journal",
    async (what, ...names) => {
      const data = join(directory, "data");
      mkdirSync(data);
      cpSync(
        join(import.meta.dirname, "../replays/schema-3/journal.sqlite"),
        join(data, "journal.sqlite"),
      );
      const before = readdirSync(directory, { recursive: true });
      setImmediate(() => interruption.abort("SIGINT"));
      const files = names.map((name) => join(directory, name));
      const done = await run("journal", what ?? "", ...files, "--data", data);
      expect(done).toEqual({ exitCode: 1, printed: "", complained: "interrupted by SIGINT" });
      expect(readdirSync(directory, { recursive: true })).toEqual(before);
    },
  );
});

describe("SIGINT before the end of a story that is to prove something", () => {
  it.each([
    { args: ["--once"], code: 1 },
    { args: [], code: 0 },
  ])("ends demo $args with $code", async ({ args, code }) => {
    interruption.abort("SIGINT");
    const demo = await run("demo", "--port", "0", ...args);
    expect(demo).toMatchObject({ exitCode: code, complained: "" });
  });
});

describe("SIGINT of what goes on until then", () => {
  it("ends --watch with 0, without a complaint of the question under way", async () => {
    const watched = await run("status", "--watch", "--url", silent.baseUrl);
    expect(watched).toEqual({ exitCode: 0, printed: "", complained: "" });
  });
});
