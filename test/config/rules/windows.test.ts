/** Tests src/config/rules: windows. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import { renderProblem } from "../../../src/config/problem.ts";
import { placesOf, problemsOf, ruleFile, rulesOf, scope } from "./rule-text.ts";

const rule = (windows: string, when = "pool.base < pool.w") =>
  ruleFile("alert: A", "each: pool", `with: { ${windows} }`, `when: ${when}`);

describe("windowed facts", () => {
  it("are compiled, and are read like facts", () => {
    const [compiled] = rulesOf(
      ruleFile(
        "alert: A",
        "each: pool",
        "with:",
        "  base_1h_max: { fact: base, max: 1h }",
        "  renamed: { fact: name, count: 10m }",
        "when: pool.base < 0.5 * pool.base_1h_max && pool.renamed == 0",
        'annotations: { summary: "{{ pool.base_1h_max }}" }',
      ),
    );
    expect(compiled?.windows).toEqual([
      { name: "base_1h_max", fact: "base", function: "max", lengthMs: HOUR },
      { name: "renamed", fact: "name", function: "count", lengthMs: 10 * MINUTE },
    ]);
    expect(compiled?.when.readsTime).toBe(true);
    expect(compiled?.when.reads).toEqual(["base", "base_1h_max", "renamed"]);
    const known = scope("pool", { base: 4, base_1h_max: 9, renamed: 0 });
    expect(compiled?.when.judge(known).truth).toBe("bad");
    expect(compiled?.annotations["summary"]?.render(known)).toBe("9");
    expect(compiled?.when.judge(scope("pool", { base: 4, renamed: 0 })).truth).toBe("unknown");
  });

  it("count changes to one value", () => {
    const [compiled] = rulesOf(
      ruleFile(
        "alert: A",
        "each: exchange",
        "with:",
        "  outages: { fact: status, count: { to: disabled, within: 1h } }",
        "  repairs: { fact: disabled, count: { to: false, within: 1h } }",
        "  changes: { fact: status, count: { within: 1h } }",
        "when: exchange.outages >= 3 || exchange.repairs > exchange.changes",
      ),
    );
    expect(compiled?.windows).toEqual([
      { name: "outages", fact: "status", function: "count", lengthMs: HOUR, to: "disabled" },
      { name: "repairs", fact: "disabled", function: "count", lengthMs: HOUR, to: false },
      { name: "changes", fact: "status", function: "count", lengthMs: HOUR },
    ]);
  });

  it("may be a second long, and a week", () => {
    for (const length of ["1s", "7d"])
      expect(problemsOf(rule(`w: { fact: base, max: ${length} }`)), length).toEqual([]);
  });

  it("say of an instant that is to have one value that every change counts", () => {
    const problems = (fact: string) =>
      problemsOf(
        ruleFile(
          "alert: A",
          "each: swap",
          `with: { w: { fact: ${fact}, count: { to: x, within: 1h } } }`,
          "when: swap.w > 1",
        ),
      );
    expect(problems("created")).toMatchObject([{ hint: "leave out to: every change counts" }]);
    expect(problems("amount")[0]).not.toHaveProperty("hint");
  });

  it("are a rule's own", () => {
    const other = rule("w: { fact: base, max: 1h }").replace("alert: A", "alert: B");
    const without = ruleFile("alert: A", "each: pool", "when: pool.base < pool.w");
    expect(placesOf(problemsOf(other, without))).toEqual(["6:32 rule/unknown-fact"]);
  });

  it("leave a rule that does not read them as it is", () => {
    const [compiled] = rulesOf(rule("w: { fact: base, max: 1h }", "pool.base < 1"));
    expect(compiled?.when.readsTime).toBe(false);
  });

  it.each(["max", "min", "avg", "offset", "change_ratio", "rate", "count"])("know %s", (name) => {
    const [compiled] = rulesOf(rule(`w: { fact: base, ${name}: 90s }`));
    expect(compiled?.windows[0]).toMatchObject({ function: name, lengthMs: 90_000 });
  });

  it.each([
    ["an unknown fact", "w: { fact: bse, max: 1h }", ["6:28 rule/unknown-fact"]],
    ["a fact that every kind has", "w: { fact: since, count: 1h }", ["6:28 rule/unknown-fact"]],
    ["a missing fact", "w: { max: 1h }", ["6:17 rule/missing"]],
    ["a missing function", "w: { fact: base }", ["6:17 rule/window-function"]],
    ["two functions", "w: { fact: base, max: 1h, min: 1h }", ["6:43 rule/window-function"]],
    ["an unknown function", "w: { fact: base, mx: 1h }", ["6:34 rule/unknown-key"]],
    [
      "a value of another type",
      "w: { fact: base, count: { to: x, within: 1h } }",
      ["6:47 rule/window-type"],
    ],
    ["a value without a window", "w: { fact: base, count: { to: 5 } }", ["6:34 rule/missing"]],
    [
      "a window for a value that is too long",
      "w: { fact: base, count: { to: 5, within: 8d } }",
      ["6:58 rule/window-length"],
    ],
    ["a bad duration", "w: { fact: base, max: 1 hour }", ["6:39 rule/bad-value"]],
    ["no length", "w: { fact: base, max: 0s }", ["6:39 rule/bad-value"]],
    ["a window that is too long", "w: { fact: base, max: 8d }", ["6:39 rule/window-length"]],
    ["a window that is too short", "w: { fact: base, max: 1ms }", ["6:39 rule/window-length"]],
    ["a text where a number is needed", "w: { fact: name, max: 1h }", ["6:28 rule/window-type"]],
    [
      "the name of a fact",
      "w: { fact: base, max: 1h }, quote: { fact: base, max: 1h }",
      ["6:45 rule/window-name"],
    ],
    [
      "the name of a common fact",
      "w: { fact: base, max: 1h }, since: { fact: base, max: 1h }",
      ["6:45 rule/window-name"],
    ],
    [
      "a name that is none",
      "w: { fact: base, max: 1h }, 1h: { fact: base, max: 1h }",
      ["6:45 rule/bad-window"],
    ],
    [
      "a name that begins with a capital letter",
      "w: { fact: base, max: 1h }, Top: { fact: base, max: 1h }",
      ["6:45 rule/bad-window"],
    ],
    [
      "a value of a fact that there is not",
      "w: { fact: bse, count: { to: 5, within: 1h } }",
      ["6:28 rule/unknown-fact"],
    ],
    [
      "a name of the language's own",
      "w: { fact: base, max: 1h }, constructor: { fact: base, max: 1h }",
      ["6:45 rule/bad-window"],
    ],
    [
      "a name that would not be a key",
      "w: { fact: base, max: 1h }, __proto__: { fact: base, max: 1h }",
      ["6:45 rule/bad-window"],
    ],
    [
      "a reserved word",
      "w: { fact: base, max: 1h }, in: { fact: base, max: 1h }",
      ["6:45 rule/bad-window"],
    ],
    ["a window that is not a mapping", "w: 1h", ["6:20 rule/bad-value"]],
  ])("point at %s, and say no more than that", (_, windows, places) => {
    expect(placesOf(problemsOf(rule(windows)))).toEqual(places);
  });

  it("are of bounded number", () => {
    const many = Array.from({ length: 17 }, (_, index) => `w${index}: { fact: base, max: 1h }`);
    expect(placesOf(problemsOf(rule(many.join(", "), "pool.w16 > 0")))).toEqual([
      "6:9 rule/too-many-windows",
    ]);
    expect(rulesOf(rule(many.slice(1).join(", "), "pool.w16 > 0"))[0]?.windows).toHaveLength(16);
  });

  it("are doubles", () => {
    const places = placesOf(problemsOf(rule("w: { fact: name, count: 1h }", 'pool.w == "x"')));
    expect(places).toEqual([expect.stringContaining("rule/type")]);
  });

  it("have their suggestions", () => {
    const hint = (windows: string, when?: string) => problemsOf(rule(windows, when))[0]?.hint;
    expect(hint("w: { fact: bas, max: 1h }")).toBe('did you mean "base"?');
    expect(hint("w: { fact: base, mx: 1h }")).toBe('did you mean "max"?');
    expect(hint("base_max: { fact: base, max: 1h }", "pool.bas_max > 0")).toBe(
      'did you mean "base_max"?',
    );
    expect(hint("w: { fact: name, avg: 1h }")).toBe(
      "count works with every fact; numbers of pool: base, quote, price, estimate, estimate_departure",
    );
    expect(hint("quote: { fact: base, max: 1h }", "pool.base > 0")).toBe(
      "for example quote_1h_max",
    );
  });

  it("have problems that show the line", () => {
    const [problem] = problemsOf(rule("w: { fact: base, max: 8d }"));
    if (problem === undefined) throw new Error("no problem");
    expect(renderProblem(problem)).toBe(
      [
        "rules/1.yaml:6:39: error: a window is from 1s to 7d long (rule/window-length)",
        "   6 |         with: { w: { fact: base, max: 8d } }",
        "     |                                       ^^",
        '      in group "test", rule "A"',
      ].join("\n"),
    );
  });

  it("are written in the docs as they work", () => {
    const docs = readFileSync(join(import.meta.dirname, "../../../docs/rules.md"), "utf8");
    const examples = [...docs.matchAll(/^with: (.+)\nwhen: ((\w+)\..+)$/gm)];
    expect(examples.length).toBeGreaterThanOrEqual(5);
    for (const [, windows = "", when = "", kind = ""] of examples) {
      const text = ruleFile("alert: A", `each: ${kind}`, `with: ${windows}`, `when: ${when}`);
      expect(rulesOf(text)[0]?.windows).toHaveLength(1);
    }
    const inTable = [...docs.matchAll(/\| `(\{ fact: \w+, \w+: \w+ \})` \|$/gm)];
    expect(inTable).toHaveLength(6);
    for (const [, window = ""] of inTable) {
      const kind = ["pool", "sender", "exchange"].find(
        (each) =>
          problemsOf(
            ruleFile("alert: A", `each: ${each}`, `with: { w: ${window} }`, "when: 'true'"),
          ).length === 0,
      );
      expect(kind, window).toBeDefined();
    }
  });
});
