import { expect, it } from "vitest";
import { steppedTo } from "../../../src/console/text/steps.ts";

it("keys step through a row as on a slider, and stay within it", () => {
  const from5 = (key: string): number | undefined => steppedTo(key, 5, 40);
  expect(["ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp"].map(from5)).toEqual([4, 4, 6, 6]);
  expect(["Home", "End", "PageUp", "PageDown"].map(from5)).toEqual([0, 39, 15, 0]);
  expect(steppedTo("ArrowRight", 39, 40)).toBe(39);
  expect(steppedTo("ArrowLeft", 0, 1)).toBe(0);
});

it("other keys are not for the row", () => {
  expect(["Tab", "Enter", "a", "toString"].map((key) => steppedTo(key, 5, 40))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
