import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the figures of a scenario stand in the document: between two comments, with the machine above the table. */

const FILE = join(import.meta.dirname, "../docs/benchmarks.md");
const BLOCK = /<!-- bench: (\S+) -->\n[^]*?<!-- end -->/g;

/** The scenarios that the document has a place for. */
export function documented(text = readFileSync(FILE, "utf8")): string[] {
  return [...text.matchAll(BLOCK)].map(([, name = ""]) => name);
}

/** Puts each report in its place. What has none is left out. */
export function withReports(text: string, reports: ReadonlyMap<string, string>): string {
  return text.replace(BLOCK, (block, name: string) => {
    const report = reports.get(name);
    return report === undefined ? block : `<!-- bench: ${name} -->\n\n${report}\n\n<!-- end -->`;
  });
}

export function writeReports(reports: ReadonlyMap<string, string>): void {
  writeFileSync(FILE, withReports(readFileSync(FILE, "utf8"), reports));
}
