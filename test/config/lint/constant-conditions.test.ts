import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bool } from "../cel/grammar.ts";
import { compileTexts, scope } from "../rules/rule-text.ts";
import { CONFIG, lint, ruleText } from "./lint-text.ts";

function found(when: string, kind: string) {
  const text = ruleText({ each: kind, when: `'${when.replaceAll("'", "''")}'`, for: "5m" });
  const { problems } = lint([text]);
  return problems.map(({ id, excerpt = "", column, length = 0, message, hint }) => ({
    id,
    marked: excerpt.slice(column - 1, column - 1 + length),
    message,
    hint,
  }));
}

describe("a condition that can never be true", () => {
  it.each([
    ["pool", "pool.base < 0", "pool.base < 0"],
    ["pool", "0 > pool.base", "0 > pool.base"],
    ["pool", "pool.base > 5 && pool.base < 5", "pool.base > 5 && pool.base < 5"],
    [
      "pool",
      "pool.base >= 5 && !(pool.base > 4) && pool.base < 9",
      "pool.base >= 5 && !(pool.base > 4) && pool.base < 9",
    ],
    ["pool", "pool.base == 5 && pool.base != 5", "pool.base == 5 && pool.base != 5"],
    ["pool", "pool.price > 2 || pool.base < 0", "pool.base < 0"],
    ["pool", 'pool.name == "a" && pool.name == "b"', 'pool.name == "a" && pool.name == "b"'],
    [
      "pool",
      'pool.name in ["a"] && pool.name.startsWith("b")',
      'pool.name in ["a"] && pool.name.startsWith("b")',
    ],
    ["exchange", "exchange.listed && !exchange.listed", "exchange.listed && !exchange.listed"],
    ["exchange", 'exchange.status.startsWith("off")', 'exchange.status.startsWith("off")'],
    ["exchange", 'age(exchange.since) < duration("0s")', 'age(exchange.since) < duration("0s")'],
    ["exchange", 'now - exchange.since < duration("0s")', 'now - exchange.since < duration("0s")'],
    ["exchange", "size(exchange.name) < 0", "size(exchange.name) < 0"],
    [
      "poller",
      "poller.up && poller.failing_surfaces <= -1",
      "poller.up && poller.failing_surfaces <= -1",
    ],
    [
      "pool",
      "pool.base > 1 ? pool.base < 1 : pool.base > 2",
      "pool.base > 1 ? pool.base < 1 : pool.base > 2",
    ],
    ["pool", "false && pool.base > 1", "false && pool.base > 1"],
  ])("is found: %s: %s", (kind, when, marked) => {
    expect(found(when, kind)).toMatchObject([{ id: "lint/never-true", marked }]);
  });

  it.each([
    [
      "liquidation",
      'liquidation.status == "failed"',
      "liquidation.status",
      "failed",
      "FAILED",
      "statuses",
    ],
    ["liquidation", '"new" != liquidation.status', "liquidation.status", "new", "NEW", "statuses"],
    ["swap", 'swap.status in ["active"]', "swap.status", "active", "ACTIVE", "swap_statuses"],
  ])("is found by a status in another case: %s: %s", (kind, when, fact, word, meant, key) => {
    expect(found(when, kind)).toEqual([
      {
        id: "lint/never-true",
        marked: `"${word}"`,
        message: `${fact} is never "${word}", as its words are spelled as in \`${key}\``,
        hint: `did you mean "${meant}"?`,
      },
    ]);
    expect(found(when.replace(word, meant), kind)).toEqual([]);
    expect(found(when.replace(word, "other"), kind)).toEqual([]);
  });

  it("takes a status as the settings spell it", () => {
    const text = ruleText({
      each: "liquidation",
      when: `'liquidation.status == "failed"'`,
      for: "5m",
    });
    const config = `${CONFIG}    statuses: { final: [failed] }\n`;
    expect(lint([text], { config }).problems).toEqual([]);
  });

  it("is found by a word that the fact never is, which is marked, with the one that was meant", () => {
    expect(found('exchange.status == "disbled"', "exchange")).toEqual([
      {
        id: "lint/never-true",
        marked: '"disbled"',
        message: 'exchange.status is never "disbled"',
        hint: 'did you mean "disabled"?',
      },
    ]);
    expect(found('poller.reason in ["timeout", "time-out"]', "poller")).toMatchObject([
      { marked: '"time-out"', hint: 'did you mean "timeout"?' },
    ]);
    expect(found('exchange.status != "off"', "exchange").map(({ message }) => message)).toContain(
      'exchange.status is never "off"',
    );
  });
});

