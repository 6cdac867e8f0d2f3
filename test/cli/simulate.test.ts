import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CliContext } from "../../src/cli/context.ts";
import { readSimulateOptions } from "../../src/cli/simulate-options.ts";
import { commandLine } from "./command-line.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aggwatch-simulate-"));
});
afterEach(() => rm(folder, { recursive: true }));

const simulate = async (args: readonly string[]) => await commandLine(["simulate", ...args]);

const SHORT = ["--runs", "1", "--hours", "0.05", "--workers", "1"] as const;

/** A run takes seconds, so tests that look at other things look at one. */
const onTerminal = () =>
  (shownRun ??= commandLine(["simulate", ...SHORT], {}, { isTerminal: true, width: 80 }));
let shownRun: ReturnType<typeof commandLine> | undefined;

describe("aggwatch simulate", () => {
  it("tells what came of the rules, and exits with 0 if nothing was violated", async () => {
    const { exitCode, printed, complained } = await simulate([...SHORT, "--seed", "3"]);
    expect(complained).toBe("");
    expect(printed).toMatch(/^1 run of the rules, varied by each seed\n23m of simulated time and /);
    expect(printed).toContain("alerts that fired");
    expect(printed).toContain("no invariant was violated");
    expect(printed).toMatch(/messages to people: [1-9]/);
    expect(exitCode).toBe(0);
  });

  it("gives the same again as JSON, with the hash of each seed", async () => {
    const first = await simulate([...SHORT, "--json"]);
    const again = await simulate([...SHORT, "--json"]);
    expect(again.printed).toBe(first.printed);
    const { seeds, violations } = JSON.parse(first.printed) as {
      readonly seeds: ReadonlyArray<{ readonly seed: number; readonly hash: string }>;
      readonly violations: readonly unknown[];
    };
    expect(seeds).toMatchObject([{ seed: 1, hash: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
    expect(violations).toEqual([]);
  });

  it("runs a scenario on the rules as they are written", async () => {
    const story = ["--scenario", "deploy/scenarios/bad-day.yaml", "--rules", "rules"];
    const { exitCode, printed } = await simulate([...SHORT, ...story, "--seed", "2"]);
    expect(printed).toContain("1 run of the rules as they are written\n");
    expect(printed).toMatch(
      /\nactions:\n {2}enable_\w+ +[1-9]\d* requested: \d+ verified, \d+ unverified, \d+ rejected/,
    );
    expect(printed).toMatch(/ExchangeDisabled\s+[1-9]/);
    expect(exitCode).toBe(0);
  });

  it("decides rules that read the time", async () => {
    const rules = ["exchange.first_seen < now", "now.getHours('Europe/Berlin') >= 0"].map(
      (when, index) => `      - { alert: Reads${index}, each: exchange, when: "${when}" }\n`,
    );
    await writeFile(join(folder, "a.yaml"), `groups:\n  - name: a\n    rules:\n${rules.join("")}`);
    const { printed } = await simulate([...SHORT, "--rules", folder]);
    expect(printed).toMatch(/alerts that fired:\n {2}Reads0 +[1-9]\d*\n {2}Reads1 +[1-9]/);
  });

  it("shows on a terminal how far it is", async () => {
    const { printed } = await onTerminal();
    expect(printed).toContain("1 of 1 runs");
  });

  it("fits 80 columns on a terminal", async () => {
    const lines = (await onTerminal()).printed.split("\n");
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter(({ length }) => length > 80)).toStrictEqual([]);
  });

  it("ends with a verdict on the rules, and writes it with a timeline into one file", async () => {
    const file = join(folder, "report.html");
    const given = [...SHORT, "--rules", "rules", "--seed", "2", "--html", file];
    const { exitCode, printed, complained } = await simulate(given);
    expect(exitCode).toBe(0);
    expect(complained).toBe(`the report is in ${file}`);
    expect(printed).toMatch(/\nVerdict: Held: no invariant was violated in the run \(23m/);
    expect(printed).toMatch(/\n {2}\d+ of \d+ rules never fired: \w+/);
    const report = await readFile(file, "utf8");
    expect(report).toContain("Held: no invariant was violated");
    expect(report).toMatch(/<svg[^>]* aria-label="Timeline of seed 2">/);
    expect(report).toContain(">faults<");
  });

  it("says before the first run that its report cannot be written", async () => {
    const file = join(folder, "none", "report.html");
    const { exitCode, printed, complained } = await simulate([...SHORT, "--html", file]);
    expect({ exitCode, printed }).toEqual({ exitCode: 1, printed: "" });
    expect(complained).toBe(`--html ${file}: it cannot be written: no such file or directory`);
  });

  it("watches what the config of AGGWATCH_CONFIG says, as with --config", async () => {
    const config = join(folder, "aggwatch.yaml");
    await writeFile(
      config,
      'aggregators: [{ base_url: http://a.example, watch: { senders: ["0x8ab"] } }]',
    );
    const watched = (options: { readonly config?: string }, env: Record<string, string>) => {
      const given = { seed: "1", runs: "1", hours: "0.1", rules: "rules", ...options };
      const read = readSimulateOptions(given, { env } as CliContext);
      return read.ok ? read.value.campaign.swarm.own?.fleet[0]?.watch : read.problem;
    };
    const byOption = watched({ config }, {});
    expect(byOption).toMatchObject({ senders: [{ address: "0x8ab" }], liquidations: [] });
    expect(watched({}, { AGGWATCH_CONFIG: config })).toStrictEqual(byOption);
  });

  it("takes the aggregators that the environment names, alone or by their positions", () => {
    const names = (env: Record<string, string>) => {
      const given = { seed: "1", runs: "1", hours: "0.1", rules: "rules" };
      const read = readSimulateOptions(given, { env } as CliContext);
      return read.ok ? read.value.campaign.swarm.own?.fleet.map(({ name }) => name) : read.problem;
    };
    const byPosition = (position: number) => ({
      [`AGGWATCH_AGGREGATORS_${position}_BASE_URL`]: `http://a.example/n${position}`,
    });
    expect(names({})).toStrictEqual(["bsc"]);
    expect(names({ AGGWATCH_BASE_URL: "http://a.example/n7" })).toStrictEqual(["n7"]);
    expect(names(byPosition(0))).toStrictEqual(["n0"]);
    expect(names({ ...byPosition(0), ...byPosition(1) })).toStrictEqual(["n0", "n1"]);
  });

  it("names everything that is wrong at once, and exits with 2", async () => {
    const scenario = join(folder, "story.yaml");
    await writeFile(
      scenario,
      "name: x\nsteps:\n  - { at: 1s, do: disable_exchange, exchange: NO }\n",
    );
    const { exitCode, complained: text } = await simulate([
      "--runs",
      "none",
      "--hours",
      "0",
      "--scenario",
      scenario,
      "--rules",
      join(folder, "rules"),
    ]);
    expect(exitCode).toBe(2);
    expect(text).toContain('--runs "none": it must be a whole number from 1 to 1000000');
    expect(text).toContain('--hours "0": it must be a number above 0, at most 2000');
    expect(text).toContain("story.yaml:3:5: steps.0: There is no exchange NO.");
    expect(text).toContain("the rules cannot be read");
  });
});
