import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readable, unmasked } from "../../../src/domain/shown/lookalike.ts";

describe("a name that looks like another", () => {
  it.each([
    [
      "a Cyrillic letter among Latin ones",
      "BIN\u0410NCE is disabled",
      "BIN\\u{410}NCE is disabled",
    ],
    ["a whole word of letters drawn alike", "\u0412\u0422\u0421", "\\u{412}\\u{422}\\u{421}"],
    ["a hyphen that is none", "BTC\u2010USDT", "BTC\\u{2010}USDT"],
    ["letters of full width", "O\uFF2BX", "O\\u{ff2b}X"],
    ["the sign for kelvin", "O\u212AX", "O\\u{212a}X"],
    ["an accent by itself", "CAFE\u0301", "CAFE\\u{301}"],
  ])("%s is shown as what it is", (_what, name, shown) => {
    expect(unmasked(name)).toBe(shown);
  });

  it.each(["BTC-USDT", "BTC_USDT", "Börse für alle – zwei", "стол-1", "取引所 OKX", "Δίκτυο"])(
    "%j looks like nothing else, and stays",
    (name) => expect(unmasked(name)).toBe(name),
  );

  it("two names that differ are shown as two, if one of them is plain", () => {
    const ascii = fc.stringMatching(/^[A-Z0-9-]{1,12}$/);
    fc.assert(
      fc.property(ascii, fc.string({ unit: "binary", maxLength: 12 }), (plain, other) => {
        fc.pre(plain !== other && !other.includes("\\"));
        expect(unmasked(other)).not.toBe(unmasked(plain));
      }),
    );
  });
});

describe("a text as it is shown", () => {
  it("hides nothing, turns nothing round, and shows letters that are drawn as others", () => {
    expect(readable("A\u202eB\u0000C\u200b")).toBe("A\ufffdB\ufffdC\ufffd");
    expect(readable("BIN\u0410NCE")).toBe("BIN\\u{410}NCE");
    expect(readable("two\nlines")).toBe("two\nlines");
    expect(readable("Börse Zürich")).toBe("Börse Zürich");
  });
});
