import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../src/config/cel/cel.ts";
import { celLanguage } from "../../../src/config/cel/environment.ts";
import { readYamlSource } from "../../../src/config/yaml/yaml-source.ts";
import { poolKind } from "../../../src/pollers/pools.ts";

const language = celLanguage(poolKind);

function hintOf(source: string): string | undefined {
  const compiled = compileCondition(language, source);
  if (compiled.ok) throw new Error(`it compiles: ${source}`);
  return compiled.problem[0]?.hint;
}

describe("a slip of who has another language in their fingers", () => {
  it.each([
    ['pool.name = "x"', "write == to compare"],
    ['pool.name === "x"', "write =="],
    ['pool.name !== "x"', "write !="],
    ['pool.name <> "x"', "write !="],
    ["pool.base => 1", "write >="],
    ["pool.base =< 1", "write <="],
    ['pool.name =~ "x.*"', 'write .re2("pattern") for a regular expression'],
    ["pool.base < 1 and pool.quote < 1", "write &&"],
    ["pool.base < 1 AND pool.quote < 1", "write &&"],
    ["pool.base < 1 or pool.quote < 1", "write ||"],
    ["pool.base < 1 & pool.quote < 1", "write &&"],
    ["pool.base < 1 | pool.quote < 1", "write ||"],
    ["not (pool.base < 1)", "write ! right before it: !x"],
    ['pool.name not in ["a"]', "write !(a in b)"],
    ['pool.name is "x"', "write =="],
    ['pool.name like "x"', 'write .contains("…"), .startsWith("…"), .endsWith("…") or .re2("…")'],
    ['pool.name in ("a", "b")', 'write a list in brackets: in ["a", "b"]'],
    ["pool.name == ‘x’", 'write straight quotes: "text"'],
    ["pool.name == `x`", 'write straight quotes: "text"'],
    [`pool.name == 'x"`, 'a text ends with the quote that it began with: "text"'],
    ['pool.name == "x and more', 'a text ends with the quote that it began with: "text"'],
    ["pool.base < 1;", "an expression has no ; at its end, and cannot be followed by another"],
    ["age(pool.since) > 15m", 'write duration("15m")'],
    ["age(pool.since) > 2d", 'write duration("48h")'],
    ["age(pool.since) > 1.5h", 'write duration("1.5h")'],
    ["if pool.base < 1", "write the condition alone, without such a word"],
    ["pool.base < 1 ? true", "write condition ? this : that"],
    ["", "write an expression; one that begins with ! needs quotes around all of it"],
  ])("gets what to write: %s", (source, hint) => {
    expect(hintOf(source)).toBe(hint);
  });

  it.each([
    ["age(pool.since) > 15m", "15m"],
    ["age(pool.since) >= 1.5h && pool.base < 1", "1.5h"],
    ["pool.base[5m] > 1.0", "[5m]"],
    ["pool.base < 1 and pool.quote < 1", "and"],
    ["not (pool.base < 1)", "not"],
    ['pool.name = "x"', "="],
    ['pool.name === "x"', "==="],
    ["pool.base => 1", "=>"],
    ['pool.name like "x"', "like"],
    ["pool.name == ‘x’", "‘"],
    [`pool.name == 'x"`, "'"],
    ['age(pool.since) > duration("15m") * 1.5', 'duration("15m") * 1.5'],
  ])("is marked as a whole, and nothing else is: %s", (source, marked) => {
    const compiled = compileCondition(language, source);
    const [problem] = compiled.ok ? [] : compiled.problem;
    expect(source.slice(problem?.start, problem?.end)).toBe(marked);
  });

  it.each([
    ["pool.base[5m] > 1.0", /CEL has no ranges such as \[5m\].*with:/],
    ["rate(pool.base) > 1.0", /a fact of its own, by with:/],
    ['age(pool.since) > duration("15m") * 1.5', /a duration cannot be multiplied/],
    ["age(pool.since) > 900", /compare it with a duration: duration\("15m"\)/],
    ['age(pool.since) > "15m"', /compare it with a duration/],
    ["pool.since > 900", /an instant is compared with another, or by its age/],
    ['pool.since > duration("15m")', /an instant is compared with another, or by its age/],
    ['duration("15m") <= pool.since', /an instant is compared with another, or by its age/],
    ['!pool.name == "x"', /write !\(a == b\), or a != b/],
    ["pool.name == null", /has\(/],
    ["pool.name == nil", /has\(/],
    ["pool.name == OrionV2", /if it is a text, write it in quotes: "OrionV2"/],
    ["pool.base < 1 && True", /write true/],
    ["now() - pool.since > duration('1h')", /now is a value/],
    ["len(pool.name) > 1", /write size\(x\)/],
  ])("gets a reason: %s", (source, hint) => {
    expect(hintOf(source)).toMatch(hint);
  });

  it("gets quotes if YAML takes a part of the expression for its own", () => {
    for (const when of ['"x" == pool.name', "@x", "pool.name: x"]) {
      const read = readYamlSource("a.yaml", `when: ${when}\n`);
      expect(read.ok ? [] : read.problem.map(({ hint }) => hint)).toContain(
        "if it is one text, write single quotes around all of it: '…'",
      );
    }
  });

  it("is not looked for in texts, nor far from where the expression cannot be read", () => {
    expect(hintOf('pool.name == "this and that" pool.base')).toBeUndefined();
    expect(hintOf('pool.name == "a" && pool.base < 1 && ) && pool.quote = 1')).toBeUndefined();
  });
});
