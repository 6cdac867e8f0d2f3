import { actionsByName } from "../../../src/actions/index.ts";
import {
  lintRules,
  testedNames,
  type LintInput,
  type LintResult,
} from "../../../src/config/lint/index.ts";
import { compileRuleSet } from "../../../src/config/rules/rules.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { load } from "../settings/settings-text.ts";

/** What lint says of rule files, with a config, and with what lies beside them. */
export type LintSetting = {
  readonly config?: string;
  readonly tests?: string;
  readonly files?: readonly string[];
  readonly actions?: LintInput["actions"];
};

export const CONFIG = `
aggregators:
  - base_url: https://aggregator.example/bsc/backend
    watch: { senders: ["0x1"], liquidations: ["0x2"] }
`;

export function lint(texts: readonly string[], setting: LintSetting = {}): LintResult {
  const { actions = actionsByName } = setting;
  const set = compileRuleSet({
    files: texts.map((text, index) => ({ name: `rules/${index + 1}.yaml`, text })),
    kinds,
    actions,
  });
  if (set.problems.length > 0) throw new Error(JSON.stringify(set.problems, undefined, 2));
  const input: LintInput = {
    rules: set.compiled.flatMap(({ rule, place, language, enabled }) =>
      rule && language && enabled ? [{ rule, place, language }] : [],
    ),
    sources: set.sources,
    aggregators: aggregatorsOf(setting.config ?? CONFIG),
    actions,
    tested: testedNames([setting.tests ?? "A: x\nB: x\n"]),
    fileExists: (path) => (setting.files ?? []).includes(path),
    broken: new Set(),
  };
  return lintRules(
    input,
    set.compiled.filter(({ enabled }) => !enabled),
  );
}

const read = new Map<string, LintInput["aggregators"]>();

function aggregatorsOf(config: string): LintInput["aggregators"] {
  const known = read.get(config);
  if (known !== undefined) return known;
  const settings = load({ text: config });
  if (!settings.ok) throw new Error(JSON.stringify(settings.problem, undefined, 2));
  read.set(config, settings.value.aggregators);
  return settings.value.aggregators;
}

/** A rule that nothing is wrong with; keys are replaced, or left out where they are undefined. */
export function ruleText(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const keys: Record<string, string | undefined> = {
    alert: "A",
    each: "exchange",
    when: 'exchange.status == "disabled"',
    for: "2m",
    annotations: "{ runbook_url: https://runbooks.example/A }",
    ...changes,
  };
  const lines = Object.entries(keys).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${value}`],
  );
  return `groups:\n  - name: g\n    rules:\n      - ${lines.join("\n        ")}\n`;
}

/** `line:column id` of each. */
export function places({ problems }: LintResult): readonly string[] {
  return problems.map(({ line, column, id }) => `${line}:${column} ${id}`);
}
