/** Tests src/io/aggregator: wire map. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { compileWireMap, decodeBody } from "../../../src/io/aggregator/decode-body.ts";
import { createRedactor } from "../../../src/io/redact/redactor.ts";

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

  test("has two seconds for each megabyte of a body, and says so if they do not do", async () => {
    // Each look at the time finds it a millisecond later.
    let now = 0;
    vi.spyOn(Date, "now").mockImplementation(() => (now += 1));
    onTestFinished(() => void vi.restoreAllMocks());
    const map = compileWireMap("[data.(name & '-USDT')]");
    const data = Array.from({ length: 600 }, (_, index) => ({ name: `T${index}` }));
    const decoded = async (filler: string) => {
      const form = { endpoint: "pairs", instants: "milliseconds", ignore: [] } as const;
      const body = JSON.stringify({ data, filler });
      const made = await decodeBody(form, body, map, createRedactor());
      return made.ok ? "" : made.problem.failure.message;
    };
    expect(await decoded("")).toMatch(
      /^the map took longer than 2s for a body of \d+ bytes: simplify it, or the machine is busy$/,
    );
    expect(await decoded("x".repeat(1_000_000))).toBe("");
  });

  test("keeps evaluations at the same time apart", async () => {
    const map = compileWireMap("$map([1..50], function($i){ $$.name })[49]");
    const names = Array.from({ length: 20 }, (_, index) => `name-${index}`);
    const results = await Promise.all(names.map((name) => map({ name })));
    expect(results).toEqual(names.map((name) => ({ ok: true, value: name })));
  });
});
