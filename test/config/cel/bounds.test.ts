/** Tests src/config/cel: bounds. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileCondition, compileExpression } from "../../../src/config/cel/cel.ts";
import {
  celLanguage,
  compiledPattern,
  MOST_PATTERNS,
} from "../../../src/config/cel/environment.ts";
import { LONGEST_FACT, LONGEST_LIST, LONGEST_TEXT } from "../../../src/config/cel/meter.ts";
import { compileTemplate } from "../../../src/config/rules/template.ts";
import { HOUR } from "../../../src/domain/time.ts";
import { poolKind } from "../../../src/pollers/pools.ts";
import { bool, hostileFacts, list, text } from "./grammar.ts";
import { scope } from "../rules/rule-text.ts";

const pools = celLanguage(poolKind);
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 2_000);

const TOO_MUCH = "the expression takes more work than it may";
const TOO_LONG = "the expression makes a text or a list that is too long";

function judge(source: string, facts: Parameters<typeof scope>[1], now = HOUR) {
  const compiled = compileCondition(pools, source);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problem));
  return compiled.value.judge(scope("pool", facts, now));
}

function value(source: string, facts: Parameters<typeof scope>[1]) {
  const compiled = compileExpression(pools, source);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problem));
  return compiled.value.evaluate(scope("pool", facts, HOUR));
}

describe("an expression that asks for too much", () => {
  const facts = { name: "a".repeat(LONGEST_FACT), pair: "b".repeat(100), base: 1 };
  const numbers = `[${Array.from({ length: 200 }, (_, index) => index).join(",")}]`;
  const sixty = `[${Array.from({ length: 60 }, () => "a").join(",")}]`;

  it.each([
    ["a list of lists", 'pool.name.split("").map(x, pool.name.split("")).size() > 3'],
    ["a loop in a loop", 'pool.name.split("").exists(x, pool.name.split("").all(y, y == x))'],
    ["a pattern in a loop", 'pool.name.split("").exists(x, pool.name.re2("(a?){20}b"))'],
    ["a time zone in a loop", `${numbers}.exists(x, now.getHours("Asia/Tokyo") == x + 500)`],
    ["errors in a loop", `${numbers}.exists(x, ${numbers}.exists(y, y / 0 == x))`],
    ["an error that || passes over", `${numbers}.all(x, ${numbers}.exists(y, y / 0 == x) || true)`],
    ["a comparison of lists of one list", `cel.bind(a, pool.name.split(""), ${sixty} == ${sixty})`],
  ])("is unknown: %s", (_, source) => {
    expect(judge(source, facts)).toEqual({ truth: "unknown", reason: TOO_MUCH });
  });

  it.each([
    ["a text joined with itself", "pool.name.split('').join(pool.name).size() > 3"],
    [
      "a text added to itself",
      `${Array.from({ length: 20 }, () => "pool.name").join(" + ")} == ""`,
    ],
    [
      "a list added to itself",
      "size(pool.name.split('') + pool.name.split('') + pool.name.split('')) > 1",
    ],
  ])("is unknown: %s", (_, source) => {
    expect(judge(source, facts)).toEqual({ truth: "unknown", reason: TOO_LONG });
  });

  it("is unknown if a fact is longer than any name", () => {
    expect(judge('pool.name.startsWith("a")', facts).truth).toBe("bad");
    const { truth, reason } = judge('pool.name.startsWith("a")', { name: `${facts.name}a` });
    expect(truth).toBe("unknown");
    expect(reason).toBe(`the fact "name" is longer than ${LONGEST_FACT} characters`);
    expect(judge("has(pool.name)", { name: `${facts.name}a` }).truth).toBe("bad");
  });

  it("leaves alone what a rule may well ask", () => {
    const names = Array.from({ length: 150 }, (_, index) => `"EXCHANGE_${index}"`).join(", ");
    expect(judge(`pool.pair in [${names}]`, facts).truth).toBe("ok");
    expect(
      judge(`[${names}].exists(x, pool.name.startsWith(x) || x.re2("_149$"))`, facts).truth,
    ).toBe("bad");
    expect(judge('pool.name.split("-").map(x, x.upperAscii()).size() < 2', facts).truth).toBe(
      "bad",
    );
    expect(judge('now.getHours("Europe/Berlin") in [1, 2, 3]', facts).truth).toBe("bad");
  });

  it("changes the case of ASCII letters alone", () => {
    const name = "aZ-\u212A\u00E9\u00DF\u0130";
    expect(value("pool.name.lowerAscii()", { name })).toMatchObject({
      value: "az-\u212A\u00E9\u00DF\u0130",
    });
    expect(value("pool.name.upperAscii()", { name })).toMatchObject({
      value: "AZ-\u212A\u00E9\u00DF\u0130",
    });
  });

  it("is not stopped by what another one has spent", () => {
    judge('pool.name.split("").map(x, pool.name.split("")).size() > 3', facts);
    expect(judge("pool.base > 0", facts).truth).toBe("bad");
  });
});

describe("a value that is shown to people", () => {
  it("is unknown if it is one list many times over", () => {
    const doubled = `[1]${".map(x, [x, x])".repeat(30)}`;
    expect(value(doubled, {})).toEqual({ ok: false, problem: TOO_MUCH });
    const template = compileTemplate(pools, `all: {{ ${doubled} }}`);
    expect(template.ok && template.value.render(scope("pool", {}, HOUR))).toBe("all: <unknown>");
  });

  it("comes from a text of bounded length", () => {
    const template = compileTemplate(pools, "x".repeat(10_001));
    expect(template.ok ? [] : template.problem.map(({ id }) => id)).toEqual(["rule/too-long"]);
  });
});

describe("a literal that the library would take long over", () => {
  it.each([
    `age(pool.since) > duration("${"1".repeat(3_900)}")`,
    `pool.since > timestamp("${"1".repeat(3_900)}")`,
    `int("${"9".repeat(3_900)}") > 1`,
  ])("is a problem when the rule loads", (source) => {
    const compiled = compileCondition(pools, source);
    expect(compiled.ok ? [] : compiled.problem.map(({ id }) => id)).toEqual(["rule/bad-literal"]);
  });

  it("is unknown if a fact holds it", () => {
    const digits = { name: "1".repeat(4_000), since: 0 };
    const reason = "a text is too long to be a number or a time";
    for (const source of [
      "age(pool.since) > duration(pool.name)",
      "pool.since > timestamp(pool.name)",
      "double(pool.name) > 1.0",
    ])
      expect(judge(source, digits)).toEqual({ truth: "unknown", reason });
  });

  it.each([
    ["a large count", "a{1000}"],
    ["counts of counts", "((a{10}){10}){5}"],
    ["large classes", "\\\\pL{99}".repeat(4)],
    ["a long pattern", "a".repeat(201)],
  ])("is a problem as a pattern: %s", (_, pattern) => {
    const compiled = compileCondition(pools, `pool.name.re2("${pattern}")`);
    expect(compiled.ok ? [] : compiled.problem.map(({ id }) => id)).toEqual(["rule/pattern"]);
  });

  it("is kept as a pattern only while not too many others came after it", () => {
    const kept = compiledPattern("-USDT$");
    expect(compiledPattern("-USDT$")).toBe(kept);
    const compiled = compileCondition(pools, 'pool.name.re2("-USDT$")');
    for (let index = 0; index < MOST_PATTERNS; index += 1) compiledPattern(`-${index}$`);
    expect(compiledPattern("-USDT$")).not.toBe(kept);
    for (let index = 0; index < MOST_PATTERNS; index += 1) compiledPattern(`-${index}$`);
    const facts = scope("pool", { name: "ORN-USDT" }, HOUR);
    expect(compiled.ok && compiled.value.judge(facts).truth).toBe("bad");
  });

  it("is read in linear time as a pattern that others take forever over", () => {
    const name = `${"a".repeat(4_000)}!`;
    for (const pattern of ["^(a+)+$", "(a|aa)+$", "(.*a){8}b", "^(([a-z])+.)+[A-Z]([a-z])+$"])
      expect(judge(`pool.name.re2("${pattern}")`, { name }).truth).toBe("ok");
  });
});

describe("an instant that is none", () => {
  it("is unknown, as every comparison with it would be false", () => {
    expect(judge('pool.since + duration("99999999999h") > now', { since: 0 })).toEqual({
      truth: "unknown",
      reason: "the expression reaches beyond the end of time",
    });
    expect(judge("pool.since < now", { since: Number.NaN }).truth).toBe("unknown");
  });
});

describe("any expression of the grammar, over hostile facts", () => {
  it("ends as ok, bad or unknown", () => {
    let compiledOnes = 0;
    fc.assert(
      fc.property(bool, hostileFacts, (source, facts) => {
        const compiled = compileCondition(pools, source);
        if (!compiled.ok) return;
        compiledOnes += 1;
        const { truth, reason } = compiled.value.judge(scope("pool", facts, HOUR));
        expect(["ok", "bad", "unknown"]).toContain(truth);
        if (truth === "unknown") expect(reason?.length).toBeLessThan(400);
      }),
      { numRuns: RUNS },
    );
    expect(compiledOnes).toBeGreaterThan(RUNS / 2);
  });

  it("makes no text and no list that is longer than it may be", () => {
    fc.assert(
      fc.property(fc.oneof(text, list), hostileFacts, (source, facts) => {
        const compiled = compileExpression(pools, source);
        if (!compiled.ok) return;
        const made = value(source, facts);
        if (!made.ok) return;
        if (typeof made.value === "string")
          expect(made.value.length).toBeLessThanOrEqual(LONGEST_TEXT);
        if (Array.isArray(made.value)) expect(made.value.length).toBeLessThanOrEqual(LONGEST_LIST);
      }),
      { numRuns: RUNS },
    );
  });
});
