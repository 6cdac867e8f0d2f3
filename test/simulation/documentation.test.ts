/** Tests src/simulation: documentation. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FAULT_GROUPS } from "../../src/simulation/faults/schedule.ts";
import { replaceSection } from "../../tools/describe.ts";

const path = join(import.meta.dirname, "../../docs/simulation.md");

it("docs/simulation.md lists every kind of fault (UPDATE_DOCS=1 writes it)", () => {
  const before = readFileSync(path, "utf8");
  const text = replaceSection(before, "fault-groups", describeFaultGroups());
  expect(text).toContain(describeFaultGroups());
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, text);
  else expect(before, "UPDATE_DOCS=1 npx vitest run test/simulation").toBe(text);
});

/** The groups as a table in Markdown. */
function describeFaultGroups(): string {
  const rows = FAULT_GROUPS.map(({ where, kinds, most }) => {
    const names = kinds.map(({ name }) => name).join("; ");
    return `| ${where} | ${most ?? "all"} | ${names} |`;
  });
  return ["| where | kinds a seed | what goes wrong |", "|---|---|---|", ...rows].join("\n");
}
