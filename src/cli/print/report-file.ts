import { closeSync, openSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { reasonOf } from "../../io/process/files.ts";
import { renderReport } from "../../io/report/render.ts";
import type { Report } from "../../io/report/report.ts";
import type { CliContext } from "../context.ts";

/** Why a report cannot be written into a file, tried before the work for it; the file is left as it is. */
export function reportProblem(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    // A pipe's reader would take the trial for the report.
    if (found !== undefined && !found.isFile() && !found.isDirectory()) return undefined;
    closeSync(openSync(file, "a"));
    // Of a link, what it points to.
    if (found === undefined) rmSync(realpathSync(file));
    return undefined;
  } catch (error) {
    return unwritten(file, error);
  }
}

function unwritten(file: string, error: unknown): string {
  return `--html ${file}: it cannot be written: ${reasonOf(error)}`;
}

/** Writes a report into a file; false, and a complaint, if that cannot be done. */
export async function writeReport(
  file: string,
  report: Report,
  context: CliContext,
): Promise<boolean> {
  try {
    writeFileSync(file, await renderReport(report));
    // Standard output may be JSON for a program.
    context.complain(`the report is in ${file}`);
    return true;
  } catch (error) {
    context.complain(unwritten(file, error));
    return false;
  }
}

export function verdictLines([sum = "", ...more]: readonly string[]): readonly string[] {
  return [`Verdict: ${sum}`, ...more.map((line) => `  ${line}`)];
}
