/** Tests src/aggregator/path-template.ts and src/aggregator/forbidden.ts: a path, and its arguments, as segments. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainSegments } from "../../src/aggregator/forbidden.ts";
import { encodeSegment } from "../../src/aggregator/path-template.ts";

/** Mostly plain characters, of which a path without any other is read in a shorter way. */
const text = fc.string({ unit: fc.constantFrom(..."aZ0_-./\\;% \u{e9}"), maxLength: 12 });

/** Every character, percent-encoded: it is decoded before anything else. */
function encoded(path: string): string {
  return [...Buffer.from(path)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

describe("the segments of a path", () => {
  it("are the same however much of it is encoded", () => {
    fc.assert(
      fc.property(text, (path) => {
        expect(plainSegments(encoded(path))).toEqual(plainSegments(path));
      }),
    );
  });

  it("are in lower case, without empty ones", () => {
    expect(plainSegments("/api/V1//Order/")).toEqual(["api", "v1", "order"]);
    expect(plainSegments("/api;x/V1\\ order%2Fa")).toEqual(["api", "v1", "order", "a"]);
  });
});

describe("an argument as a segment", () => {
  it("is itself again when it is decoded, and is one segment", () => {
    fc.assert(
      fc.property(text, (value) => {
        const segment = encodeSegment(value);
        if (!segment.ok) return;
        expect(decodeURIComponent(segment.value)).toBe(value);
        expect(segment.value).toMatch(/^[^/\\;]+$/);
      }),
    );
  });

  it.each(["", ".", "..", "a/..", "%2e", ".;a", "a\n", "a".repeat(301)])(
    "is refused: %j",
    (value) => {
      expect(encodeSegment(value).ok).toBe(false);
    },
  );

  it.each(["a", "ORN-USDT", "a.b", "_", "a".repeat(300)])("is as it is: %j", (value) => {
    expect(encodeSegment(value)).toEqual({ ok: true, value });
  });
});
