import { describe, expect, it } from "vitest";
import { celLanguage } from "../../../src/config/cel/environment.ts";
import { compileTemplate } from "../../../src/config/rules/template.ts";
import { poolKind } from "../../../src/pollers/pools.ts";
import { scope } from "./rule-text.ts";

const pools = celLanguage(poolKind);

function render(source: string, facts: Parameters<typeof scope>[1], now = 0): string {
  const compiled = compileTemplate(pools, source);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problem));
  return compiled.value.render(scope("pool", facts, now));
}

describe("a template", () => {
  it.each([
    ["plain text", "plain text"],
    ["", ""],
    ["{{ pool.name }} on {{aggregator.name}}.", "OrionV2/ORN-USDT on bsc-mainnet."],
    ["{{ pool.base }}", "1234567.8"],
    ["{{ pool.quote }}", "0.3"],
    ["{{ pool.base * 2 }}", "2469135.6"],
    ["{{ age(pool.since) }}", "2m30s"],
    [
      "{{ duration('6s666ms') }} {{ duration('-6s666ms') }} {{ duration('250ms') }}",
      "6s -6s 250ms",
    ],
    ["{{ pool.since - now }}", "-2m30s"],
    ["{{ pool.since }}", "1970-01-01T00:00:01.000Z"],
    ["{{ string(age(pool.since)) + '!' }}", "2m30s!"],
    ["{{ pool.base > 5 }} {{ size(pool.name) }} {{ [1, 2] }}", "true 16 1, 2"],
    ["{{ pool.price }}", "<unknown>"],
    ["{{ 1 / size('') }} {{ {'a': 1} }}", "<unknown> <unknown>"],
    ["a } b { c }} d", "a } b { c }} d"],
  ])("is written for people: %s", (source, text) => {
    const facts = { name: "OrionV2/ORN-USDT", base: 1_234_567.8, quote: 0.1 + 0.2, since: 1_000 };
    expect(render(source, facts, 151_000)).toBe(text);
  });

  it("bounds what one value may take", () => {
    expect(render("{{ pool.name }}", { name: "x".repeat(5_000) }).length).toBeLessThan(1_100);
  });

  it("gives every problem, with its place in the whole text", () => {
    const source = "a {{ pool.nam }} b {{ nope }} c {{ pool.base";
    const compiled = compileTemplate(pools, source);
    const found = compiled.ok ? [] : compiled.problem;
    expect(found.map(({ id, start, end }) => [id, source.slice(start, end)])).toEqual([
      ["rule/unknown-fact", "nam"],
      ["rule/unknown-name", "nope"],
      ["rule/braces", "{{"],
    ]);
  });
});
