/** Tests src/config/yaml: any text. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../src/config/cel/cel.ts";
import { celLanguage } from "../../../src/config/cel/environment.ts";
import { renderProblems } from "../../../src/config/problem.ts";
import type { Problem } from "../../../src/config/problem.ts";
import { compileTemplate } from "../../../src/config/rules/template.ts";
import { poolKind } from "../../../src/pollers/pools.ts";
import { compileTexts, ruleFile, scope } from "../rules/rule-text.ts";
import { load } from "../settings/settings-text.ts";

const pools = celLanguage(poolKind);
const facts = fc.dictionary(
  fc.constantFrom(...Object.keys(pools.facts), "__proto__", "constructor"),
  fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.maxSafeInteger()),
);

/** Words that expressions are made of, so that random ones are often nearly right. */
const celWord = fc.oneof(
  fc.constantFrom(
    ...'pool pool.base pool.name pool.since pool[ pool.nope now age( duration("1h") timestamp( has( re2('.split(
      " ",
    ),
    ...'aggregator.name ( ) [ ] { } && || ! == != < >= + - * / % ? : , . .map(x, .exists(x, x 1 2.5 "a" true null in'.split(
      " ",
    ),
    "1e308",
    "9223372036854775807",
    '"\\u0000"',
    "int(",
    "string(",
    "bytes(",
    "size(",
    "dyn(",
    "cel.bind(a,",
  ),
  fc.string({ maxLength: 6 }),
);
const celText = fc.array(celWord, { maxLength: 14 }).map((words) => words.join(" "));

const yamlWord = fc.oneof(
  fc.constantFrom(
    ..."groups: rules: name: alert: each: when: act: labels: - { } [ ] & * ! | > ' \" # ~ <<: ? : , %".split(
      " ",
    ),
    "\n",
    "\n  ",
    "\n    ",
    "\t",
    "&a",
    "*a",
    "!!binary",
    "---",
    "...",
    "aggregators:",
    "base_url:",
    "watch:",
    "wire:",
    "0x5f",
    "\u0000",
    "\u2028",
    "\r\n",
  ),
  fc.string({ maxLength: 6 }),
);
const yamlText = fc.array(yamlWord, { maxLength: 40 }).map((words) => words.join(" "));

/** Values of any shape below the keys that are known, as JSON, which is YAML as well. */
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie("document"), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        ..."groups rules name alert each when for labels severity act action budget max per aggregators base_url auth read type value_env watch senders wire disabled map actions mode __proto__".split(
          " ",
        ),
      ),
      tie("document"),
      { maxKeys: 5 },
    ),
  ),
}));

function expectSound(problems: readonly Problem[]): void {
  for (const { line, column, message, id } of problems) {
    expect(line).toBeGreaterThanOrEqual(0);
    expect(column).toBeGreaterThanOrEqual(0);
    expect(message.length).toBeGreaterThan(0);
    expect(id).toMatch(/^(?:yaml|config|rule)\/[a-z-]+$/);
  }
  expect(renderProblems(problems)).toContain(problems.length === 1 ? "1 problem" : "problems");
}

describe("any text at all", () => {
  it("compiles to a condition that judges, or to problems within the text", () => {
    fc.assert(
      fc.property(celText, facts, fc.maxSafeInteger(), (source, known, now) => {
        const compiled = compileCondition(pools, source);
        if (compiled.ok) {
          const { truth } = compiled.value.judge(scope("pool", known, now));
          expect(["ok", "bad", "unknown"]).toContain(truth);
          return;
        }
        expect(compiled.problem.length).toBeGreaterThan(0);
        for (const { start, end } of compiled.problem) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(source.length + 1);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("compiles to a template that renders, or to problems", () => {
    const template = fc.array(fc.oneof(celText, fc.constantFrom("{{", "}}", " ")), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(template, facts, fc.maxSafeInteger(), (parts, known, now) => {
        const compiled = compileTemplate(pools, parts.join(""));
        if (compiled.ok)
          expect(compiled.value.render(scope("pool", known, now))).toBeTypeOf("string");
        else expect(compiled.problem.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is a rule file, or a list of problems", () => {
    const file = fc.oneof(
      yamlText,
      document.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(file, (text) => {
        const compiled = compileTexts(text);
        if (!compiled.ok) expectSound(compiled.problem);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is a condition within a rule file, or a problem at the line it stands in", () => {
    fc.assert(
      fc.property(celText, (source) => {
        const when = `when: ${JSON.stringify(source)}`;
        const compiled = compileTexts(ruleFile("alert: A", "each: pool", when));
        if (compiled.ok) return;
        expectSound(compiled.problem);
        for (const { line } of compiled.problem) expect(line).toBe(6);
      }),
      { numRuns: 500 },
    );
  });

  it("is a config, or a list of problems", () => {
    const file = fc.oneof(
      yamlText,
      document.map((value) => JSON.stringify(value)),
    );
    const name = fc.constantFrom(
      "BASE_URL",
      "LISTEN",
      "WATCH_POOLS",
      "WIRE_PAIRS_BODY",
      "NOPE",
      "RETRIES",
    );
    const env = fc.dictionary(
      name.map((word) => `AGGWATCH_${word}`),
      fc.oneof(yamlText, fc.string()),
    );
    fc.assert(
      fc.property(file, env, (text, variables) => {
        const loaded = load({ text, env: variables });
        if (!loaded.ok) expectSound(loaded.problem);
      }),
      { numRuns: 800 },
    );
  });
});
