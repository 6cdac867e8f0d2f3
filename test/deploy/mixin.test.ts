import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseDuration } from "../../src/domain/time.ts";
import { UNIT_LABEL } from "../../src/io/metrics/join-pages.ts";
import { readRuleFiles } from "../../src/io/process/files.ts";
import { rulesOf } from "../config/rules/rule-text.ts";
import { POD_LABEL, SCRAPE_LABELS, knownMetrics } from "./known-metrics.ts";
import { groupedBy, metricsIn, selectorsIn } from "./promql.ts";
import { alerts, groups, read, readYaml, recordings, root, ruleTests } from "./rule-files.ts";
import type { AlertRule, RuleGroup } from "./rule-files.ts";

/** What can be said of the rules for Prometheus without promtool. */

const HEADINGS = ["Meaning", "Impact", "Diagnosis", "Mitigation"];
const byName = alerts.map((alert) => [alert.alert, alert] as const);
const shippedFiles = readRuleFiles(join(root, "rules"));
const shipped = rulesOf(...(shippedFiles.ok ? shippedFiles.value.map(({ text }) => text) : []));

function testsOf(alert: string, what: RegExp): number {
  return ruleTests.filter(
    ({ name, alert_rule_test: tests = [] }) =>
      name.startsWith(`${alert} `) &&
      what.test(name) &&
      tests.some(({ alertname }) => alertname === alert),
  ).length;
}

/** Labels that an alert's texts may name: those of what its expression reads. */
function labelsOf({ expr, labels }: AlertRule): Set<string> {
  const made = [...expr.matchAll(/label_replace\([^"]*"(\w+)"/g)].map((match) => match[1] ?? "");
  const of = metricsIn(expr).flatMap((metric) => knownMetrics.get(metric) ?? []);
  return new Set([...of, ...made, ...SCRAPE_LABELS, UNIT_LABEL, ...Object.keys(labels)]);
}

describe("the names of metrics in PromQL", () => {
  it.each([
    ["a == 1", ["a"]],
    [
      'sum without (x) (rate(a_total{b="c"}[5m])) > 0.5 unless d:e:f and g',
      ["a_total", "d:e:f", "g"],
    ],
    ['label_replace(a, "b", "$1", "c", "(.*)") / on (h) group_left (i) j', ["a", "j"]],
    ["time() - a > 900 and vector(1e3)", ["a"]],
  ])("are found: %s", (expression, names) => {
    expect(metricsIn(expression)).toEqual(names);
  });
});

describe("the rules for Prometheus", () => {
  it("read metrics that there are, by labels that those have", () => {
    const odd = [...alerts, ...recordings].flatMap(({ expr }) => [
      ...metricsIn(expr).filter((metric) => !knownMetrics.has(metric)),
      ...selectorsIn(expr).flatMap(({ metric, labels }) =>
        labels.filter(
          (label) =>
            ![...(knownMetrics.get(metric) ?? []), ...SCRAPE_LABELS, UNIT_LABEL].includes(label),
        ),
      ),
      ...groupedBy(expr).filter(
        (label) =>
          // The page of a replica gives each series of a unit of senders a label more.
          ![...SCRAPE_LABELS, POD_LABEL, UNIT_LABEL].includes(label) &&
          !metricsIn(expr).some((metric) => knownMetrics.get(metric)?.includes(label)),
      ),
    ]);
    expect(odd).toEqual([]);
  });

  it("keep the job, so that two aggwatches are told apart", () => {
    const dropping = [...alerts, ...recordings].filter(({ expr }) => /\bby\s*\(/.test(expr));
    expect(dropping).toEqual([]);
  });

  it("leave instance and pod out of an alert about the aggregator, which another pod reads on", () => {
    const file = readYaml("deploy/prometheus/rules/aggregator.yaml") as { groups: RuleGroup[] };
    const own = file.groups.flatMap(({ rules }) => rules).filter((rule) => "alert" in rule);
    expect(own.length).toBeGreaterThan(10);
    for (const { alert, expr } of own)
      expect(expr, alert).toMatch(/^(max without \(|sum without \(outcome, )instance, pod\)/);
  });

  it("have names of their own", () => {
    for (const names of [
      groups.map(({ name }) => name),
      alerts.map(({ alert }) => alert),
      recordings.map(({ record }) => record),
    ])
      expect(new Set(names).size).toBe(names.length);
    for (const { record } of recordings)
      expect(record).toMatch(/^[a-z_]+:aggwatch_[a-z_]+:[a-z0-9_]+$/);
  });

  it("test what is recorded", () => {
    const tests = ruleTests.flatMap(({ promql_expr_test: own = [] }) => own);
    const tested = new Set(tests.flatMap(({ expr }) => metricsIn(expr)));
    const untested = recordings.filter(({ record }) => !tested.has(record));
    expect(untested).toEqual([]);
  });

  it("judge as the shipped rules of the same name do, after as long", () => {
    const both = alerts.flatMap(({ alert, labels, for: wait = "0s" }) =>
      shipped
        .filter((rule) => rule.alert === alert)
        .map(({ severity, forMs }) => ({
          alert,
          ours: [labels["severity"], parseDuration(wait)],
          theirs: [severity, forMs],
        })),
    );
    expect(both.length).toBeGreaterThanOrEqual(12);
    for (const { alert, ours, theirs } of both) expect(ours, alert).toEqual(theirs);
  });

  it("leave no runbook without an alert", () => {
    const known = new Set([
      ...alerts.map(({ alert }) => alert),
      ...shipped.map(({ alert }) => alert),
    ]);
    const files = readdirSync(join(root, "docs/runbooks")).map((name) => name.replace(/\.md$/, ""));
    expect(files.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe.each(byName)("the alert %s", (name, alert) => {
  it("says what is wrong, and what to do", () => {
    expect(Object.keys(alert.annotations)).toEqual(["summary", "description", "runbook_url"]);
    expect(alert.annotations["runbook_url"]).toBe(`docs/runbooks/${name}.md`);
    expect(existsSync(join(root, `docs/runbooks/${name}.md`))).toBe(true);
    const text = read(`docs/runbooks/${name}.md`);
    expect(text.split("\n")[0]).toBe(`# ${name}`);
    expect([...text.matchAll(/^## (.*)$/gm)].map((match) => match[1])).toEqual(HEADINGS);
  });

  it("has a severity", () => {
    const severities = name === "Watchdog" ? ["none"] : ["critical", "warning", "info"];
    expect(severities).toContain(alert.labels["severity"]);
  });

  it("names labels that its series have", () => {
    const named = Object.values(alert.annotations).flatMap((text) =>
      [...text.matchAll(/\$labels\.(\w+)/g)].map((match) => match[1] ?? ""),
    );
    const there = labelsOf(alert);
    expect(named.filter((label) => !there.has(label))).toEqual([]);
  });

  it("is tested: it fires, it is quiet, and what it does without data", () => {
    expect(testsOf(name, / fires /)).toBeGreaterThan(0);
    expect(testsOf(name, / without data/)).toBeGreaterThan(0);
    // It always fires: that is its use.
    if (name !== "Watchdog") expect(testsOf(name, / is quiet (?!without data)/)).toBeGreaterThan(0);
  });
});
