/** Tests src/io/aggregator: wire map. */
import { describe, expect, test } from "vitest";
import { compileWireMap } from "../../../src/io/aggregator/decode-body.ts";

describe("compileWireMap", () => {
  test("gives plain JSON: lists without JSONata's own marks on them", async () => {
    const result = await compileWireMap("data.name")({ data: [{ name: "A" }, { name: "B" }] });
    expect(result).toStrictEqual({ ok: true, value: ["A", "B"] });
    if (result.ok) expect(Object.getOwnPropertyNames(result.value)).toEqual(["0", "1", "length"]);
  });

  test.each([
    ["nothing.here", "the map gave nothing"],
    ["function($x){$x}", "the map gave something that is not JSON"],
    ['$error("no data")', "the map failed: no data at character 7 [D3137]"],
    ["a + 1", "the map failed"],
  ])("says what went wrong with %s", async (text, expected) => {
    const result = await compileWireMap(text)({ a: "text" });
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.problem).toContain(expected);
  });

  test("ends an expression that would not end by itself", async () => {
    const result = await compileWireMap("($f := function($x){ 1 + $f($x) }; $f(1))")({});
    expect(result).toMatchObject({ ok: false });
  });

  test("keeps evaluations at the same time apart", async () => {
    const map = compileWireMap("$map([1..50], function($i){ $$.name })[49]");
    const names = Array.from({ length: 20 }, (_, index) => `name-${index}`);
    const results = await Promise.all(names.map((name) => map({ name })));
    expect(results).toEqual(names.map((name) => ({ ok: true, value: name })));
  });
});
