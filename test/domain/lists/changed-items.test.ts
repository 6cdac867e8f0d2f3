import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  changedItems,
  keptPlaces,
  madeInTurn,
  madeOnce,
  standsIn,
} from "../../../src/domain/lists/changed-items.ts";
import { toEnd } from "../../../src/domain/slices.ts";

describe("what is made of an item", () => {
  it("is made once for each item, whatever it is", () => {
    const asked: object[] = [];
    const make = madeOnce((item: { readonly id: string }) => {
      asked.push(item);
      return item.id === "" ? undefined : `made of ${item.id}`;
    });
    const [one, none] = [{ id: "one" }, { id: "" }];
    expect([make(one), make(one), make(none), make(none)]).toEqual([
      "made of one",
      "made of one",
      undefined,
      undefined,
    ]);
    expect(asked).toEqual([one, none]);
  });

  it("is not part of the item, nor of a copy of it", () => {
    const lengthOf = madeOnce(({ id }: { readonly id: string }) => id.length);
    const shout = madeOnce(({ id }: { readonly id: string }) => id.toUpperCase());
    const item = { id: "four" };
    expect([lengthOf(item), shout(item)]).toEqual([4, "FOUR"]);
    expect(item).toStrictEqual({ id: "four" });
    expect(structuredClone(item)).toStrictEqual({ id: "four" });
    expect(lengthOf({ ...item, id: "other" })).toBe(5);
  });
});

describe("what is made of a list", () => {
  it("is made with what was made of the list in its place before, which is not given again", () => {
    const make = madeInTurn((list: readonly number[], before: string | undefined) => {
      if (list.length === 0) throw new Error("nothing");
      return `${before ?? "new"} ${list.join("+")}`;
    });
    const [place, other] = [{}, {}];
    const madeAt = (at: object, ...list: number[]): string => {
      standsIn(list, at);
      return make(list);
    };
    expect([madeAt(place, 1), madeAt(place, 2), madeAt(other, 3), make([4])]).toEqual([
      "new 1",
      "new 1 2",
      "new 3",
      "new 4",
    ]);
    expect(() => madeAt(place)).toThrow("nothing");
    expect(madeAt(place, 5)).toBe("new 5");
  });
});

describe("what differs between two lists", () => {
  const lists = fc.array(fc.nat({ max: 30 }), { maxLength: 40 });

  it("is all that is not kept, in the order that it had", () => {
    fc.assert(
      fc.property(lists, lists, (before, now) => {
        const { from, left } = toEnd(keptPlaces(before, now));
        const kept = [...from].filter((was) => was !== -1);
        expect(kept).toEqual(kept.toSorted((one, other) => one - other));
        expect(new Set([...kept, ...left]).size).toBe(before.length);
        expect(kept.length + left.length).toBe(before.length);
        for (const [place, was] of from.entries())
          if (was !== -1) expect(before[was]).toBe(now[place]);
      }),
    );
  });

  it("is what only one of them has, if neither has anything twice", () => {
    const sets = fc.uniqueArray(fc.nat({ max: 50 }), { maxLength: 40 });
    fc.assert(
      fc.property(sets, sets, (before, now) => {
        const { gone, fresh } = toEnd(changedItems(before, now));
        expect(gone).toEqual(before.filter((one) => !now.includes(one)));
        expect(fresh).toEqual(now.filter((one) => !before.includes(one)));
      }),
    );
  });

  it("is little, though several come and go at once", () => {
    const before = Array.from({ length: 1_000 }, (_, index) => index);
    const now = before
      .with(800, -1)
      .toSpliced(500, 8)
      .toSpliced(300, 0, -2, -3, -4)
      .toSpliced(10, 3);
    const { from, left } = toEnd(keptPlaces(before, now));
    expect(left).toEqual([10, 11, 12, 500, 501, 502, 503, 504, 505, 506, 507, 800]);
    expect(now.filter((_, place) => from[place] === -1)).toEqual([-2, -3, -4, -1]);
  });
});
