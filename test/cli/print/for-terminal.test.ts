import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { commandLine } from "../command-line.ts";
import { fitting, forTerminal } from "../../../src/cli/print/for-terminal.ts";

describe("a line on a terminal", () => {
  it("has instants and ages to the second", () => {
    expect(
      forTerminal("read 2s28ms ago, at 2026-11-22T18:25:20.046Z, within 1m7s3ms", 80),
    ).toStrictEqual(["read 2s ago, at 2026-11-22T18:25:20Z, within 1m7s"]);
  });

  it("keeps what is shorter than a second, and what is not an age", () => {
    const line = "read 96ms ago; 10ms, ORN2s5ms-USDT and 0x1s2ms stay";
    expect(forTerminal(line, 80)).toStrictEqual([line]);
  });

  it("goes on a little to the right if it is longer than the terminal is wide", () => {
    expect(
      forTerminal("  ✗ held: ann holds exchange BINANCE until 18:30: the maintenance of it", 40),
    ).toStrictEqual([
      "  ✗ held: ann holds exchange BINANCE",
      "    until 18:30: the maintenance of it",
    ]);
  });

  it("is never wider, whatever is in it", () => {
    const line = `LiquidationStuck on bsc-mainnet/liquidation/0x${"7".repeat(64)}: no alert.`;
    const lines = forTerminal(line, 40);
    expect(lines.filter(({ length }) => length > 40)).toStrictEqual([]);
    expect(
      lines
        .map((one) => one.trim())
        .join("")
        .replaceAll(" ", ""),
    ).toBe(line.replaceAll(" ", ""));
  });

  it.each([
    ["abc", 0, ["a", "  b", "  c"]],
    ["    abc", 3, ["    a", "      b", "      c"]],
    ["  a", 2, ["  a"]],
  ] as const)("is whole on a terminal that has no room for it: %j in %d", (line, width, lines) => {
    expect(forTerminal(line, width)).toStrictEqual(lines);
  });
});

it("has half as many wide characters in a line", () => {
  expect(forTerminal("币安智能链", 6)).toStrictEqual(["币安智", "  能链"]);
});

describe("a text that is fitted", () => {
  it("keeps an excerpt and the mark below it, however wide they are", () => {
    const written: string[] = [];
    const text = "own.yaml:7:15: no such fact\n   7 |         when: a.b\n     |               ^";
    fitting(
      (one) => written.push(one),
      () => 12,
    )(text);
    expect(written.join("").split("\n")).toEqual([
      "own.yaml:7:1",
      "  5: no such",
      "  fact",
      ...text.split("\n").slice(1),
    ]);
  });

  it("is as wide as the terminal is at that time, and left as it is where there is none", () => {
    const written: string[] = [];
    let width: number | undefined = 40;
    const write = fitting(
      (one) => written.push(one),
      () => width,
    );
    const text = "read 2s28ms ago";
    write(text);
    width = 8;
    write(text);
    width = undefined;
    write(text);
    expect(written).toEqual(["read 2s ago", "read 2s\n  ago", text]);
  });
});

describe("the commands that call no daemon", () => {
  const answers: ReadonlyArray<readonly [string, ...string[]]> = [
    ["--help"],
    ["hold", "--help"],
    ["probe", "--base-url", "http://127.0.0.1:1"],
  ];
  it.each(answers)("fit 80 columns: %s", async (...args) => {
    const { printed } = await commandLine(args, {}, { isTerminal: true, width: 80 });
    const lines = printed.split("\n");
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter(({ length }) => length > 80)).toStrictEqual([]);
  });
});

describe("what a command writes on a terminal of 60 columns", () => {
  const width = 60;
  const onTerminal = { isTerminal: true, width };
  const NARROW = { NO_COLOR: "1" };
  const RULES = join(import.meta.dirname, "../../../rules");

  function rulesWith(condition: string): string {
    const folder = mkdtempSync(join(tmpdir(), "aggwatch-narrow-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(
      join(folder, "own.yaml"),
      `groups:\n  - name: own\n    rules:\n      - alert: OwnRule\n        each: exchange\n        when: ${condition}\n`,
    );
    return folder;
  }

  it.each([
    [["check", "--rules", RULES]],
    [["check", "--config", "a/file/that/is/not/there/but/has/a/long/name/aggwatch.yaml"]],
    [["journal", "check", "--data", "/a/directory/that/is/not/there/but/has/a/long/name"]],
    [["journal", "backup", "--data", "/a/directory/that/is/not/there"]],
    [["replies", "--data", "/a/directory/that/is/not/there/but/has/a/long/name"]],
    [["test", RULES, "--run", "ExchangeDisabled"]],
    [["notify", "test"]],
    [["status", "--url", "http://127.0.0.1:1"]],
    [["hold", "exchange/BINANCE", "--url", "http://127.0.0.1:1", "--for", "1h", "--reason", "x"]],
    [["backtest", "--data", "/a/directory/that/is/not/there/but/has/a/long/name"]],
    [["run"]],
    [["nonsense"]],
  ])("%j is within them", async (args) => {
    const { printed, complained } = await commandLine(args, NARROW, onTerminal);
    const lines = `${printed}\n${complained}`.split("\n");
    expect(lines.join("")).not.toBe("");
    expect(lines.filter((line) => line.length > width)).toEqual([]);
  });

  it("has a mark below what it marks, however long the line", async () => {
    const condition = `exchange.status == "disabled" ${"&& exchange.name != 'A' ".repeat(5)}&& exchange.statu == "x"`;
    const { complained } = await commandLine(
      ["check", "--rules", rulesWith(condition)],
      NARROW,
      onTerminal,
    );
    const lines = complained.split("\n");
    const mark = lines.findIndex((line) => /^ +\| +\^+$/.test(line));
    const [excerpt = "", marked = ""] = lines.slice(mark - 1, mark + 1);
    expect(excerpt.slice(marked.indexOf("^"), marked.length)).toMatch(/statu/);
    expect(lines.filter((line) => line.length > width)).toEqual([]);
  });

  it("is left alone if a program reads it", async () => {
    const { printed } = await commandLine(
      ["check", "--json", "--rules", rulesWith("exchange.statu == 'x'")],
      NARROW,
      onTerminal,
    );
    expect(JSON.parse(printed)).toMatchObject({ counts: { errors: 1 } });
    expect(printed.split("\n").some((line) => line.length > width)).toBe(true);
  });

  it("is left alone in a log of JSON lines, also their instants", async () => {
    const folder = rulesWith('exchange.status == "disabled"');
    const config = join(folder, "aggwatch.json");
    const aggregators = [{ base_url: "http://127.0.0.1:1" }];
    // The old name of a key is logged.
    const notify = { page_url: "http://a.example" };
    writeFileSync(config, JSON.stringify({ aggregators, notify, log: { format: "json" } }));
    const paths = ["--config", config, "--rules", folder, "--data", join(folder, "data")];
    const { printed } = await commandLine(
      ["run", ...paths, "--listen", "127.0.0.1:0"],
      {},
      { ...onTerminal, signal: AbortSignal.abort("SIGTERM") },
    );
    expect(JSON.parse(printed)).toMatchObject({
      level: "warn",
      time: expect.stringMatching(/\.\d{3}Z$/),
    });
  });
});
