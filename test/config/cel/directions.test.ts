import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../src/config/cel/cel.ts";
import { celLanguage } from "../../../src/config/cel/environment.ts";
import type { Condition, FactBound, Verdict } from "../../../src/domain/rule.ts";
import { kinds } from "../../../src/pollers/kinds.ts";

/** Conditions on windowed facts of which only a bound is known: decided if whatever they are decides the same. */

const kind = kinds.get("pool");
if (kind === undefined) throw new Error("there is no kind pool");
const language = celLanguage(kind, new Set(["high", "low"]));

function conditionOf(source: string): Condition {
  const compiled = compileCondition(language, source);
  if (!compiled.ok) throw new Error(`${source}: ${JSON.stringify(compiled.problem)}`);
  return compiled.value;
}

const boundOf = (is: FactBound["is"], value: number): FactBound => ({
  is,
  value,
  seenMs: 60_000,
  ofMs: 3_600_000,
});

function judge(
  condition: Condition,
  facts: Readonly<Record<string, number>>,
  bounds: Readonly<Record<string, FactBound>> = {},
): Verdict {
  return condition.judge({ aggregator: "bsc", kind: "pool", facts, now: 0, bounds });
}

describe("a condition on a window of which only a part was seen", () => {
  const bounds = { high: boundOf("at least", 100), low: boundOf("at most", 10) };
  it.each([
    // It has dropped below half of what was seen, and so of whatever was highest.
    { when: "pool.base < 0.5 * pool.high", base: 49, truth: "bad" },
    { when: "0.5 * pool.high > pool.base", base: 49, truth: "bad" },
    { when: "pool.base < pool.high / 2", base: 49, truth: "bad" },
    { when: "!(pool.base >= 0.5 * pool.high)", base: 49, truth: "bad" },
    { when: "pool.high - pool.base > 50", base: 49, truth: "bad" },
    { when: "-pool.high < -2 * pool.base", base: 49, truth: "bad" },
    { when: "pool.base < 0.5 * pool.high", base: 50, truth: "unknown" },
    { when: "pool.base >= 0.5 * pool.high", base: 49, truth: "ok" },
    { when: "pool.high < 100", base: 1, truth: "ok" },
    { when: "pool.base > 2 * pool.low", base: 21, truth: "bad" },
    { when: "pool.base > 2 * pool.low", base: 20, truth: "unknown" },
    { when: "pool.high - pool.low > 80", base: 1, truth: "bad" },
    { when: "pool.high + pool.low > 80", base: 1, truth: "unknown" },
    { when: "pool.base < 0.5 * pool.high && pool.base > 2 * pool.low", base: 49, truth: "bad" },
    { when: "pool.base < 0.5 * pool.high && pool.price > 1", base: 49, truth: "unknown" },
    // Here more that is seen may change it either way, or which way is not told by the text.
    { when: "pool.base / pool.high < 0.5", base: 49, truth: "unknown" },
    { when: "pool.high == 100", base: 49, truth: "unknown" },
    { when: "pool.base * pool.high > 1", base: 49, truth: "unknown" },
    { when: "pool.high > 50 && pool.high < 1000", base: 49, truth: "unknown" },
    { when: "pool.high - pool.high > 1", base: 49, truth: "unknown" },
    { when: "has(pool.high)", base: 49, truth: "ok" },
  ])("$when, with base $base: $truth", ({ when, base, truth }) => {
    expect(judge(conditionOf(when), { base }, bounds).truth).toBe(truth);
  });

  it("is read once, however deep it is", () => {
    const deep = `${Array.from({ length: 30 }, () => "pool.high").join(" * ")} > 1`;
    expect(judge(conditionOf(deep), { base: 1 }, bounds).truth).toBe("unknown");
  });

  it("says by which part of which window it was decided", () => {
    const { reason } = judge(conditionOf("pool.base < 0.5 * pool.high"), { base: 49 }, bounds);
    expect(reason).toBe('decided by what was seen: "high" is at least 100 (1m of 1h were seen)');
  });

  it("says what was seen if that does not decide it", () => {
    const { reason } = judge(conditionOf("pool.base < 0.5 * pool.high"), { base: 60 }, bounds);
    expect(reason).toBe(
      'the windowed fact "high" is not known: its window is not covered, or too much of it was lost; of what was seen, "high" is at least 100 (1m of 1h were seen)',
    );
  });
});

const { condition: anyCondition } = fc.letrec<{ number: string; condition: string }>((tie) => ({
  number: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(
      "pool.high",
      "pool.low",
      "pool.base",
      "pool.price",
      "2",
      "0.5",
      "-3.0",
      "0",
      "0.0",
    ),
    fc
      .tuple(tie("number"), fc.constantFrom("+", "-", "*"), tie("number"))
      .map(([left, sign, right]) => `(${left} ${sign} ${right})`),
    fc
      .tuple(
        fc.constantFrom("pool.high", "pool.low", "pool.base"),
        fc.constantFrom("2.0", "-0.5", "pool.high", "0.0"),
      )
      .map(([left, right]) => `(${left} / ${right})`),
    tie("number").map((one) => `-(${one})`),
  ),
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .tuple(tie("number"), fc.constantFrom("<", "<=", ">", ">=", "==", "!="), tie("number"))
      .map(([left, sign, right]) => `(${left} ${sign} ${right})`),
    fc
      .tuple(tie("condition"), fc.constantFrom("&&", "||"), tie("condition"))
      .map(([left, sign, right]) => `(${left} ${sign} ${right})`),
    tie("condition").map((one) => `!${one}`),
    fc
      .tuple(tie("condition"), tie("condition"), tie("condition"))
      .map(([one, then, otherwise]) => `(${one} ? ${then} : ${otherwise})`),
    fc.constantFrom("has(pool.price)", "pool.high in [1.0, 2.0]"),
  ),
}));

const number = fc.integer({ min: -6, max: 6 });
const beyond = fc.oneof(
  fc.constantFrom(0, 1, 1_000_000),
  fc.nat(12),
  fc.double({ min: 0, max: 9, noNaN: true }),
);

describe("any condition", () => {
  it("is decided by bounds only if every completion of the windows decides the same", () => {
    const decided = { bad: 0, ok: 0, unknown: 0 };
    fc.assert(
      fc.property(
        anyCondition,
        fc.record({ base: number, price: fc.option(number, { nil: undefined }) }),
        fc.record({ high: number, low: number }),
        fc.array(fc.tuple(beyond, beyond), { minLength: 4, maxLength: 12 }),
        (source, { base, price }, { high, low }, completions) => {
          const compiled = compileCondition(language, source);
          // Integers alone have no `/` with doubles, and the like: the type checker's business.
          if (!compiled.ok) return;
          const facts = { base, ...(price === undefined ? {} : { price }) };
          const bounds = { high: boundOf("at least", high), low: boundOf("at most", low) };
          const { truth } = judge(compiled.value, facts, bounds);
          decided[truth] += 1;
          if (truth === "unknown") return;
          for (const [up, down] of [[0, 0] as const, ...completions]) {
            const full = judge(compiled.value, { ...facts, high: high + up, low: low - down });
            expect(full.truth, `${source} of ${high + up} and ${low - down}`).toBe(truth);
          }
        },
      ),
      { numRuns: 4_000 },
    );
    for (const count of Object.values(decided)) expect(count).toBeGreaterThan(100);
  });
});
