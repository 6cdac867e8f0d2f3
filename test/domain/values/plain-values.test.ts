import { describe, expect, it } from "vitest";
import { valueAt } from "../../../src/domain/values/plain-values.ts";

describe("valueAt", () => {
  const value = { list: [{ name: "a" }, null], text: "abc" };

  it.each([
    [[], value],
    [["list", 0, "name"], "a"],
    [["list", 1], null],
  ])("finds what is at %j", (path, found) => {
    expect(valueAt(value, path)).toEqual(found);
  });

  it.each([
    [["other"]],
    [["toString"]],
    [["list", 2]],
    [["list", 1, "name"]],
    [["list", "length"]],
    [["list", "0"]],
    [["text", 0]],
    [["text", "length"]],
  ])("finds nothing at %j", (path) => {
    expect(valueAt(value, path)).toBeUndefined();
  });
});
