import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../src/config/cel/cel.ts";
import { celLanguage } from "../../../src/config/cel/environment.ts";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import { liquidationKind } from "../../../src/pollers/liquidations.ts";
import { poolKind } from "../../../src/pollers/pools.ts";
import { scope } from "../rules/rule-text.ts";

const pools = celLanguage(poolKind);
const liquidations = celLanguage(liquidationKind);

function condition(source: string, language = pools) {
  const compiled = compileCondition(language, source);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problem));
  return compiled.value;
}

function judge(source: string, facts: Parameters<typeof scope>[1], now = 0) {
  return condition(source).judge(scope("pool", facts, now));
}

function problems(source: string, language = pools) {
  const compiled = compileCondition(language, source);
  return compiled.ok ? [] : compiled.problem;
}

describe("a condition", () => {
  it.each([
    ["pool.base < 100", "bad"],
    ["pool.base == 5", "bad"],
    ["pool.base != 5", "ok"],
    ["5 == pool.base", "bad"],
    ["pool.base in [5, 6]", "bad"],
    ["pool.base * 2 + 1 - 1 == 10.0", "bad"],
    ["2 / pool.base < 1", "bad"],
    ["pool.base < 0.5 * pool.quote", "ok"],
    ['pool.name == "OrionV2/ORN-USDT" && aggregator.name == "bsc-mainnet"', "bad"],
    ['pool["name"].startsWith("Orion")', "bad"],
    ['pool.name.re2("ORN-(USDT|USDC)$")', "bad"],
    ['pool.name.re2("^ORN")', "ok"],
    ['age(pool.since) > duration("10m")', "bad"],
    ["age(pool.since) == now - pool.since", "bad"],
    ['age(pool.since) < duration("1h")', "ok"],
    ['pool.since + duration("2h") > now', "bad"],
    ['pool.since > timestamp("2020-01-01T00:00:00Z")', "ok"],
    ["pool.base == 10 / 2", "bad"],
    ["pool.base > 95 / 100.0", "bad"],
    ["[1, 2].exists(x, [5, 6].exists(y, y == x + 4))", "bad"],
  ])("reads as people write it: %s", (source, truth) => {
    const facts = { base: 5, quote: 8, name: "OrionV2/ORN-USDT", since: 0 };
    expect(judge(source, facts, HOUR)).toEqual({ truth });
  });

  it("is unknown if a fact that it reads is missing, and names it", () => {
    expect(judge("pool.base < 100", {})).toEqual({
      truth: "unknown",
      reason: 'the fact "base" is not known',
    });
    expect(judge('pool["base"] < 100', {}).reason).toBe('the fact "base" is not known');
    expect(judge("age(pool.since) > now - now", {}).reason).toContain('"since"');
  });

  it("does not miss what does not matter", () => {
    expect(judge("pool.base <= 0 || pool.price > 2", { base: 0 }).truth).toBe("bad");
    expect(judge("pool.price > 2 || pool.base <= 0", { base: 0 }).truth).toBe("bad");
    expect(judge("pool.base <= 0 && pool.price > 2", { base: 1 }).truth).toBe("ok");
    expect(judge("pool.base <= 0 || pool.price > 2", { base: 1 }).truth).toBe("unknown");
    expect(judge("has(pool.price)", { base: 1 }).truth).toBe("ok");
    expect(judge("has(pool.price)", { price: 1 }).truth).toBe("bad");
  });

  it("is unknown rather than thrown if a fact is of another type than it should be", () => {
    const verdict = judge("pool.base < 100", { base: "many" });
    expect(verdict.truth).toBe("unknown");
    expect(verdict.reason).toBe('the fact "base" is not a double');
    expect(judge('age(pool.since) > duration("1s")', { since: Number.NaN }).truth).toBe("unknown");
    expect(judge("int(pool.name) > 3", { name: "x" }).truth).toBe("unknown");
  });

  it.each([
    ["pool.quote / pool.base < 0.5", { quote: 0, base: 0 }],
    ["!(pool.quote / pool.base < 0.5)", { quote: 0, base: 0 }],
    ["pool.base * (1.0 / pool.quote) == 0", { quote: 0, base: 0 }],
    ["1.0 / pool.quote - 1.0 / pool.base < 1", { quote: 0, base: 0 }],
    ["1.0 / pool.quote + -1.0 / pool.base < 1", { quote: 0, base: 0 }],
    ['double("NaN") < pool.base', { base: 1 }],
  ])("is unknown if it calculates with what is no number: %s", (source, facts) => {
    expect(judge(source, facts)).toEqual({
      truth: "unknown",
      reason: "the expression calculates what is no number, such as 0 / 0",
    });
  });

  it("takes what is divided by nothing as larger than every number", () => {
    expect(judge("pool.quote / pool.base > 5", { quote: 1, base: 0 })).toEqual({ truth: "bad" });
  });

  it("never reaches what an object inherits", () => {
    const poisoned = JSON.parse('{"__proto__": 1, "constructor": 2}') as Record<string, number>;
    expect(judge("pool.base < 100", poisoned).truth).toBe("unknown");
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", "size"])
      expect(problems(`pool.${name} == 1`)[0]?.id).toBe("rule/unknown-fact");
  });

  it("says which facts it reads, and whether it reads the time", () => {
    expect(condition("pool.quote < 1 && pool.base < 1")).toMatchObject({
      reads: ["base", "quote"],
      readsTime: false,
    });
    expect(condition("has(pool.price)").reads).toEqual(["price"]);
    expect(condition('age(pool.since) > duration("1m")').readsTime).toBe(true);
    expect(condition("pool.since < now").readsTime).toBe(true);
  });

  it("judges two instants by themselves", () => {
    const old = condition('age(pool.since) > duration("10m")');
    expect(old.judge(scope("pool", { since: 0 }, 11 * MINUTE)).truth).toBe("bad");
    expect(old.judge(scope("pool", { since: 0 }, 9 * MINUTE)).truth).toBe("ok");
  });
});

