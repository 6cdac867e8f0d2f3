/** Tests src/config/cel: oracle. */
import { celFunc, CelScalar, isCelError, run } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../src/config/cel/cel.ts";
import { celLanguage } from "../../../src/config/cel/environment.ts";
import type { Facts } from "../../../src/domain/entity.ts";
import { poolKind } from "../../../src/pollers/pools.ts";
import { bool, knownFacts } from "./grammar.ts";
import { scope } from "../rules/rule-text.ts";

/**
 * Another CEL, from other people, says the same. It knows neither `age` nor that facts have types,
 * so it is asked in its own words, and only what both call an error may differ in its text. In CEL, a comparison with
 * 0.0 / 0.0 is false; in rules it is unknown, so the other one is given arithmetic that says so.
 */

const ARITHMETIC = {
  "+": (a: number, b: number) => a + b,
  "-": (a: number, b: number) => a - b,
  "*": (a: number, b: number) => a * b,
  "/": (a: number, b: number) => a / b,
};
const DOUBLE = CelScalar.DOUBLE;
const ofNumbersAlone = Object.entries(ARITHMETIC).map(([sign, calculate]) =>
  celFunc(`_${sign}_`, [DOUBLE, DOUBLE], DOUBLE, (a, b) => {
    const result = calculate(a, b);
    if (Number.isNaN(result)) throw new Error("no number");
    return result;
  }),
);

const pools = celLanguage(poolKind);
const NOW = 1_790_000_000_000;
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 1_500);

function theOther(source: string, facts: Facts): string {
  const pool = new Map(
    Object.entries(facts).map(([name, value]) => [
      name,
      pools.facts[name]?.type === "timestamp" ? timestampFromMs(Number(value)) : value,
    ]),
  );
  const asked = source.replace(/\bage\(/g, "(now - ");
  const result = run(
    asked,
    { pool, now: timestampFromMs(NOW) },
    { funcs: [...strings, ...ofNumbersAlone] },
  );
  if (isCelError(result)) return "unknown";
  return result === true ? "bad" : "ok";
}

describe("a condition", () => {
  it("means what another CEL says it means, whichever facts are known", () => {
    const counts = { ok: 0, bad: 0, unknown: 0 };
    fc.assert(
      fc.property(bool, knownFacts, (source, facts) => {
        const compiled = compileCondition(pools, source);
        if (!compiled.ok) return;
        const { truth } = compiled.value.judge(scope("pool", facts, NOW));
        counts[truth] += 1;
        expect(truth, source).toBe(theOther(source, facts));
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(counts.ok, counts.bad, counts.unknown)).toBeGreaterThan(RUNS / 20);
  });
});
