import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { cellsOf, startWithin } from "../../../src/cli/print/cells.ts";

/** Of letters, signs and pictures; controls are taken out of all that is printed. */
const PRINTED = /^(?![\p{C}\uFE0F])[\s\S]$/u;

it("counts for each character as many cells as Node's own line editor", () => {
  const editor = createInterface({
    input: new PassThrough(),
    output: new PassThrough(),
    terminal: true,
  });
  /** Above them are private characters. */
  const all = Array.from({ length: 0x3_ff_ff }, (_, code) => String.fromCodePoint(code)).filter(
    // The editor counts what a character is composed of.
    (one) => PRINTED.test(one) && one.normalize("NFC") === one,
  );
  const others = all.filter((one) => {
    editor.setPrompt(`${one}|`);
    return editor.getCursorPos().cols !== cellsOf(one) + 1;
  });
  editor.close();
  // A number in a circle on a black square is narrow or wide, as the terminal likes.
  expect(others).toEqual([..."㉈㉉㉊㉋㉌㉍㉎㉏"]);
});

it("cuts a text where its room ends, and never through a character", () => {
  expect(startWithin("币安智能链", 5)).toBe("币安");
  expect(startWithin("😀😀", 3)).toBe("😀");
  expect(startWithin("e\u0301e\u0301e", 2)).toBe("e\u0301e\u0301");
  expect(startWithin("abc", Infinity)).toBe("abc");
  expect(startWithin("abc", -1)).toBe("");
});

it("gives a sign that is made a picture room for one", () => {
  expect(cellsOf("\u26A0\uFE0F")).toBe(2);
});
