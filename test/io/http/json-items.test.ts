import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeInTurn } from "../../../src/domain/lists/changed-items.ts";
import type { Json } from "../../../src/domain/result.ts";
import { parseJsonBody, shareItems } from "../../../src/io/http/json-body.ts";
import type { BodyItems } from "../../../src/io/http/json-items.ts";
import { DEEPEST_JSON } from "../../../src/domain/values/json-text.ts";
import { LONG_BODY } from "../../../src/io/http/json-scan.ts";

/** An object of a list, as it is written; long enough that a few are a long body. */
function itemText(index: number, more = ""): string {
  return `{"id":${index},"note":"${"x".repeat(LONG_BODY / 10)}"${more}}`;
}

const ITEMS = Array.from({ length: 12 }, (_, index) => itemText(index));

function itemsOf(body: string): BodyItems {
  const parsed = parseJsonBody(body);
  if (!parsed.ok || parsed.items === undefined) throw new Error("a long body with a list");
  return parsed.items;
}

/** What else may stand in a list. */
const others = fc.constantFrom(
  "0",
  "[]",
  "{}",
  "null",
  `[${ITEMS[0]}]`,
  `{"a":${ITEMS[1]}}`,
  JSON.stringify(ITEMS[2]),
  itemText(3, ',"id":3'),
  itemText(4, ',"long":12345678901234567890'),
  ` ${ITEMS[5]}\n`,
);
/** What may break one, or not. */
const slips = fc.oneof(
  fc.constantFrom<(item: string) => string>(
    (item) => `5${item}`,
    (item) => `${item}5`,
    (item) => `${item}${item}`,
    (item) => item.slice(0, -1),
    (item) => `"7":${item}`,
    (item) => `\u00A0${item}`,
  ),
  fc.tuple(fc.nat({ max: itemText(0).length }), fc.constantFrom(...'"\\,][}{: -')).map(
    ([at, text]) =>
      (item: string) =>
        item.slice(0, at) + text + item.slice(at),
  ),
);
const frames = fc.constantFrom<(list: string) => string>(
  (list) => `[${list}]`,
  (list) => `{"error":null,"data":{"pairs":[${list}]},"exchanges":[]}`,
  (list) => `{"b":[${list}],"a":["A",1],"1":[${list}]}`,
  (list) => `{"a":[${list}],"a":[${list}]}`,
  (list) => `{"a":{"b":{"c":{"d":[${list}]}}},"e":[[${list}]]}`,
  (list) => `[1,[${list}],{"a":[${list}]}]`,
);
const place = fc.nat({ max: ITEMS.length - 1 });
const lists = fc.oneof(
  { weight: 4, arbitrary: fc.subarray(ITEMS, { minLength: 10 }).map((items) => items.join()) },
  fc.shuffledSubarray(ITEMS).map((items) => items.join()),
  fc
    .tuple(place, fc.array(others, { maxLength: 2 }))
    .map(([at, texts]) => ITEMS.toSpliced(at, 1, ...texts).join(", ")),
  fc.array(others, { maxLength: 20 }).map((texts) => texts.join(" ,")),
  fc.tuple(place, slips).map(([at, slip]) => ITEMS.with(at, slip(ITEMS[at] ?? "")).join()),
);
/** Mostly in the same frame. */
const bodies = fc
  .tuple(
    frames,
    fc.array(fc.tuple(fc.option(frames, { nil: undefined, freq: 1 }), lists), {
      minLength: 2,
      maxLength: 8,
    }),
  )
  .map(([frame, given]) => given.map(([other, list]) => (other ?? frame)(list)));

