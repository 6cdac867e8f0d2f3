import { describe, expect, it } from "vitest";
import { madeOnce } from "../../../src/domain/lists/changed-items.ts";

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

  it("is no part of the item, nor of a copy of it", () => {
    const lengthOf = madeOnce(({ id }: { readonly id: string }) => id.length);
    const shout = madeOnce(({ id }: { readonly id: string }) => id.toUpperCase());
    const item = { id: "four" };
    expect([lengthOf(item), shout(item)]).toEqual([4, "FOUR"]);
    expect(item).toStrictEqual({ id: "four" });
    expect(structuredClone(item)).toStrictEqual({ id: "four" });
    expect(lengthOf({ ...item, id: "other" })).toBe(5);
  });
});
