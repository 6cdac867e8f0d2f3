import { describe, expect, it } from "vitest";
import { commandLine } from "../command-line.ts";
import { forTerminal } from "../../../src/cli/print/for-terminal.ts";

describe("a line on a terminal", () => {
  it("has instants and ages to the second", () => {
    expect(
      forTerminal("read 2s28ms ago, at 2026-11-22T18:25:20.046Z, within 1m7s3ms", 80),
    ).toStrictEqual(["read 2s ago, at 2026-11-22T18:25:20Z, within 1m7s"]);
  });

  it("keeps what is shorter than a second, and what is no age", () => {
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
});

describe("the commands that call no daemon", () => {
  const answers: ReadonlyArray<readonly [string, ...string[]]> = [
    ["--help"],
    ["hold", "--help"],
    ["probe", "--base-url", "http://127.0.0.1:1"],
    ["simulate", "--runs", "1", "--hours", "0.001", "--workers", "1"],
  ];
  it.each(answers)("fit 80 columns: %s", async (...args) => {
    const { printed } = await commandLine(args, {}, { isTerminal: true, width: 80 });
    const lines = printed.split("\n");
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter(({ length }) => length > 80)).toStrictEqual([]);
  });
});
