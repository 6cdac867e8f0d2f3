import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../src/config/cel/cel.ts";
import { celLanguage } from "../../../src/config/cel/environment.ts";
import { syntaxMessage } from "../../../src/config/cel/syntax-message.ts";
import { poolKind } from "../../../src/pollers/pools.ts";

const language = celLanguage(poolKind);

const file = new URL(import.meta.resolve("@marcbachmann/cel-js"));
const parser = readFileSync(new URL("./parser.js", file), "utf8");

function messageOf(source: string): string | undefined {
  const compiled = compileCondition(language, source);
  return compiled.ok ? undefined : compiled.problem[0]?.message;
}

describe("what is said of an expression that cannot be read", () => {
  it.each([
    ["(pool.base < 1", ") is missing at the end"],
    ["[pool.base, 1 == 2", "] is missing at the end"],
    ["size([1, 2) == 2", "] is missing before )"],
    ["pool.base <", "the expression ends too early"],
    ["pool.base < )", ") is not expected here"],
    ["true ? 1", ": is missing at the end"],
  ])("names no token by the parser's own word: %s", (source, message) => {
    expect(messageOf(source)).toBe(message);
  });

  const numbers = (count: number): string => Array.from({ length: count }, () => 1).join(", ");

  it.each([
    ["a list", `[${numbers(201)}].size() > 1`, "a list has more than 200 elements"],
    [
      "brackets",
      `${"(".repeat(60)}true${")".repeat(60)}`,
      "the expression nests more than 40 deep",
    ],
    [
      "operators",
      `${numbers(900).replaceAll(",", " +")} > 1`,
      "the expression has more than 1000 parts",
    ],
    ["arguments", `size(${numbers(9)}) > 1`, "a call has more than 8 arguments"],
  ])("names no limit by the parser's own word: %s", (_, source, message) => {
    expect(messageOf(source)).toBe(message);
  });

  it("has words for each limit of the parser", () => {
    const names = new Set([...parser.matchAll(/#limitExceeded\('(\w+)'/g)].map(([, name]) => name));
    expect(names.size).toBeGreaterThan(3);
    for (const name of names) expect(syntaxMessage(`Exceeded ${name} (3)`)).toMatch(/more than 3 /);
  });

  it("has a word for each token of the parser", () => {
    const [, list = ""] = /const TOKEN = \{([^}]*)\}/.exec(parser) ?? [];
    const names = [...list.matchAll(/(\w+): \d+/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(20);
    for (const name of names)
      expect(syntaxMessage(`Unexpected token: ${name}`)).not.toContain(name);
  });
});
