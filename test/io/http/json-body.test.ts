import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJsonBody } from "../../../src/io/http/json-body.ts";

function isAmbiguous(body: string): boolean {
  const parsed = parseJsonBody(body);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.isAmbiguous === true;
}

describe("a whole number beyond 2^53", () => {
  it.each([
    ["12345678901234567890", "12345678901234567890"],
    ["-9007199254740993", "-9007199254740993"],
    ["9007199254740991", 9007199254740991],
    ["0.1234567890123456789", 0.12345678901234568],
    ["1234567890123456.5", 1234567890123456.5],
    ["1e22", 1e22],
    ['"12345678901234567890"', "12345678901234567890"],
  ])("is kept as it is written: %s", (text, value) => {
    expect(parseJsonBody(`{"a": [0, ${text}], "__proto__": ${text}}`)).toMatchObject({
      ok: true,
      value: JSON.parse(
        `{"a": [0, ${JSON.stringify(value)}], "__proto__": ${JSON.stringify(value)}}`,
      ),
    });
    expect(parseJsonBody(text)).toMatchObject({ ok: true, value });
  });

  it("is never lost in any place of a body", () => {
    const whole = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n });
    const gap = fc.constantFrom("", " ", "\n\t");
    fc.assert(
      fc.property(fc.array(whole), gap, (numbers, space) => {
        const parsed = parseJsonBody(`[${numbers.join(`${space},${space}`)}${space}]`);
        expect(parsed.ok && (parsed.value as unknown[]).map(String)).toEqual(numbers.map(String));
      }),
    );
  });
});

describe("what is not JSON", () => {
  it.each([
    ["", "an empty body"],
    [" \n", "an empty body"],
    ["\n<html>\r\n\u001B[2J\u0085x", "a body of 15 characters: <html>   [2J x"],
    ["<".repeat(99), `a body of 99 characters: ${"<".repeat(60)}`],
  ])("is described on one line: %j", (body, what) => {
    expect(parseJsonBody(body)).toMatchObject({
      ok: false,
      problem: { reason: "malformed", message: `not JSON, but ${what}` },
    });
  });
});

describe("a key that an object of the body has twice", () => {
  it.each([
    '{"exchanges":["OKX"],"pairs":[],"exchanges":[]}',
    '[{"a":{"b":1}},{"a":{"b":1,"b":1}}]',
    '{"a":1,"\\u0061":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":1}',
    '{"a\\\\":1,"a\\\\":2}',
    '{"a":"\\\\","b\\"":1,"b\\"":2}',
  ])("is seen in %s", (body) => {
    expect(isAmbiguous(body)).toBe(true);
  });

  it.each([
    "[]",
    '["a:b","{\\"a\\":1}"]',
    '{"a":":","b":{"a":1},"c":[{"a":1},{"a":1}]}',
    '{"__proto__":{"a":1}}',
    '{"a":"\\\\","b\\\\\\"":":","c":"\\\\\\":"}',
  ])("is not seen in %s", (body) => {
    expect(isAmbiguous(body)).toBe(false);
  });

  it("is never seen in what was written by a serializer, and always once it is put in", () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), fc.json(), (body, key, value) => {
        expect(isAmbiguous(body)).toBe(false);
        const twice = `{${JSON.stringify(key)}:${body},"own":0,${JSON.stringify(key)}:${value}}`;
        expect(isAmbiguous(twice)).toBe(true);
      }),
    );
  });
});
