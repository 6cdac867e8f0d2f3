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