describe("parseJsonBody after another body", () => {
  it("gives what it gives without", () => {
    let [reused, refused, ambiguous] = [0, 0, 0];
    fc.assert(
      fc.property(bodies, (given) => {
        let before: BodyItems | undefined;
        for (const body of given) {
          const known = new Set(before?.lists.flatMap(({ values }) => values));
          const { items, ...found } = parseJsonBody(body, before);
          const { items: own, ...expected } = parseJsonBody(body);
          expect(found).toStrictEqual(expected);
          expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
          expect(items).toStrictEqual(own);
          expect(found.ok ? found.value : undefined).toStrictEqual(bare(body));
          const values = items?.lists.flatMap((list) => list.values) ?? [];
          reused += values.filter((one) => known.has(one)).length;
          refused += found.ok ? 0 : 1;
          ambiguous += found.isAmbiguous === true ? 1 : 0;
          // What is refused is not remembered.
          before = found.ok ? items : before;
        }
      }),
      { numRuns: 300, seed: 7 },
    );
    // Or it says nothing.
    expect(reused).toBeGreaterThan(1_000);
    expect(Math.min(refused, ambiguous)).toBeGreaterThan(50);
  });

  it("gives each item of the same text as the same object, wherever others come and go", () => {
    const before = itemsOf(`[${ITEMS.join()}]`);
    const [known = []] = before.lists.map(({ values }) => values);
    const now = [...ITEMS.toSpliced(7, 1).toSpliced(5, 1).toSpliced(3, 1), itemText(13)];
    now.splice(1, 1, itemText(14), ITEMS[1] ?? "", itemText(15));
    const parsed = parseJsonBody(`[ ${now.join(" ,\n")} ]`, before);
    if (!parsed.ok) throw new Error(parsed.problem.message);
    const values = parsed.value as readonly Json[];
    expect(values).toEqual(now.map((text) => JSON.parse(text) as Json));
    expect(values.filter((item) => !known.includes(item))).toEqual(
      [14, 15, 13].map((index) => JSON.parse(itemText(index)) as Json),
    );
  });

  it("does so if several come or go at once", () => {
    const before = itemsOf(`[${ITEMS.join()}]`);
    const [known = []] = before.lists.map(({ values }) => values);
    const more = [20, 21, 22, 23].map((index) => itemText(index));
    const now = ITEMS.toSpliced(9, 0, ...more).toSpliced(2, 4);
    const parsed = parseJsonBody(`[${now.join()}]`, before);
    if (!parsed.ok) throw new Error(parsed.problem.message);
    const values = parsed.value as readonly Json[];
    expect(values.filter((item) => known.includes(item))).toEqual(known.toSpliced(2, 4));
  });

  it("gives each list the place of the one before it, by which what is made of it is made in turn", () => {
    const lengths: Array<number | undefined> = [];
    const madeOf = madeInTurn((list: readonly Json[], before: number | undefined) => {
      lengths.push(before);
      return list.length;
    });
    let before: BodyItems | undefined;
    for (const more of [0, 1, 0]) {
      const parsed = parseJsonBody(`{"a":[${ITEMS.join()}],"b":[{}${",1".repeat(more)}]}`, before);
      if (!parsed.ok) throw new Error(parsed.problem.message);
      before = parsed.items;
      const { a, b } = parsed.value as Record<string, readonly Json[]>;
      for (const list of [a, b]) madeOf(list ?? []);
    }
    expect(lengths).toEqual([undefined, undefined, 12, 1, 12, 2]);
  });

  it("is no deeper than it is allowed to be", () => {
    const nested = "[".repeat(DEEPEST_JSON - 2) + "]".repeat(DEEPEST_JSON - 2);
    const list = [...ITEMS, itemText(99, `,"deep":${nested}`)].join();
    const before = itemsOf(`[${list}]`);
    expect(parseJsonBody(`[${list}]`, before).ok).toBe(true);
    expect(parseJsonBody(`{"data":[${list}]}`, before)).toMatchObject({
      ok: false,
      problem: { reason: "too_large" },
    });
  });

  it("remembers no body with a key that an object has twice", () => {
    const parsed = parseJsonBody(`[${ITEMS.join()},{"a":1,"a":2}]`);
    expect(parsed).toMatchObject({ ok: true, isAmbiguous: true, items: undefined });
  });

  it("keeps no body before that", () => {
    let before: BodyItems | undefined;
    for (let turn = 0; turn < 3; turn += 1) {
      const body = `[${ITEMS.with(turn, itemText(turn + 100)).join()}]`;
      before = itemsOf(body);
      const after = parseJsonBody(body, before).items;
      expect(after).toStrictEqual(before);
    }
  });
});

/** What the engine makes of a body, except for whole numbers that it cannot hold. */
function bare(body: string): unknown {
  try {
    return JSON.parse(body.replaceAll(/:(\d{17,})/g, ':"$1"'));
  } catch {
    return undefined;
  }
}

describe("shareItems", () => {
  it("leaves a value that is too deep as it is", () => {
    const list = ITEMS.map((text) => JSON.parse(text) as Json);
    const deep = JSON.parse("[".repeat(DEEPEST_JSON) + "]".repeat(DEEPEST_JSON)) as Json;
    const value = { list, deep };
    const shared = shareItems(value, undefined);
    expect(shared.value).toBe(value);
    expect(shared.items).toBeUndefined();
  });

  const json = fc
    .jsonValue({ maxDepth: 3 })
    .map((value) => JSON.parse(JSON.stringify(value)) as Json);
  const long = (list: readonly Json[]): Json => ({
    data: [...list, ...list.map((value) => ({ value, note: "x".repeat(LONG_BODY / 3) }))],
  });

  it("gives an equal value, whatever was before", () => {
    let shared = 0;
    fc.assert(
      fc.property(
        fc.array(json, { minLength: 5 }),
        fc.array(json, { minLength: 5 }),
        (one, two) => {
          const { items } = shareItems(long(one), undefined);
          const value = long([...one.filter((_, index) => index % 2 === 0), ...two]);
          const now = shareItems(value, items);
          expect(now.value).toStrictEqual(value);
          shared += now.items === undefined ? 0 : 1;
        },
      ),
    );
    expect(shared).toBeGreaterThan(50);
  });
});
