import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { decoderOf } from "../../../src/aggregator/decoding/decode.ts";
import { listing } from "../../../src/aggregator/decoding/listing.ts";
import { LONG_LIST, standsIn } from "../../../src/domain/lists/changed-items.ts";

type Item = { readonly id: string; readonly size: number };

const item = z.object({ id: z.string("a text"), size: z.number("a number") });
const COUNT = LONG_LIST + 10;
/** Objects that lists share, as what was parsed of a body shares those of the body before. */
const ITEMS: readonly unknown[] = Array.from({ length: COUNT }, (_, size) => ({
  id: `I${size}`,
  size,
}));

const index = fc.nat({ max: COUNT - 1 });
type Edit = (list: readonly unknown[]) => readonly unknown[];
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(index, index, index).map(
    ([at, id, size]): Edit =>
      (list) =>
        list.with(at % list.length, { id: `I${id}`, size }),
  ),
  fc.tuple(index, index).map(
    ([at, from]): Edit =>
      (list) =>
        list.with(at % list.length, ITEMS[from]),
  ),
  fc.tuple(index, fc.constantFrom(7, "text", null, { id: 7, size: 7 }, { id: "I3" })).map(
    ([at, wrong]): Edit =>
      (list) =>
        list.with(at % list.length, wrong),
  ),
  fc.tuple(index, fc.nat({ max: 3 })).map(
    ([at, count]): Edit =>
      (list) =>
        list.toSpliced(at, count),
  ),
  index.map((at): Edit => (list) => [...list, ITEMS[at]]),
  fc.constant<Edit>((list) => list.toReversed()),
  fc.constant<Edit>(() => ITEMS),
  fc.constant<Edit>((list) => list.slice(0, 20)),
);

describe("a long listing that is read ahead", () => {
  const fresh = () => Array.from({ length: COUNT }, (_, size) => ({ id: `I${size}`, size }));
  const counted = () => {
    const read: string[] = [];
    const schema = listing<Item>(
      item.transform((one) => {
        read.push(one.id);
        return one;
      }),
      "a list",
      ({ id }) => id,
    );
    return { read, schema };
  };

  it.each([
    ["itself", (list: z.ZodType) => list, (values: unknown) => values],
    [
      "in a field",
      (list: z.ZodType) => z.object({ list }),
      (values: unknown) => ({ list: values }),
    ],
  ])("is read in slices, and not again with the whole: %s", (_, schemaOf, jsonOf) => {
    const { read, schema } = counted();
    const values = fresh();
    const decode = decoderOf(schemaOf(schema));
    const slices = [...(decode.ahead?.(jsonOf(values)) ?? [])].length;
    expect(slices).toBeGreaterThan(2);
    expect(read).toHaveLength(COUNT);
    expect(decode(jsonOf(values))).toEqual({ ok: true, value: jsonOf(values) });
    expect(read).toHaveLength(COUNT);
  });

  it("is read no further than to the first item that is wrong, and refused as it would be", () => {
    const { read, schema } = counted();
    const values = fresh().with(40, { id: "I40", size: "none" as never });
    const decode = decoderOf(schema);
    for (const _ of decode.ahead?.(values) ?? []) continue;
    expect(read).toHaveLength(40);
    expect(decode(values)).toEqual(decoderOf(listing(item, "a list", ({ id }) => id))(values));
  });

  it.each([
    ["short", ITEMS.slice(0, 3)],
    ["no list", null],
    ["of texts", Array(COUNT).fill("a")],
  ])("is left alone if it is %s", (_, json) => {
    const { read, schema } = counted();
    for (const _ of decoderOf(schema).ahead?.(json) ?? []) continue;
    expect(read).toEqual([]);
  });
});

describe("a listing that stands in the place of another", () => {
  it("is read as it is by itself", () => {
    fc.assert(
      fc.property(fc.array(fc.array(edit, { maxLength: 3 }), { maxLength: 8 }), (turns) => {
        const inTurn = listing(item, "a list", ({ id }) => id);
        const place = {};
        let list: readonly unknown[] = ITEMS;
        for (const edits of [[], ...turns]) {
          list = [...edits.reduce((edited, one) => one(edited), list)];
          standsIn(list, place);
          const alone = listing(item, "a list", ({ id }) => id).safeParse([...list]);
          expect(inTurn.safeParse(list)).toEqual(alone);
          // What is wrong was not the last one that was read.
          if (!alone.success) list = ITEMS;
        }
      }),
      { numRuns: 50 },
    );
  });

  it("is not gone through for what has not changed, wherever others come and go", () => {
    const asked: string[] = [];
    const schema = listing<Item>(item, "a list", ({ id }) => {
      asked.push(id);
      return id;
    });
    const place = {};
    const first = [...ITEMS];
    const more = ["new", "newer"].map((id) => ({ id, size: 7 }));
    const second = first
      .with(5, { id: "other", size: 5 })
      .toSpliced(30, 3)
      .toSpliced(20, 0, ...more);
    for (const list of [first, second]) standsIn(list, place);
    const before = schema.parse(first);
    asked.length = 0;
    const now = schema.parse(second);
    expect(asked.toSorted()).toEqual(["I30", "I31", "I32", "I5", "new", "newer", "other"]);
    expect(now).toEqual(second);
    expect(now.filter((one) => !before.includes(one))).toEqual([second[5], ...more]);
    expect(before).toEqual(first);
  });
});
