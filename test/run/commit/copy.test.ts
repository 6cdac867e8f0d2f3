import { expect, it } from "vitest";
import { copyOf } from "../../../src/run/commit/copy.ts";

const value = {
  id: "r1",
  facts: { status: null, seen: [1, { at: 2 }], none: undefined },
  ["__proto__"]: { own: true },
};

it("holds the same, and nothing of it is shared", () => {
  const copy = copyOf(value);
  expect(copy).toStrictEqual(value);
  expect(Object.keys(copy)).toStrictEqual(Object.keys(value));
  copy.facts.seen.push(3);
  (copy.facts.seen[1] as { at: number }).at = 4;
  copy["__proto__"].own = false;
  expect(value.facts.seen).toStrictEqual([1, { at: 2 }]);
  expect(value["__proto__"].own).toBe(true);
});
