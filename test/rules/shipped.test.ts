import { describe, expect, it } from "vitest";
import { runFile } from "../../src/cli/offline/test.ts";
import { renderProblems } from "../../src/config/problem.ts";
import { toEnd } from "../../src/domain/slices.ts";
import { readRuleFiles, readRuleTestFiles } from "../../src/io/process/files.ts";
import { renderFailures } from "../../src/rule-tests/report/report.ts";
import { rulesOf } from "../config/rules/rule-text.ts";
import { OWN_KINDS } from "../../src/pollers/kinds.ts";
import { RULES } from "./hunt.ts";

const read = readRuleTestFiles(RULES);
const results = (read.ok ? read.value : []).map((file) => toEnd(runFile(file, "")));
const tests = results.flatMap((result) => result.results.map(({ test }) => test));

const rules = readRuleFiles(RULES);
const shipped = rulesOf(...(rules.ok ? rules.value.map(({ text }) => text) : []));

describe("the tests of the shipped rules", () => {
  it.each(results.map((result) => [result.file, result] as const))(
    "pass: %s",
    (file, { problems, results: own }) => {
      expect(problems.length === 0 ? "" : renderProblems(problems)).toBe("");
      const failed = own.filter(({ failures }) => failures.length > 0);
      expect(failed.map((one) => renderFailures(file, one)).join("\n")).toBe("");
      expect(own.length).toBeGreaterThan(0);
    },
  );

  it.each(shipped.map((rule) => [rule.alert, rule] as const))(
    "see %s fire, not fire, and miss data",
    (alert, rule) => {
      // What the core makes itself is looked for in each test of its file: lists of alerts are exact.
      const own = tests.filter(({ expectations }) =>
        expectations.some(({ lists }) =>
          lists.get("alerts")?.some(({ name }) => name === alert || rule.kind === "repair"),
        ),
      );
      const states = own.flatMap(({ expectations }) =>
        expectations.flatMap(
          ({ lists }) => lists.get("alerts")?.filter(({ name }) => name === alert) ?? [],
        ),
      );
      const fired = states.some(({ fields }) => fields["state"] === "firing");
      expect(fired, "a test in which it fires").toBe(true);
      const silent = own.filter(({ expectations }) =>
        expectations.every(({ lists }) =>
          lists
            .get("alerts")
            ?.every(({ name, fields }) => name !== alert || fields["state"] === "pending"),
        ),
      );
      expect(silent.length, "tests in which it does not fire").toBeGreaterThan(0);
      // Every one is also told of polls that fail, are cut or are missed.
      expect(
        own.some(({ polls }) => polls.length > 0),
        "a test with `poll`",
      ).toBe(true);
      // What aggwatch knows of itself is never unknown.
      const lost = states.some(({ fields }) => fields["unknown"] === "true");
      expect(lost, "a test with `unknown: true`").toBe(!OWN_KINDS.has(rule.kind));
    },
  );

  it.each(
    shipped.filter(({ act }) => act !== undefined).map((rule) => [rule.alert, rule] as const),
  )("see %s repair, and be held back", (alert, rule) => {
    const all = tests.flatMap(({ expectations }) => expectations);
    const verified = all.flatMap(({ lists }) => lists.get("remediations") ?? []);
    expect(verified).toContainEqual(
      expect.objectContaining({ name: rule.act?.action, fields: { state: "verified" } }),
    );
    const reasons = all
      .flatMap(({ lists }) => lists.get("suppressed") ?? [])
      .filter(({ name }) => name === alert)
      .map(({ fields }) => fields["reason"]);
    expect(reasons).toEqual(expect.arrayContaining(["cooldown", "attempts", "budget"]));
  });
});
