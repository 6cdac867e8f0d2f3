import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import { placesOf, problemsOf, ruleFile, rulesOf, scope } from "./rule-text.ts";

const RULE = [
  "alert: ExchangeDisabled",
  "each: exchange",
  'when: exchange.status == "disabled"',
] as const;

describe("compileRules", () => {
  it("gives a rule its defaults", () => {
    const [rule] = rulesOf(ruleFile(...RULE));
    expect(rule).toMatchObject({
      alert: "ExchangeDisabled",
      group: "test",
      file: "rules/1.yaml",
      line: 4,
      kind: "exchange",
      forMs: 0,
      keepFiringForMs: 0,
      severity: "warning",
      labels: {},
      annotations: {},
      inhibitedBy: [],
    });
    expect(rule).not.toHaveProperty("act");
    expect(rule?.when.judge(scope("exchange", { status: "disabled" })).truth).toBe("bad");
  });

  it("reads which aggregators it is for, and `aggregator.name` in a condition", () => {
    const [rule] = rulesOf(
      ruleFile(
        "alert: A",
        "aggregators: [bsc-mainnet, eth-mainnet]",
        "each: exchange",
        'when: exchange.status == "disabled" && aggregator.name == "bsc-mainnet"',
      ),
    );
    expect(rule?.aggregators).toEqual(["bsc-mainnet", "eth-mainnet"]);
    const here = scope("exchange", { status: "disabled" });
    expect(rule?.when.judge(here).truth).toBe("bad");
    expect(rule?.when.judge({ ...here, aggregator: "eth-mainnet" }).truth).toBe("ok");
    expect(placesOf(problemsOf(ruleFile(...RULE, "aggregators: []")))).toHaveLength(1);
  });

  it("reads everything that a rule can say", () => {
    const [rule] = rulesOf(
      ruleFile(
        ...RULE,
        "for: 2m",
        "keep_firing_for: 1m30s",
        'labels: { severity: critical, exchange: "{{ exchange.name }}" }',
        'annotations: { summary: "{{ exchange.name }} is off" }',
        "act:",
        "  action: enable_exchange",
        "  mode: propose",
        "  if: '!(exchange.name in [\"KRAKEN\"])'",
        "  cooldown: 5m",
        "  attempts: 2",
        "  verify_within: 20s",
        "  budget: { max: 5, per: 1h }",
      ),
    );
    expect(rule).toMatchObject({
      forMs: 2 * MINUTE,
      keepFiringForMs: 90_000,
      severity: "critical",
      act: {
        action: "enable_exchange",
        mode: "propose",
        cooldownMs: 5 * MINUTE,
        attempts: 2,
        verifyWithinMs: 20_000,
        budget: { max: 5, perMs: HOUR },
      },
    });
    const kraken = scope("exchange", { name: "KRAKEN" });
    expect(rule?.act?.condition?.judge(kraken).truth).toBe("ok");
    expect(rule?.labels["exchange"]?.render(kraken)).toBe("KRAKEN");
    expect(rule?.labels).not.toHaveProperty("severity");
    expect(rule?.annotations["summary"]?.render(kraken)).toBe("KRAKEN is off");
  });

  it("gives an action its defaults, and one that cannot be undone more careful ones", () => {
    const act = (kind: string, action: string) =>
      rulesOf(
        ruleFile(
          "alert: A",
          `each: ${kind}`,
          `when: ${kind}.status == "x"`,
          `act: { action: ${action}, budget: { max: 1, per: 1h } }`,
        ),
      )[0]?.act;
    expect(act("exchange", "enable_exchange")).toEqual({
      action: "enable_exchange",
      mode: "act",
      cooldownMs: 10 * MINUTE,
      attempts: 3,
      verifyWithinMs: MINUTE,
      budget: { max: 1, perMs: HOUR },
      storm: { max: 5, maxRatio: 0.5, withinMs: 600_000 },
      approvals: 1,
    });
    expect(act("liquidation", "force_cancel_order")).toMatchObject({
      mode: "propose",
      attempts: 1,
    });
  });

  it("leaves a rule out that is not enabled, and checks it all the same", () => {
    expect(rulesOf(ruleFile(...RULE, "enabled: false"))).toEqual([]);
    const broken = ruleFile("alert: A", "each: exchange", "when: exchange.nope", "enabled: false");
    expect(placesOf(problemsOf(broken))).toEqual(["6:24 rule/unknown-fact"]);
  });

  it("finds what else is wrong in a file in which a key occurs twice", () => {
    const text = ruleFile(...RULE, "each: pair", "for: 1 minute");
    const repeated = ruleFile("alert: A", "each: exchange", "each: pair", "when: exchange.nope");
    expect(placesOf(problemsOf(repeated))).toEqual([
      "6:9 yaml/duplicate-key",
      "7:24 rule/unknown-fact",
    ]);
    expect(placesOf(problemsOf(text))).toHaveLength(2);
  });

  it("takes a file without rules if it says so, and no empty one", () => {
    expect(rulesOf("groups: []")).toEqual([]);
    expect(placesOf(problemsOf("groups: []", "", "# nothing yet\n"))).toEqual([
      "1:1 rule/empty",
      "1:1 rule/empty",
    ]);
  });

  it.each([
    ["an unknown key", ["fro: 2m"], "7:9 rule/unknown-key"],
    [
      "a key that merges, which may stand for the budget",
      ["annotations: &more { a: b }", "act: { <<: *more, action: enable_exchange }"],
      "8:16 rule/unknown-key",
    ],
    ["a key that merges labels", ["labels: { <<: { a: b } }"], "7:19 rule/unknown-key"],
    ["a key that merges texts", ["annotations: { <<: { a: b } }"], "7:24 rule/unknown-key"],
    [
      "a key that merges windows",
      ["with: { <<: { hour: { fact: exchange.listed, over: 1h, of: max } } }"],
      "7:17 rule/unknown-key",
    ],
    ["a bad duration", ["for: 2 minutes"], "7:14 rule/bad-value"],
    ["a negative duration", ["for: -5m"], "7:14 rule/bad-value"],
    ["an unknown fact in a label", ['labels: { a: "{{ exchange.x }}" }'], "7:35 rule/unknown-fact"],
    ["a label that is not a name", ["labels: { 9a: b }"], "7:19 rule/bad-label"],
    ["a label that is set by aggwatch", ["labels: { alertname: b }"], "7:19 rule/bad-label"],
    ["a label that notifications set", ["labels: { kind: a }"], "7:19 rule/bad-label"],
    ["the other one", ["labels: { entity: a }"], "7:19 rule/bad-label"],
    ["braces in the severity", ['labels: { severity: "{{ 1 }}" }'], "7:29 rule/severity"],
    ["an unknown inhibitor", ["inhibited_by: [Nope]"], "7:24 rule/unknown-alert"],
    [
      "an unknown action",
      ["act: { action: reboot, budget: { max: 1, per: 1h } }"],
      "7:24 rule/bad-value",
    ],
    [
      "an action of another kind",
      ["act: { action: enable_pair, budget: { max: 1, per: 1h } }"],
      "7:24 rule/wrong-kind",
    ],
    ["no budget", ["act: { action: enable_exchange }"], "7:9 rule/no-budget"],
    [
      "half a budget",
      ["act: { action: enable_exchange, budget: { max: 1 } }"],
      "7:41 rule/missing",
    ],
    [
      "a storm limit of nothing",
      ["act: { action: enable_exchange, storm: { max: 0 }, budget: { max: 1, per: 1h } }"],
      "7:55 rule/bad-value",
    ],
  ])("points at %s", (_, lines, place) => {
    expect(placesOf(problemsOf(ruleFile(...RULE, ...lines)))).toEqual([place]);
  });

  it.each([
    ["budget: { max: 1, per: 1h }", "it belongs to act; known here: alert, "],
    ["act: { for: 2m }", "it belongs to the rule itself; known here: action, "],
  ])("says which part of a rule knows the key of %s", (line, hint) => {
    const problems = problemsOf(ruleFile(...RULE, line));
    const unknown = problems.find(({ id }) => id === "rule/unknown-key");
    expect(unknown?.hint?.startsWith(hint)).toBe(true);
  });

  it.each([
    ["expr: pool.base < 1", 'the condition of a rule is "when", in CEL'],
    ["severity: critical", "it is a label, so write labels: { severity: … }"],
    ["summary: low", "it is an annotation, so write annotations: { summary: … }"],
  ])("says how %s of a rule of Prometheus is written here", (line, hint) => {
    expect(problemsOf(ruleFile(...RULE, line))).toMatchObject([
      { line: 7, column: 9, id: "rule/unknown-key", hint },
    ]);
  });

  it("says that a group or a rule is wrong, and not the file, if it is no mapping", () => {
    const wrong = problemsOf("groups:\n  - pools\n  - { name: A, rules: [PoolLow] }\n");
    expect(wrong.map(({ line, message }) => `${line} ${message}`)).toEqual([
      "2 this entry must be a mapping of keys, not text",
      "3 this entry must be a mapping of keys, not text",
    ]);
    expect(problemsOf("pools")).toMatchObject([
      { message: "the file must be a mapping of keys, not text" },
    ]);
  });

  it.each([
    ["alert: A", "rules stand in groups"],
    ["tests: []", "tests of rules have a file of their own"],
  ])("says where %s of a rule file belongs", (line, hint) => {
    const [problem] = problemsOf(`groups: []\n${line}\n`);
    expect(problem?.hint).toContain(hint);
  });

  it("says that a list without entries must have one", () => {
    expect(problemsOf(ruleFile(...RULE, "aggregators: []"))).toMatchObject([
      { line: 7, id: "rule/bad-value", message: '"aggregators" must have at least 1 entry' },
    ]);
  });

  it.each([
    ["an unknown kind", ["alert: A", "each: exchnge", "when: 'true'"], "5:15 rule/unknown-kind"],
    ["a name that is none", ["alert: A B", "each: pool", "when: 'true'"], "4:16 rule/bad-name"],
    ["a condition that is none", ["alert: A", "each: pool", "when: true"], "6:15 rule/bad-value"],
    [
      "a number as condition",
      ["alert: A", "each: pool", "when: pool.base"],
      "6:15 rule/not-a-condition",
    ],
    ["a missing condition", ["alert: A", "each: pool"], "4:9 rule/missing"],
    [
      "two attempts at what cannot be undone",
      [
        "alert: A",
        "each: liquidation",
        'when: liquidation.status == "x"',
        "act: { action: force_cancel_order, attempts: 2, budget: { max: 1, per: 1h } }",
      ],
      "7:54 rule/attempts",
    ],
  ])("points at %s", (_, lines, place) => {
    expect(placesOf(problemsOf(ruleFile(...lines)))).toEqual([place]);
  });

  it.each([
    ["plain", ["when: exchange.stat == 'x'"], "6:24"],
    ["quoted", ["when: 'exchange.name == ''x'' && exchange.stat == ''y'''"], "6:51"],
    ["double-quoted", ['when: "exchange.name == \\"x\\" && exchange.stat == \\"y\\""'], "6:51"],
    ["folded", ["when: >-", "  exchange.disabled &&", "  exchange.stat == 'y'"], "8:20"],
    ["literal", ["when: |", "  exchange.disabled", "    && exchange.stat == 'y'"], "8:25"],
  ])("gives the exact column within a scalar: %s", (_, lines, place) => {
    const [problem] = problemsOf(ruleFile("alert: A", "each: exchange", ...lines));
    expect(`${problem?.line}:${problem?.column}`).toBe(place);
    expect(problem?.length).toBe("stat".length);
    expect(problem?.hint).toBe('did you mean "status"?');
    expect(problem?.within).toBe('group "test", rule "A"');
  });

  it("gives all problems of all files at once", () => {
    const found = problemsOf(
      ruleFile(...RULE, "fro: 1m"),
      "groups: [",
      ruleFile("alert: B", "each: pool", "when: pool.nope", "for: soon"),
      "groups: 5",
    );
    expect(found.map(({ file, id }) => `${file} ${id}`)).toEqual([
      "rules/1.yaml rule/unknown-key",
      "rules/2.yaml yaml/syntax",
      "rules/3.yaml rule/unknown-fact",
      "rules/3.yaml rule/bad-value",
      "rules/4.yaml rule/bad-value",
    ]);
  });

  it("finds a name that is taken, in another file too", () => {
    const [problem, ...rest] = problemsOf(ruleFile(...RULE), ruleFile(...RULE));
    expect(rest).toEqual([]);
    expect(problem).toMatchObject({ id: "rule/duplicate-alert", file: "rules/2.yaml", line: 4 });
    expect(problem?.message).toContain("rules/1.yaml:4");
  });

  it("refuses rules that inhibit each other, also through others, and one that inhibits itself", () => {
    const inhibited = (alert: string, by: string, ...more: readonly string[]): string =>
      ruleFile(
        `alert: ${alert}`,
        "each: pool",
        "when: pool.base < 1",
        `inhibited_by: [${by}]`,
        ...more,
      );
    const circles = (...files: readonly string[]) =>
      problemsOf(...files).map(({ id, within, message }) => [id, within, message]);
    const id = "rule/circular-inhibition";
    expect(circles(inhibited("A", "A"))).toEqual([
      [id, 'group "test", rule "A"', '"A" names itself'],
    ]);
    const three = [inhibited("A", "B"), inhibited("B", "C"), inhibited("C", "A")] as const;
    expect(circles(...three)).toEqual([
      [
        id,
        'group "test", rule "A"',
        '"B" is inhibited by "A" in turn: if both fire, neither is sent',
      ],
      [
        id,
        'group "test", rule "B"',
        '"C" is inhibited by "B" in turn: if both fire, neither is sent',
      ],
      [
        id,
        'group "test", rule "C"',
        '"A" is inhibited by "C" in turn: if both fire, neither is sent',
      ],
    ]);
    expect(circles(...three.slice(0, 2), inhibited("C", "A", "enabled: false"))).toEqual([]);
    const on = (names: string): string => `aggregators: [${names}]`;
    const apart = [inhibited("A", "B", on("bsc, eth")), inhibited("B", "A", on("base"))];
    expect(circles(...apart)).toEqual([]);
    const apartAmongThree = [
      inhibited("A", "B", on("bsc, eth")),
      inhibited("B", "C", on("bsc, base")),
      inhibited("C", "A", on("eth, base")),
    ];
    expect(circles(...apartAmongThree)).toEqual([]);
    expect(circles(...three.slice(0, 2), inhibited("C", "A", on("bsc")))).toHaveLength(3);
  });

  it("looks at the rules of a group that has no name", () => {
    const text = ruleFile("alert: A", "each: pool", "when: pool.nope").replace(
      "name: test",
      "nam: x",
    );
    expect(problemsOf(text).map(({ id }) => id)).toEqual([
      "rule/missing",
      "rule/unknown-key",
      "rule/unknown-fact",
    ]);
  });
});
