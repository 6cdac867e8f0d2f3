import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** The rules for Prometheus and their tests, as promtool reads them. */

export const root = join(import.meta.dirname, "../..");
export const prometheus = join(root, "deploy/prometheus");

export const read = (path: string): string => readFileSync(join(root, path), "utf8");
export const readYaml = (path: string): unknown => parse(read(path)) as unknown;

export type AlertRule = {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};
export type RecordingRule = { readonly record: string; readonly expr: string };
export type RuleGroup = {
  readonly name: string;
  readonly rules: readonly (AlertRule | RecordingRule)[];
};

export type RuleTest = {
  readonly name: string;
  readonly input_series: readonly { readonly series: string; readonly values: string | number }[];
  readonly alert_rule_test?: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
  readonly promql_expr_test?: readonly { readonly expr: string }[];
};

/** The paths of the YAML files in a folder, from the root of the project. */
export function yamlFilesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => `${folder}/${name}`);
}

const rulesOf = yamlFilesIn("deploy/prometheus/rules").flatMap(
  (path) => (readYaml(path) as { groups: RuleGroup[] }).groups,
);

export const groups: readonly RuleGroup[] = rulesOf;
export const alerts: readonly AlertRule[] = groups.flatMap(({ rules }) =>
  rules.flatMap((rule) => ("alert" in rule ? [rule] : [])),
);
export const recordings: readonly RecordingRule[] = groups.flatMap(({ rules }) =>
  rules.flatMap((rule) => ("record" in rule ? [rule] : [])),
);

export const ruleTests: readonly RuleTest[] = yamlFilesIn("deploy/prometheus/tests").flatMap(
  (path) => (readYaml(path) as { tests: RuleTest[] }).tests,
);
