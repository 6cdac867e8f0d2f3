import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ENDPOINT_NAMES } from "../../src/simulator/routes/interface.ts";
import { runProgram } from "../../src/cli/program.ts";
import { commandLine } from "./command-line.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aggwatch-simulator-"));
});
afterEach(() => rm(folder, { recursive: true }));

type Started = {
  readonly url: Promise<string>;
  readonly ended: Promise<number>;
  readonly stop: () => void;
  readonly printed: string[];
  readonly complained: string[];
};

function start(...args: readonly string[]): Started {
  const stopping = new AbortController();
  const printed: string[] = [];
  const complained: string[] = [];
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  const ended = runProgram(["simulator", ...args], {
    env: {},
    onHangup: () => () => undefined,
    nodeVersion: "24.0.0",
    isTerminal: false,
    print: (line) => {
      printed.push(line);
      const found = /at (http:\S+) \(/.exec(line);
      if (found?.[1] !== undefined) resolve(found[1]);
    },
    complain: (line) => complained.push(line),
    signal: stopping.signal,
  });
  const early = (): void => reject(new Error(`ended early: ${complained.join("; ")}`));
  void ended.then(early, early);
  url.catch(() => undefined);
  return { url, ended, stop: () => stopping.abort(), printed, complained };
}

describe("aggwatch simulator", () => {
  it("serves until it is stopped, and says what to try", async () => {
    const started = start("--port", "0", "--seed", "7");
    const url = await started.url;
    expect(started.printed[0]).toBe(
      `A simulated aggregator serves ${ENDPOINT_NAMES.length} endpoints at ${url} (seed 7).`,
    );
    expect(started.printed.join("\n")).toContain(`curl ${url}/api/v1/exchange/list`);
    expect((await fetch(`${url}/api/v1/exchange/list`)).status).toBe(200);
    started.stop();
    expect(await started.ended).toBe(0);
    expect(started.complained).toEqual([]);
  });

  it("tells a scenario's story as it happens", async () => {
    const file = join(folder, "story.yaml");
    await writeFile(
      file,
      "name: n\nseed: 3\nsteps: [{ at: 0, do: disable_exchange, exchange: OKX, say: Gone. }]",
    );
    const started = start("--port", "0", "--scenario", file);
    const disabled = await fetch(`${await started.url}/api/v1/exchange/disabled`);
    expect(await disabled.json()).toMatchObject({ exchanges: ["OKX"] });
    expect(started.printed[0]).toContain('(seed 3, scenario "n")');
    expect(started.printed).toContain("0s  Gone.");
    started.stop();
    expect(await started.ended).toBe(0);
  });

  it("counts the times of a story from the reset that starts it again", async () => {
    const file = join(folder, "again.yaml");
    await writeFile(file, "name: n\nsteps: [{ at: 0, say: Begun. }]");
    const started = start("--port", "0", "--speed", "1000", "--scenario", file);
    const url = await started.url;
    await fetch(`${url}/_sim/state`);
    await fetch(`${url}/_sim/reset`, { method: "POST" });
    await fetch(`${url}/_sim/state`);
    expect(started.printed.filter((line) => line.endsWith("Begun."))).toEqual([
      "0s  Begun.",
      "0s  Begun.",
    ]);
    started.stop();
    expect(await started.ended).toBe(0);
  });

  it("names every problem of its options at once, and ends with 2", async () => {
    const started = start(
      "--port",
      "99999",
      "--seed",
      "x",
      "--speed",
      "0",
      "--scenario",
      join(folder, "no.yaml"),
    );
    expect(await started.ended).toBe(2);
    expect(started.complained.map((line) => line.replace(`${folder}/`, "").slice(0, 41))).toEqual([
      "--port: 99999 is not a port (0 to 65535).",
      "--seed: x is not a whole number.",
      "--speed: 0 is not above 0 and at most 100",
      "no.yaml: the scenario cannot be read: no ",
    ]);
  });

  it.each([
    ["--host=", "--host: give an address or a name to listen on."],
    ["--act-header=X Key", '--act-header: "X Key" is not a header name.'],
    ["--act-header=", '--act-header: "" is not a header name.'],
    ["--base-path=/_sim/backend", "--base-path: /_sim is where the control surface is."],
  ])(
    "refuses an option with which nothing could be reached, or all could: %s",
    async (arg, said) => {
      const started = start("--port", "0", arg);
      // If it is taken, the simulator listens until it is stopped.
      void started.url.then(started.stop, () => undefined);
      expect(await started.ended).toBe(2);
      expect(started.complained).toEqual([said]);
    },
  );

  it.each([
    ["steps: [\n", ":1:8: error: this bracket is not closed by a ] (yaml/syntax)"],
    ["name: a\nworld: *b\n", ":2:8: error: there is no anchor &b before this alias (yaml/alias)"],
    ["name: a\nname: b\n", ":2:1: error: "],
  ])("says where the YAML of a scenario is wrong, as check does: %j", async (text, said) => {
    const file = join(folder, "wrong.yaml");
    await writeFile(file, text);
    const started = start("--port", "0", "--scenario", file);
    expect(await started.ended).toBe(1);
    expect(started.complained.join("\n")).toContain(`${file}${said}`);
    expect(started.complained.join("\n")).toMatch(/\n +\| +\^/);
  });

  it("says in words why a scenario cannot be read", async () => {
    const started = start("--port", "0", "--scenario", folder);
    expect(await started.ended).toBe(1);
    expect(started.complained).toEqual([`${folder}: the scenario cannot be read: is a directory`]);
  });

  it("serves under a base path, with a key of its own for the toggles", async () => {
    const file = join(folder, "key");
    await writeFile(file, "k-1\n");
    const options = [
      "--base-path",
      "/bsc/backend",
      "--act-header",
      "X-Act",
      "--act-key-file",
      file,
    ];
    const started = start("--port", "0", ...options, "--toggles-need-key");
    const toggle = `${await started.url}/api/v1/exchange/toggle/OKX`;
    expect(toggle).toContain("/bsc/backend/api");
    const disable = (headers: Record<string, string>) =>
      fetch(toggle, { method: "DELETE", headers }).then((reply) => reply.status);
    expect(await disable({})).toBe(401);
    expect(await disable({ "x-act": "simulator-key" })).toBe(403);
    expect(await disable({ "x-act": "k-1" })).toBe(200);
    expect(started.printed.join("\n")).not.toContain("k-1");
    started.stop();
    expect(await started.ended).toBe(0);
  });

  it("serves another deployment, and prints the config by which it is read", async () => {
    const started = start("--port", "0", "--deployment", "pascal");
    const { origin, port } = new URL(await started.url);
    expect(started.printed[1]).toBe("It differs from the usual: naming pascal.");
    const info = await fetch(`${origin}/api/v1/pairs/exchangeInfo/ORN-USDT`);
    expect(await info.json()).toMatchObject({ Name: "ORN-USDT", PricePrecision: 4 });
    expect((await commandLine(["probe", "--base-url", origin])).exitCode).toBe(1);
    const options = ["--port", port, "--deployment", "pascal", "--print-profile"];
    const profile = await commandLine(["simulator", ...options]);
    expect(profile).toMatchObject({ exitCode: 0, complained: "" });
    expect(profile.printed).toContain("# The deployment pascal: naming pascal\n");
    const file = join(folder, "fits.yaml");
    await writeFile(file, profile.printed);
    expect(await commandLine(["probe", "--config", file])).toMatchObject({ exitCode: 0 });
    started.stop();
    expect(await started.ended).toBe(0);
  });

  it("names the deployments if one is not known", async () => {
    const unknown = await commandLine(["simulator", "--deployment", "shouting"]);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.complained).toMatch(
      /^--deployment: shouting is neither one of wrapped, snake, .* nor a whole number\.$/,
    );
    expect((await commandLine(["simulator", "--print-profile"])).complained).toBe(
      "--print-profile: give --deployment as well; the usual one needs no profile.",
    );
  });

  it("says in one line that the port is in use, and ends with 1", async () => {
    const first = start("--port", "0");
    const port = new URL(await first.url).port;
    const second = start("--port", port);
    expect(await second.ended).toBe(1);
    expect(second.complained).toHaveLength(1);
    expect(second.complained[0]).toMatch(/^Cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/);
    expect(second.complained[0]).toMatch(/\. Give another address with --host and --port\.$/);
    first.stop();
    expect(await first.ended).toBe(0);
  });
});
