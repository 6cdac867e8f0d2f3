import { describe, expect, it } from "vitest";
import {
  decodeAnswer,
  firstOf,
  instant,
  list,
  named,
  number,
  object,
  orNull,
  text,
  word,
} from "../../../src/io/api/codec.ts";

const order = object({
  id: text,
  firstSeen: instant,
  settledAt: orNull(instant),
  kind: named("what", word(["spot", "futures"])),
  legs: list(object({ size: number })),
});

const AT = Date.UTC(2026, 0, 31, 12);

describe("a codec of an object", () => {
  it("writes its fields in their order, in snake_case, and nothing else of the value", () => {
    const value = { id: "o1", secret: "x", firstSeen: AT, kind: "spot", legs: [] } as const;
    expect(JSON.stringify(order.encode(value))).toBe(
      '{"id":"o1","first_seen":"2026-01-31T12:00:00.000Z","settled_at":null,"what":"spot","legs":[]}',
    );
  });

  it("reads what it wrote", () => {
    const value = { id: "o1", firstSeen: AT, settledAt: AT, kind: "futures" } as const;
    const full = { ...value, legs: [{ size: 1.5 }, { size: 2 }] };
    const json: unknown = JSON.parse(JSON.stringify(order.encode(full)));
    expect(decodeAnswer(order, json)).toEqual(full);
  });

  it("reads words that it does not know as they are, which another version may have added", () => {
    const json = { id: "o1", first_seen: "2026-01-31T12:00:00.000Z", settled_at: null, legs: [] };
    const read = { id: "o1", firstSeen: AT, settledAt: undefined, kind: "swap", legs: [] };
    expect(decodeAnswer(order, { ...json, what: "swap", more: 1 })).toEqual(read);
    for (const what of [1, null, undefined, ["spot"]])
      expect(decodeAnswer(order, { ...json, what })).toBeUndefined();
    expect(decodeAnswer(order, { ...json, what: "swap", id: 1 })).toBeUndefined();
  });

  it("reads null as undefined", () => {
    const json = order.encode({ id: "o1", firstSeen: AT, kind: "spot", legs: [] });
    expect(decodeAnswer(order, json)?.settledAt).toBeUndefined();
  });

  it.each([
    ["a field is missing", { id: "o1" }],
    [
      "a field has another type",
      { ...order.encode({ id: "o", firstSeen: 0, kind: "spot", legs: [] }), id: 1 },
    ],
    [
      "a word is a number",
      { ...order.encode({ id: "o", firstSeen: 0, kind: "spot", legs: [] }), what: 1 },
    ],
    ["it is not an object", "o1"],
  ])("reads nothing if %s", (_what, json) => {
    expect(decodeAnswer(order, json)).toBeUndefined();
  });
});

describe("a codec of the first items of a list", () => {
  it("says how many there are, and writes no more than its limit", () => {
    const firstTwo = firstOf(2, number);
    expect(firstTwo.encode([1, 2, 3])).toEqual({ total: 3, first: [1, 2] });
    expect(decodeAnswer(firstTwo, { total: 3, first: [1, 2] })).toEqual([1, 2]);
  });
});
