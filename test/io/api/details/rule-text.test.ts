/** Tests src/io/api/details/rule-text.ts. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { actionsByName } from "../../../../src/actions/index.ts";
import { compileRules } from "../../../../src/config/rules/rules.ts";
import type { Rule } from "../../../../src/domain/rule.ts";
import { ruleText } from "../../../../src/io/api/details/rule-text.ts";
import { readRuleFiles } from "../../../../src/io/process/files.ts";
import { kinds } from "../../../../src/pollers/kinds.ts";

const compiled = (files: ReadonlyArray<{ name: string; text: string }>): readonly Rule[] => {
  const rules = compileRules({ files, kinds, actions: actionsByName });
  if (!rules.ok) throw new Error(JSON.stringify(rules.problem));
  return rules.value;
};

/** All of a rule that can be compared: expressions by their text. */
const plain = ({ file: _file, line: _line, hash: _hash, ...rule }: Rule): unknown =>
  JSON.parse(JSON.stringify(rule));

const EVERYTHING = `
groups:
  - name: g
    rules:
      - alert: All
        each: exchange
        aggregators: [bsc]
        with:
          flips: { fact: status, count: 90m }
          outages: { fact: status, count: { to: disabled, within: 1h } }
        when: exchange.status == "disabled" && exchange.flips > 2.0
        during: { hours: ["06:00-12:00", "22:00-01:30"], days: mon-fri, time_zone: Asia/Tokyo }
        for: 1h30m15s
        keep_firing_for: 1m
        labels: { severity: critical, team: "{{ exchange.name }}" }
        annotations: { summary: "a: {{ exchange.name }}" }
        act:
          action: enable_exchange
          mode: propose
          if: 'exchange.name != "KRAKEN"'
          during: { days: [sat, sun] }
          cooldown: 25h
          attempts: 2
          verify_within: 90s
          budget: { max: 3, per: 2h }
          storm: { max: 4, max_ratio: 0.25, within: 0s }
          approvals: 2
      - alert: Bare
        each: pool
        when: pool.base < 1.0
        inhibited_by: [All]
`;

it("writes each rule so that it is read as the same rule", () => {
  const files = readRuleFiles(join(import.meta.dirname, "../../../../rules"));
  if (!files.ok) throw new Error(files.problem);
  const everything = compiled([{ name: "all.yaml", text: EVERYTHING }]);
  const shipped = compiled(files.value);
  expect(shipped.length).toBeGreaterThan(20);
  for (const rule of [...shipped, ...everything]) {
    // What it is inhibited by is in other files.
    const again = compiled([{ name: "again.yaml", text: ruleText({ ...rule, inhibitedBy: [] }) }]);
    expect(again.map(plain), rule.alert).toEqual([plain({ ...rule, inhibitedBy: [] })]);
  }
  expect(ruleText(everything[1] as Rule)).toContain("inhibited_by:\n          - All");
});
