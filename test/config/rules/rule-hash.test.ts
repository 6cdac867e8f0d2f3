/** Tests src/config/rules: rule hash. */
import { describe, expect, it } from "vitest";
import { ruleFile, rulesOf } from "./rule-text.ts";

const RULE = [
  "alert: ExchangeDisabled",
  "each: exchange",
  'when: exchange.status == "disabled"',
  "for: 2m",
  "labels: { severity: critical }",
  "annotations: { summary: off }",
  "act: { action: enable_exchange, budget: { max: 5, per: 1h } }",
] as const;

const hashOf = (...lines: readonly string[]): string | undefined =>
  rulesOf(ruleFile(...lines))[0]?.hash;

describe("the hash of a rule", () => {
  it("is the same where the rule says the same, however it is written and wherever it stands", () => {
    const before = hashOf(...RULE);
    expect(before).toMatch(/^[0-9a-f]{16}$/);
    const [first, ...rest] = RULE;
    expect(hashOf(first, "# why", ...rest)).toBe(before);
    expect(hashOf(...RULE.map((line) => line.replace("2m", "120s")))).toBe(before);
    expect(hashOf(...RULE, "keep_firing_for: 0s", "enabled: true")).toBe(before);
    expect(hashOf(...RULE.toReversed())).toBe(before);
    const other = ruleFile("alert: Other", "each: pair", "when: pair.status != ''");
    expect(rulesOf(other, ruleFile(...RULE)).at(-1)?.hash).toBe(before);
  });

  it.each([
    [
      "labels",
      "labels: { team: desk, severity: critical }",
      "labels: { severity: critical, team: desk }",
    ],
    ["annotations", "annotations: { a: x, b: y }", "annotations: { b: y, a: x }"],
    [
      "windowed facts",
      "with: { a: { fact: status, count: 1h }, b: { fact: status, count: { within: 2h } } }",
      "with: { b: { fact: status, count: 2h }, a: { count: 1h, fact: status } }",
    ],
  ])("is the same whatever the order of %s", (_what, one, other) => {
    const [, key = ""] = /^(\w+:)/.exec(one) ?? [];
    const others = RULE.filter((line) => !line.startsWith(key));
    expect(hashOf(...others, one)).toBe(hashOf(...others, other));
    expect(hashOf(...others, one)).not.toBe(hashOf(...others));
  });

  it.each([
    ["labels: { severity: critical }", "labels: { severity: warning }", "labels: {}"],
    ["budget:", "mode: act, budget:", "budget:"],
    ["budget:", "attempts: 3, budget:", "budget:"],
    ["budget:", "storm: { max: 5 }, budget:", "budget:"],
  ])("is the same if a default is written out: %s as %s", (from, written, leftOut) => {
    const [one, other] = [written, leftOut].map((to) => RULE.map((line) => line.replace(from, to)));
    expect(hashOf(...(one ?? []))).toBe(hashOf(...(other ?? [])));
  });

  it("is the same if the defaults of an action that cannot be undone are written out", () => {
    const lines = ["alert: Stuck", "each: liquidation", "when: liquidation.cancelable"];
    const act = (said: string) =>
      `act: { action: force_cancel_order, ${said}budget: { max: 1, per: 1h } }`;
    const written = hashOf(...lines, act("mode: propose, attempts: 1, "));
    expect(written).toBe(hashOf(...lines, act("")));
    expect(written).not.toBe(hashOf(...lines, act("mode: act, ")));
  });

  it.each([
    ["when", 'exchange.status == "disabled"', 'exchange.status == "missing"'],
    ["for", "2m", "3m"],
    ["a label", "critical", "warning"],
    ["an annotation", "summary: off", "summary: out"],
    ["the action's budget", "max: 5", "max: 6"],
    ["whether it acts", "act:", "keep_firing_for: 1s #"],
  ])("is another one where %s is another", (_what, from, to) => {
    const changed = RULE.map((line) => line.replace(from, to));
    expect(changed).not.toEqual(RULE);
    expect(hashOf(...changed)).not.toBe(hashOf(...RULE));
  });
});
