import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEndpoints } from "../../../src/aggregator/endpoints/index.ts";
import { describeMalformed } from "../../../src/aggregator/decoding/malformed-entries.ts";

const pool = { a: 1, p: 2 };

describe("an entry with a malformed name", () => {
  test.each<["exchanges" | "disabled" | "reserves", unknown, unknown, string]>([
    ["exchanges", ["A", "../x", "B"], ["A", "B"], '"../x"'],
    ["exchanges", ["A", "x".repeat(201)], ["A"], `"${"x".repeat(78)}…`],
    ["exchanges", ["A", "a\u0007b"], ["A"], '"a\\u0007b"'],
    ["exchanges", ["A", "a\uFFFD"], ["A"], '"a\uFFFD"'],
    ["disabled", { exchanges: ["A", "\n"], pairs: [] }, { exchanges: ["A"], pairs: [] }, '"\\n"'],
    [
      "disabled",
      { exchanges: ["B"], pairs: [{ exchange: "A/B", assetPair: "X-Y" }] },
      { exchanges: ["B"], pairs: [] },
      '"A/B"',
    ],
    [
      "reserves",
      [
        { factory: "F", pair: "X-Y", ...pool },
        { factory: "F/", pair: "X-Y", ...pool },
      ],
      [{ factory: "F", pair: "X-Y", ...pool }],
      '"F/"',
    ],
  ])("of %s is left out and shown: %j", (name, json, value, shown) => {
    expect(readEndpoints[name].decode(json)).toEqual({
      ok: true,
      value,
      malformed: { count: 1, shown: [shown] },
    });
  });

  test("does not excuse another mismatch, whose path is that of what was received", () => {
    expect(readEndpoints.exchanges.decode(["a/b", "A", 1])).toMatchObject({
      ok: false,
      problem: { path: "$[0]", expected: "a name without a slash" },
    });
    expect(readEndpoints.exchanges.decode(["A", 1, "a/b"])).toMatchObject({
      ok: false,
      problem: { path: "$[1]", expected: "a text" },
    });
  });

  test("is the rule of that deployment, and a mismatch, if there is no other entry", () => {
    expect(readEndpoints.exchanges.decode(["a/b", "c/d"])).toMatchObject({
      ok: false,
      problem: { path: "$[0]" },
    });
  });

  test("of very many is counted, and three are shown", () => {
    const decoded = readEndpoints.exchanges.decode([
      "A",
      ...Array.from({ length: 9 }, (_, n) => `${n}/`),
    ]);
    expect(decoded.malformed).toEqual({ count: 9, shown: ['"0/"', '"1/"', '"2/"'] });
    expect(describeMalformed({ count: 9, shown: ["a", "b", "c"] })).toBe(
      "9 entries have malformed names and are left out: a, b, c, …",
    );
    expect(describeMalformed({ count: 1, shown: ["a"] })).toBe(
      "1 entry has a malformed name and is left out: a",
    );
  });

  test("never throws, never hides a sound name, and never lets an odd one in, whatever it is", () => {
    const name = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("../a", "a\nb", "A", "B"));
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1 }), (names) => {
        const decoded = readEndpoints.exchanges.decode(names);
        if (!decoded.ok) return;
        const left = names.filter((one) => !decoded.value.includes(one));
        expect(left.length).toBe(decoded.malformed?.count ?? 0);
        for (const one of decoded.value) expect(one).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}/]/u);
        for (const one of decoded.malformed?.shown ?? []) expect(one).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 300, seed: 42 },
    );
  });
});
