import { describe, expect, it } from "vitest";
import { EQUIVALENT, hunt, nameOf } from "./hunt.ts";
import { mutantsOf } from "./mutants.ts";

describe("the mutants of the shipped rules", () => {
  it("are all noticed by the rules' tests, except for those that mean the same", () => {
    const hunted = hunt();
    const survivors = hunted.filter(({ fate }) => fate === "survived").map(nameOf);
    expect(survivors.sort()).toEqual(Object.keys(EQUIVALENT).sort());
    expect(hunted.filter(({ fate }) => fate === "killed").length).toBeGreaterThan(250);
  });
});

const RULE = `
groups:
  - name: test
    rules:
      - alert: PoolLow
        each: pool
        when: pool.base < 5 && pool.pair == "A-B"
        for: 2m
        act: { action: x, cooldown: 10m, budget: { max: 2, per: 1h } }
`;

describe("mutants", () => {
  const changes = mutantsOf(RULE).map(({ change }) => change);

  it("change operators, thresholds, facts and texts of a condition", () => {
    const conditions = changes
      .filter((change) => change.startsWith("when: "))
      .map((change) => change.split(" -> ")[1]);
    expect(conditions).toEqual([
      '!(pool.base < 5 && pool.pair == "A-B")',
      "pool.base < 5",
      'pool.pair == "A-B"',
      ...["quote", "price", "estimate", "estimate_departure"].map(
        (fact) => `pool.${fact} < 5 && pool.pair == "A-B"`,
      ),
      ...["==", "!=", "<=", ">", ">="].map((sign) => `pool.base ${sign} 5 && pool.pair == "A-B"`),
      ...["2.5", "10", "0"].map((value) => `pool.base < ${value} && pool.pair == "A-B"`),
      'pool.base < 5 || pool.pair == "A-B"',
      ...["name", "factory", "base_asset", "quote_asset"].map(
        (fact) => `pool.base < 5 && pool.${fact} == "A-B"`,
      ),
      'pool.base < 5 && pool.pair != "A-B"',
      'pool.base < 5 && pool.pair == "A-Bx"',
    ]);
  });

  it("change durations, numbers and modes, and drop what can be dropped", () => {
    expect(changes.filter((change) => !change.startsWith("when: "))).toEqual([
      'for: "2m" -> "1m"',
      'for: "2m" -> "4m"',
      "for dropped",
      'keep_firing_for: "none" -> "1m"',
      "act dropped",
      'act.mode: "none" -> "shadow"',
      'act.mode: "none" -> "propose"',
      'act.cooldown: "10m" -> "5m"',
      'act.cooldown: "10m" -> "20m"',
      "act.budget.max: 2 -> 1",
      "act.budget.max: 2 -> 3",
      'act.budget.per: "1h" -> "30m"',
      'act.budget.per: "1h" -> "2h"',
    ]);
  });

  it("are whole files that differ in one rule", () => {
    const first = mutantsOf(RULE).find(({ change }) => change === "for dropped");
    expect(first?.text).not.toContain("for: 2m");
    expect(first?.text).toContain("cooldown: 10m");
  });
});