describe("what is wrong in a condition", () => {
  it.each([
    ["pool.bse < 1", "rule/unknown-fact", "bse"],
    ['pool["bse"] < 1.0', "rule/unknown-fact", '"bse"'],
    ["has(pool.bse)", "rule/unknown-fact", "bse"],
    ["pol.base < 1", "rule/unknown-name", "pol"],
    ["exchange.name == pool.name", "rule/unknown-name", "exchange"],
    ["pool == pool", "rule/whole-entity", "pool"],
    ["pool[aggregator.name] == 1", "rule/whole-entity", "pool"],
    ["size(pool.name, pool) == 1", "rule/whole-entity", "pool"],
    ["dyn(pool.base) == 1", "rule/unknown-function", "dyn"],
    ['pool.name.matches("(a+)+$")', "rule/matches", 'pool.name.matches("(a+)+$")'],
    ['pool.name.re2("(")', "rule/pattern", '"("'],
    ["pool.name.re2(pool.factory)", "rule/pattern", "pool.factory"],
    ['age(pool.since) > duration("10 minutes")', "rule/bad-literal", '"10 minutes"'],
    ['pool.since > timestamp("yesterday")', "rule/bad-literal", '"yesterday"'],
    [
      'pool.since > timestamp("2026-02-30T12:00:00Z")',
      "rule/bad-literal",
      '"2026-02-30T12:00:00Z"',
    ],
    ["pool.base < 95 / 100 * pool.quote", "rule/whole-division", "95 / 100"],
    ["pool.base > -1 / 2", "rule/whole-division", "-1 / 2"],
    ["pool.base > 1 / 0", "rule/whole-division", "1 / 0"],
    ["pool.base < pool.name", "rule/type", "pool.base < pool.name"],
    ["pool.name == 1", "rule/type", "pool.name == 1"],
    ["age(pool.base) > age(pool.since)", "rule/type", "age(pool.base)"],
    ["pool.base", "rule/not-a-condition", "pool.base"],
    ["[true]", "rule/not-a-condition", "[true]"],
    ["pool.name.startswith('x')", "rule/unknown-function", "startswith"],
    ["ages(pool.since) > now - now", "rule/unknown-function", "ages"],
    ['aggregator.nam == "x"', "rule/unknown-fact", "nam"],
    ['now.getHours("Nowhere") == 1', "rule/bad-literal", '"Nowhere"'],
    ['int("five") == 5', "rule/bad-literal", '"five"'],
    ["[1].exists(pool, pool > 1)", "rule/taken-name", "pool"],
    ["[1].exists(now, now > 1)", "rule/taken-name", "now"],
    ["pool.base <", "rule/syntax", ""],
    ["", "rule/syntax", ""],
    ["[1].all(a, [1].all(b, [1].all(c, c > a)))", "rule/too-deep", "[1].all(c, c > a)"],
  ])("%s", (source, id, marked) => {
    const [problem] = problems(source);
    expect(problem?.id).toBe(id);
    expect(source.slice(problem?.start, problem?.end)).toBe(marked);
  });

  it("is all said at once", () => {
    expect(
      problems("pool.a < 1 && pool.b < 1 && has(pool.c)").map(({ message }) => message),
    ).toEqual(["a", "b", "c"].map((name) => `unknown fact "${name}" for kind "pool"`));
  });

  it("comes with a suggestion", () => {
    expect(problems("liquidation.stauts == 'X'", liquidations)[0]?.hint).toBe(
      'did you mean "status"?',
    );
    expect(problems("liqidation.status == 'X'", liquidations)[0]?.hint).toBe(
      'did you mean "liquidation"?',
    );
  });

  it.each([
    ["brackets", `${"(".repeat(200)}1${")".repeat(200)}`],
    ["lists", `${"[".repeat(100)}${"]".repeat(100)}`],
    ["negations", `${"!".repeat(3_000)}true`],
    ["signs", `${"-".repeat(100_000)}1`],
    ["a long text", `pool.name == "${"x".repeat(10_000)}"`],
    ["many terms", Array.from({ length: 900 }, () => "true").join("||")],
  ])("refuses what is too deep or too long: %s", (_, source) => {
    expect(problems(source)).toHaveLength(1);
  });
});
