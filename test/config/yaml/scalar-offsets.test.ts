import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { scalarOffsets } from "../../../src/config/yaml/scalar-offsets.ts";
import { nodeAt, readYamlSource } from "../../../src/config/yaml/yaml-source.ts";

/** Says where each character of the value at `key` stands in the text. */
function offsetsOf(text: string) {
  const read = readYamlSource("x.yaml", text);
  if (!read.ok) throw new Error(JSON.stringify(read.problem));
  const { node } = nodeAt(read.value, ["key"]);
  const value = (read.value.value as { key: string }).key;
  const offsetOf = scalarOffsets(text, node);
  return { value, offsetOf };
}

/** The text at which the word MARK is said to stand. */
function found(text: string): string {
  const { value, offsetOf } = offsetsOf(text);
  return text.slice(offsetOf(value.indexOf("MARK")), offsetOf(value.indexOf("MARK") + 3) + 1);
}

describe("scalarOffsets", () => {
  it.each([
    ["plain", "key: a + MARK > 1"],
    ["plain over two lines", "key: a +\n  b + MARK"],
    ["single quotes", "key: 'it''s MARK'"],
    ["double quotes with escapes", 'key: "a \\" \\u0041 \\x41 \\t \\\\ MARK"'],
    ["double quotes over lines", 'key: "a\n  b \\\n  c MARK"'],
    ["folded", "key: >-\n  a &&\n  b ||\n\n    c MARK\n"],
    ["literal", "key: |\n  a &&\n    b MARK\n"],
    ["literal with an indentation of its own", "key: |2-\n    a\n   MARK\n"],
    ["beyond the basic plane", 'key: "\u{1F600} MARK"'],
    ["in a flow mapping", "{ other: 1, key: a MARK }"],
  ])("finds a word in a scalar: %s", (_, text) => {
    expect(found(text)).toBe("MARK");
  });

  it("finds every visible character of any text, however it is written", () => {
    const types = [
      "PLAIN",
      "QUOTE_SINGLE",
      "QUOTE_DOUBLE",
      "BLOCK_FOLDED",
      "BLOCK_LITERAL",
    ] as const;
    const word = fc.stringMatching(/^[a-z0-9.<>&|'"\\()[\]{}+-]{1,8}$/);
    const content = fc.array(word, { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(content, fc.constantFrom(...types), (words, type) => {
        const value = words.join(" ");
        const text = stringify({ key: value }, { defaultStringType: type, lineWidth: 30 });
        const offsets = offsetsOf(text);
        expect(offsets.value.trimEnd()).toBe(value);
        for (const [index, character] of value.split("").entries()) {
          if (character === " ") continue;
          const at = offsets.offsetOf(index);
          const escaped = text[at] === "\\" ? text[at + 1] : undefined;
          expect([text[at], escaped]).toContain(character);
        }
      }),
      { numRuns: 300 },
    );
  });
});