it("finds a count of changes to a word that the fact never is", () => {
  const rule = (to: string) =>
    ruleText({
      each: "exchange",
      with: `{ outages: { fact: status, count: { to: ${to}, within: 1h } } }`,
      when: "exchange.outages > 2.0",
      for: "5m",
    });
  expect(lint([rule("disbled")]).problems).toMatchObject([
    {
      id: "lint/never-true",
      message: 'status is never "disbled"',
      hint: 'did you mean "disabled"?',
    },
  ]);
  expect(lint([rule("disabled")]).problems).toEqual([]);
});

describe("a condition that is always true", () => {
  it.each([
    ["pool", "pool.base >= 0", "pool.base >= 0"],
    ["pool", "pool.price > 2 && pool.base >= 0", "pool.base >= 0"],
    ["exchange", "exchange.listed || !exchange.listed", "exchange.listed || !exchange.listed"],
    ["pool", "true", "true"],
  ])("is found: %s: %s", (kind, when, marked) => {
    expect(found(when, kind)).toMatchObject([{ id: "lint/always-true", marked }]);
  });
});

describe("a condition that may be true, and may not be", () => {
  it.each([
    ["pool", "pool.base <= 0 || pool.quote <= 0"],
    ["pool", "pool.base > 5 && pool.quote < 5"],
    ["pool", "pool.base > 5 || pool.base < 5"],
    ["pool", "pool.base != 5"],
    ["pool", "pool.base > 1 && pool.base < 1.0000001"],
    ["pool", 'pool.name != "a" && pool.name != "b"'],
    ["pool", 'pool.name.startsWith("a") && pool.name.endsWith("b")'],
    ["pool", "pool.base < 0.5 * pool.quote"],
    ["swap", 'age(swap.expires) < duration("0s")'],
    ["swap", 'swap.status == "WHATEVER"'],
    ["swap", "swap.active && swap.expires < now"],
    ["pair", 'pair.status == "disabled"'],
    ["exchange", '!(exchange.status in ["enabled", "missing"])'],
    ["poller", "poller.truncated_surfaces > 0"],
    ["pool", "[1, 2].exists(x, x == 3) || pool.base > 1"],
  ])("is left alone: %s: %s", (kind, when) => {
    expect(found(when, kind)).toEqual([]);
  });
});

describe("any condition of the grammar", () => {
  const facts = fc.record(
    {
      base: fc.constantFrom(0, 0.1, 1.5, 1e9),
      quote: fc.constantFrom(0, 1.5, 3),
      price: fc.constantFrom(0, 7),
      name: fc.constantFrom("", "a", "-", "ORN-USDT", "OrionV2"),
      factory: fc.constantFrom("a", "OrionV2"),
      pair: fc.constantFrom("ORN-USDT", "-"),
      since: fc.constantFrom(0, 1_769_860_800_000),
      first_seen: fc.constantFrom(0, 1_769_860_800_000),
    },
    { requiredKeys: [] },
  );
  const NOW = 1_790_000_000_000;

  it("is never true if that is said of it, and never false if it is always true", () => {
    const told = { "lint/never-true": 0, "lint/always-true": 0 };
    fc.assert(
      fc.property(bool, fc.array(facts, { minLength: 5, maxLength: 5 }), (when, samples) => {
        const text = ruleText({ each: "pool", when: JSON.stringify(when), for: "5m" });
        const compiled = compileTexts(text);
        if (!compiled.ok) return;
        const [rule] = compiled.value;
        const found = lint([text]).problems;
        const whole = found.find(({ message }) => message.startsWith("the condition"));
        const id = whole?.id;
        if (rule === undefined || (id !== "lint/never-true" && id !== "lint/always-true")) return;
        told[id] += 1;
        for (const sample of samples)
          expect(rule.when.judge(scope("pool", sample, NOW)).truth, when).not.toBe(
            id === "lint/never-true" ? "bad" : "ok",
          );
      }),
      { numRuns: 1_500 },
    );
    expect(told["lint/never-true"]).toBeGreaterThan(5);
    expect(told["lint/always-true"]).toBeGreaterThan(5);
  });
});
