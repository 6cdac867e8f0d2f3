import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellsOf } from "../../src/cli/print/cells.ts";
import { table, wrapped } from "../../src/cli/table.ts";

const word = fc.stringMatching(/^[a-z/]{0,30}$/);
const rowsOf = fc.array(fc.tuple(word, word, fc.lorem({ maxCount: 30 })), { maxLength: 5 });

describe("a table", () => {
  it("is as wide as its longest cells if there is room", () => {
    expect(table(["one", "two"], [["a", "b c"]], 80)).toEqual(["ONE  TWO", "a    b c"]);
  });

  it("may have more rows than a function takes arguments", () => {
    const rows = Array.from({ length: 200_000 }, (_, at) => [String(at), "x"]);
    expect(table(["id", "what"], rows)).toHaveLength(200_001);
    expect(table(["id", "what"], rows, 80).at(-1)).toBe("199999  x");
  });

  it("goes on in the next line if there is none, at spaces and slashes, and keeps short columns whole", () => {
    const rows = [["firing", "bsc/exchange/BINANCE", "attempts: three of three were used"]];
    expect(table(["state", "entity", "why"], rows, 40)).toEqual([
      "STATE   ENTITY           WHY",
      "firing  bsc/exchange/    attempts: three",
      "        BINANCE          of three were",
      "                         used",
    ]);
  });

  it("leaves out columns that say nothing, if the others do not fit beside them", () => {
    const rows = [["firing", "", "bsc/exchange/BINANCE"]];
    expect(table(["state", "approved", "entity"], rows, 80)[0]).toBe("STATE   APPROVED  ENTITY");
    expect(table(["state", "approved", "entity"], rows, 20)[0]).toBe("STATE   ENTITY");
  });

  it("leaves out columns of the least rank, if that is not enough", () => {
    const rows = [["r1", "enable_exchange", "bsc/exchange/BINANCE", "ExchangeDisabled"]];
    const heads = ["id", "action", "entity", "rule"];
    expect(table(heads, rows, 40, ["rule"])[0]).toBe("ID  ACTION      ENTITY      RULE");
    expect(table(heads, rows, 30, ["rule", "action"])[0]).toBe("ID  ACTION        ENTITY");
    expect(table(heads, rows, 18, ["rule", "action"])[0]).toBe("ID  ENTITY");
  });

  it("breaks a name that does not fit between its words", () => {
    expect(table(["rule", "n"], [["ExchangeDisabledTooLong", "1"]], 19)).toEqual([
      "RULE              N",
      "ExchangeDisabled  1",
      "TooLong",
    ]);
    expect(table(["action", "n"], [["force_cancel_order", "1"]], 16)).toEqual([
      "ACTION         N",
      "force_cancel_  1",
      "order",
    ]);
    for (let width = 20; width < 40; width += 1) {
      const lines = table(["n", "name"], [["1", "BINANCE_US_FUTURES_PERPETUAL_X"]], width);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
    }
  });

  it("has room for characters that take two cells of a terminal, or none, and for what is masked", () => {
    const rows = [
      ["币安", "a"],
      ["cafe\u0301", "b"],
      ["BINАNCE", "c"],
    ];
    const lines = table(["name", "n"], rows);
    expect(lines.map((line) => cellsOf(line))).toEqual([16, 16, 16, 16]);
    expect(lines.at(-1)).toBe(String.raw`BIN\u{410}NCE  c`);
    const narrow = table(["name", "n"], [["币安智能链币安智能链", "1"]], 15);
    expect(narrow).toEqual(["NAME          N", "币安智能链币  1", "安智能链"]);
    expect(wrapped("币安", 1)).toEqual(["币", "安"]);
  });

  it("leaves nothing out, and is never wider than the terminal if that has room for its columns", () => {
    fc.assert(
      fc.property(rowsOf, fc.integer({ min: 34, max: 120 }), (rows, width) => {
        const lines = table(["a", "b", "c"], rows, width);
        expect(lines.filter(({ length }) => length > width)).toEqual([]);
        const letters = (texts: readonly string[]): string =>
          texts.join("").replaceAll(/\s/g, "").split("").toSorted().join("");
        expect(letters(lines)).toBe(letters(["ABC", ...rows.flat()]));
      }),
    );
  });
});
