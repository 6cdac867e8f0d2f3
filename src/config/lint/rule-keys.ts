import { SEVERITIES, type Severity } from "../../domain/shown/severity.ts";
import { formatDuration } from "../../domain/time.ts";
import { longestStretch } from "../rules/during.ts";
import { hintFor } from "../suggest.ts";
import type { LintCheck } from "./lint-check.ts";

/** Whether what a rule says beside its conditions is there, and means something. */

export const noRunbook: LintCheck = {
  id: "lint/no-runbook",
  means: "A rule has no runbook, or names one that does not exist.",
  why: "Whoever is woken by the alert needs to know what it means and what to do.",
  mend: "Write the annotation `runbook_url`: a URL, or the path of a file. A path may be relative to the directory of the rule's file, to the directory above it, or to the one in which `aggwatch check` runs. The shipped runbooks, `docs/runbooks/NAME.md`, are always found: the daemon serves them as `/runbooks/NAME`.",
  find: ({ rule }, { fileExists }) => {
    const url = rule.annotations["runbook_url"]?.source.trim() ?? "";
    if (url === "")
      return {
        path: ["alert"],
        message: "the alert has no runbook",
        hint: "write annotations: { runbook_url: … }",
      };
    const isFile = !/^[a-z][a-z0-9+.-]*:/i.test(url) && !url.includes("{{");
    const path = url.replace(/[#?].*$/, "");
    if (!isFile || fileExists(path, rule.file)) return undefined;
    return { path: ["annotations", "runbook_url"], message: `there is no runbook "${path}"` };
  },
};

export const noTest: LintCheck = {
  id: "lint/no-test",
  means: "No rule test in the folder of the rules names the alert.",
  why: "A rule that was never tested may never fire, or act when it should not.",
  mend: "Write a `*.test.yaml` beside the rule with a case that fires, one that does not, and one with missing data.",
  find: ({ rule: { alert } }, { tested }) =>
    tested.has(alert) ? undefined : { path: ["alert"], message: "no rule test names the alert" },
};

/** The names in the texts of test files, where a key is expected: `ExchangeDisabled: BINANCE`. */
export function testedNames(texts: readonly string[]): ReadonlySet<string> {
  const keys = /(?:^|[\s{,"'-])([A-Za-z_][A-Za-z0-9_]*)["']?\s*:/gm;
  return new Set(
    texts.flatMap((text) => {
      const uncommented = text.replace(/(^|\s)#.*$/gm, "");
      return [...uncommented.matchAll(keys)].map((match) => match[1] ?? "");
    }),
  );
}

export const forLongerThanDuring: LintCheck = {
  id: "lint/for-longer-than-during",
  means: "The hours of `during` are shorter than the rule's `for`.",
  why: "Outside `during` the rule is ok, and a pending alert is dropped. `for` starts again each time, so the alert never fires.",
  mend: "Write a shorter `for`, or longer hours. Write hours that cross midnight as one span, such as `22:00-06:00`.",
  find: ({ rule: { forMs, during } }) => {
    const longest = during === undefined ? Infinity : longestStretch(during);
    if (forMs < longest) return undefined;
    return {
      path: ["for"],
      message: `for: ${formatDuration(forMs)} never passes, since "during" lasts ${formatDuration(longest)} at most: the alert never fires`,
      hint: `write a for of less than ${formatDuration(longest)}, or longer hours`,
    };
  },
};

export const unknownAggregator: LintCheck = {
  id: "lint/unknown-aggregator",
  means: "A rule names an aggregator that the config does not have.",
  why: "If the name is misspelt, the rule silently judges nothing of the aggregator that was meant.",
  mend: "Write the name as it is in the config (`aggregators[].name`), or remove it.",
  find: ({ rule }, { aggregators }) => {
    const known = aggregators.map(({ name }) => name);
    if (known.length === 0) return undefined;
    return (rule.aggregators ?? []).flatMap((name, index) => {
      const path = ["aggregators", index];
      const message = `no aggregator is named "${name}"`;
      return known.includes(name) ? [] : [{ path, message, hint: hintFor(name, known) }];
    });
  },
};

export const unknownSeverity: LintCheck = {
  id: "lint/unknown-severity",
  means: "A rule's `severity` is not `info`, `warning` or `critical`.",
  why: "Any other word counts as `critical` in notifications and on the page, so a misspelt `warning` wakes people.",
  mend: "Write one of the three. If you want a word of your own, which labels the metric and each notification, ignore this lint with the reason.",
  find: ({ rule: { severity } }) =>
    SEVERITIES.includes(severity as Severity)
      ? undefined
      : {
          path: ["labels", "severity"],
          message: `the severity "${severity}" is not info, warning or critical, and counts as critical`,
          hint: hintFor(severity, SEVERITIES),
        },
};
