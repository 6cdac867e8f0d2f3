import { describe, expect, it } from "vitest";
import { shown } from "../../../src/console/text/shown.ts";

describe("a text as it is shown", () => {
  it("hides nothing, turns nothing round, and shows letters that are drawn as others", () => {
    expect(shown("A\u202eB\u0000C\u200b")).toBe("A\ufffdB\ufffdC\ufffd");
    expect(shown("BIN\u0410NCE")).toBe("BIN\\u{410}NCE");
    expect(shown("two\nlines")).toBe("two\nlines");
    expect(shown("Börse Zürich")).toBe("Börse Zürich");
  });
});
