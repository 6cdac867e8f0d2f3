import { renderProblem, type Problem } from "../../config/problem.ts";
import { renderFailures } from "./report.ts";
import type { TestResult } from "../run/run-rule-tests.ts";

/** The outcome of one file: its problems if it could not be run, else the results of its tests. */
export type FileResult = {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly results: readonly TestResult[];
};

/** The results as JUnit XML, which build servers read: one suite for each file. */
export function renderJunit(files: readonly FileResult[]): string {
  const suites = files.map((one) => {
    const cases = casesOf(one);
    const failures = cases.filter(({ failure }) => failure !== undefined).length;
    const head = `<testsuite name="${escape(one.file)}" tests="${cases.length}" failures="${failures}">`;
    return [`  ${head}`, ...cases.map(caseText), "  </testsuite>"].join("\n");
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    ...suites,
    "</testsuites>",
    "",
  ].join("\n");
}

type Case = { readonly file: string; readonly name: string; readonly failure: string | undefined };

/** Each test with its failure, if any; a file that cannot be read is one failed test. */
export function casesOf({ file, problems, results }: FileResult): Case[] {
  if (problems.length > 0)
    return [
      { file, name: "can be read", failure: problems.map((one) => renderProblem(one)).join("\n") },
    ];
  return results.map((result) => ({
    file,
    name: result.test.name,
    failure: result.failures.length === 0 ? undefined : renderFailures(file, result),
  }));
}

function caseText({ file, name, failure }: Case): string {
  const head = `    <testcase classname="${escape(file)}" name="${escape(name)}"`;
  if (failure === undefined) return `${head}/>`;
  return `${head}>\n      <failure message="not as expected">${escape(failure)}</failure>\n    </testcase>`;
}

/** Escapes a text for XML. Control characters, which XML does not allow even escaped, become U+FFFD. */
function escape(text: string): string {
  const marks: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text
    .replace(/[&<>"]/g, (mark) => marks[mark] ?? mark)
    .replace(/[^\P{Cc}\n\t]|[\uFFFE\uFFFF]/gu, "\uFFFD");
}
