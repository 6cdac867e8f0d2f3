import fc from "fast-check";
import { expect, it } from "vitest";
import { fromStorable, storable } from "../../../src/io/postgres/text.ts";

it("a key comes back as it was, whatever it holds, and PostgreSQL can store it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const stored = storable(text);
      expect(fromStorable(stored)).toBe(text);
      expect(stored).not.toContain("\0");
      expect(stored.isWellFormed()).toBe(true);
    }),
  );
  for (const text of ["\0", "\\", "\\u0000", "\ud800", "\udc00a", 'é/"key"'])
    expect(fromStorable(storable(text))).toBe(text);
});
