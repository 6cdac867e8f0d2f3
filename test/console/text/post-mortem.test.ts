import { expect, it } from "vitest";
import { postMortem } from "../../../src/console/text/post-mortem.ts";

const at = (second: number): number => Date.UTC(2026, 0, 31, 12, 0, second);

const finding = (second: number, type: string, what: string, detail = "", alias = "desk-a") => ({
  at: new Date(at(second)).toISOString(),
  type,
  subject: "R|bsc/sender/A",
  what,
  detail,
  by: null,
  reason: null,
  alias,
});

it("is a draft in Markdown of what is shown, in order, with aliases, and nothing that formats", () => {
  const newestFirst = [
    finding(12, "alert", "resolved"),
    finding(10, "alert", "firing", "*bold* <img> [x](y)"),
    finding(5, "alert", "pending"),
    finding(1, "policy", "reloaded"),
  ];
  const draft = postMortem(newestFirst, { from: at(2), until: at(11) });
  const lines = draft.split("\n").filter((line) => line.startsWith("- 2026"));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("R|bsc/sender/A (desk-a) pending");
  expect(lines[1]).toContain(String.raw`\*bold\* \<img\> \[x\](y)`);
  expect(draft).toContain("- `R|bsc/sender/A (desk-a)`");
});

it("keeps on one line, and visible, what an aggregator said", () => {
  const said = finding(5, "alert", "firing", "down\n\n# All is well\n- A\u202EB");
  const draft = postMortem([said], { from: at(1), until: at(10) });
  expect(draft.split("\n").filter((line) => line.startsWith("#"))).toEqual([
    expect.stringContaining("# Post-mortem"),
    "## Summary",
    "## Alerts",
    "## Timeline",
    "## Causes",
    "## What we do about it",
  ]);
  expect(draft).toContain("down # All is well - A\uFFFDB");
});
