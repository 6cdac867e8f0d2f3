import { writeFileSync } from "node:fs";
import { messageOf } from "../../domain/error-message.ts";
import { renderReport } from "../../io/report/render.ts";
import type { Report } from "../../io/report/report.ts";
import type { CliContext } from "../context.ts";

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
    context.complain(`--html ${file}: it cannot be written: ${messageOf(error)}`);
    return false;
  }
}

export function verdictLines([sum = "", ...more]: readonly string[]): readonly string[] {
  return [`Verdict: ${sum}`, ...more.map((line) => `  ${line}`)];
}
