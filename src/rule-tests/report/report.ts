import type { Comparison, Row } from "../run/compare.ts";
import type { Item } from "../file/rule-test.ts";
import { formatDuration } from "../../domain/time.ts";
import { inColumns } from "../../domain/wording.ts";
import type { Failure, TestResult } from "../run/run-rule-tests.ts";

/** The failures of one test as text: the expected and the actual items, and the reasons. */
export function renderFailures(file: string, { test, failures }: TestResult): string {
  const lines = [`FAILED ${test.name}  (${file}:${test.line})`];
  for (const failure of failures) lines.push(...failureLines(file, failure).map(indent));
  return lines.join("\n");
}

function failureLines(file: string, { expectation, comparisons, reasons }: Failure): string[] {
  const at = `at ${formatDuration(expectation.atMs)} (${file}:${expectation.line})`;
  const lines = comparisons.flatMap((comparison) => [
    `${at}, ${comparison.list}:`,
    ...tableOf(comparison).map(indent),
  ]);
  for (const { entity, lines: why } of reasons)
    lines.push(`why, of ${entity.kind} ${entity.id}:`, ...why.map(indent));
  return lines;
}

/** Both sides of each row, one below the other, in columns; a row that is as expected is one line. */
function tableOf({ rows }: Comparison): readonly string[] {
  const cells = rows.flatMap(({ expected, got, same }: Row): string[][] => {
    const names = Object.keys(expected?.fields ?? { state: "", reason: "" });
    if (same) return [["both", ...cellsOf(expected, names)]];
    const wanted = cellsOf(expected, names);
    const found = cellsOf(got, names);
    return [
      ["expected", ...wanted],
      ["got", ...found],
      ["", ...marks(wanted, found)],
    ];
  });
  return inColumns(cells, 60);
}

function cellsOf(item: Item | undefined, names: readonly string[]): string[] {
  if (item === undefined) return ["nothing"];
  const fields = names.flatMap((name) => {
    const value = item.fields[name];
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  return [`${item.name} ${item.id}`, ...fields];
}

function marks(expected: readonly string[], got: readonly string[]): string[] {
  return got.map((cell, index) => (cell === expected[index] ? "" : "^".repeat(cell.length)));
}

function indent(line: string): string {
  return `  ${line}`;
}
