import { describe, expect, it } from "vitest";
import { editDistance, suggest, hintFor } from "../../src/config/suggest.ts";

describe("suggest", () => {
  it("counts insertions, deletions, replacements and swapped neighbours", () => {
    expect(editDistance("kitten", "sitting")).toBe(3);
    expect(editDistance("fro", "for")).toBe(1);
    expect(editDistance("", "abc")).toBe(3);
    expect(editDistance("abc", "abc")).toBe(0);
  });

  it("finds the word that was meant, and none if nothing is near", () => {
    expect(suggest("statsu", ["since", "status", "name"])).toBe("status");
    expect(suggest("stat", ["since", "status", "state_of_it"])).toBe("status");
    expect(suggest("bas", ["base_asset", "base"])).toBe("base");
    expect(suggest("Listn", ["listen", "log"])).toBe("listen");
    expect(suggest("zebra", ["listen", "log"])).toBeUndefined();
    expect(suggest("x".repeat(10_000), ["listen"])).toBeUndefined();
  });

  it("lists what is known if nothing is near", () => {
    expect(hintFor("zebra", ["listen", "log"])).toBe("known: listen, log");
    expect(hintFor("lag", ["listen", "log"])).toBe('did you mean "log"?');
    expect(hintFor("zebra", [])).toBeUndefined();
  });
});
