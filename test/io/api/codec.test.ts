import { describe, expect, it } from "vitest";
import {
  decodeAnswer,
  firstOf,
  instant,
  list,
  longList,
  named,
  number,
  object,
  orNull,
  piecesOf,
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

describe("a codec with a long list", () => {
  const shop = object({
    name: text,
    orders: longList(order),
    parts: list(object({ id: number, orders: longList(order) })),
    note: orNull(text),
  });
  const orders = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: `o${index}`,
      firstSeen: AT,
      kind: "spot" as const,
      legs: [{ size: index }],
    }));

  it.each([0, 1, 32, 33, 100])("writes in pieces what it encodes, with %i items", (count) => {
    const parts = [0, count].map((id) => ({ id, orders: orders(id) }));
    for (const value of [
      { name: "a", orders: orders(count), parts },
      { name: "b", orders: [], parts: [] },
    ]) {
      const pieces = [...piecesOf(shop, value)];
      expect(pieces.join("")).toBe(JSON.stringify(shop.encode(value)));
      for (const piece of pieces)
        expect(piece.match(/"first_seen"/g)?.length ?? 0).toBeLessThan(33);
    }
  });

  it("leaves out a value that is missing, and writes the rest of the answer", () => {
    const broken = { name: undefined as unknown as string, orders: orders(1), parts: [] };
    expect([...piecesOf(shop, broken)].join("")).toBe(JSON.stringify(shop.encode(broken)));
  });

  it("is written as one piece if it has none", () => {
    expect([...piecesOf(list(order), orders(100))]).toHaveLength(1);
  });
});
