import { describe, expect, it } from "vitest";
import { postMortem } from "../../../src/console/text/post-mortem.ts";
import { timelineOf } from "../../../src/console/text/timeline.ts";

const at = (second: number): number => Date.UTC(2026, 0, 31, 12, 0, second);

const finding = (second: number, type: string, what: string, detail = "", alias = "desk-a") => ({
  at: new Date(at(second)).toISOString(),
  type,
  subject: type === "polled" ? "bsc/exchanges" : "R|bsc/sender/A",
  what,
  detail,
  by: null,
  reason: null,
  alias,
  severity: "critical" as const,
});
type Found = ReturnType<typeof finding>;

function draftOf(newestFirst: readonly Found[], from: number, until: number): readonly string[] {
  const { tracks } = timelineOf(newestFirst, at(59));
  return postMortem(tracks, newestFirst, { from: at(from), until: at(until) }).split("\n");
}

describe("the draft of a post-mortem", () => {
  it("has in Markdown what is shown, in order, with aliases, and nothing that formats", () => {
    const newestFirst = [
      finding(12, "alert", "resolved"),
      finding(10, "alert", "firing", "*bold* <img> [x](y)"),
      finding(5, "alert", "pending"),
      finding(1, "policy", "reloaded"),
    ];
    const lines = draftOf(newestFirst, 2, 11).filter((line) => line.startsWith("- 2026"));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("R|bsc/sender/A (desk-a) pending");
    expect(lines[1]).toContain(String.raw`\*bold\* \<img\> \[x\](y)`);
  });

  it("says what fired or failed, when and for how long, and not what was only pending", () => {
    const newestFirst = [
      finding(40, "alert", "pending"),
      finding(31, "alert", "dropped"),
      finding(30, "alert", "pending"),
      finding(25, "polled", "complete"),
      finding(21, "polled", "failed"),
      finding(20, "alert", "firing"),
      finding(12, "alert", "resolved"),
      finding(10, "alert", "firing"),
      finding(5, "alert", "pending"),
      finding(4, "alert", "resolved"),
    ];
    const of = (from: number, until: number): readonly string[] =>
      draftOf(newestFirst, from, until).filter((line) => line.startsWith("- `"));
    expect(of(0, 22)).toEqual([
      "- `poller bsc/exchanges`: failed at 2026-01-31T12:00:21Z for 1s, and still at the end",
      "- `R|bsc/sender/A (desk-a)`, critical: firing since before 2026-01-31T12:00:00Z until 2026-01-31T12:00:04Z; firing at 2026-01-31T12:00:10Z for 2s; firing at 2026-01-31T12:00:20Z for 2s, and still at the end",
    ]);
    expect(of(41, 50)).toEqual([]);
  });

  it("counts what would be too long", () => {
    const newestFirst = Array.from({ length: 8 }, (_, index) => [
      finding(2 * index, "alert", "firing"),
      finding(2 * index + 1, "alert", "resolved"),
    ])
      .flat()
      .toReversed();
    const line = draftOf(newestFirst, 0, 50).find((one) => one.startsWith("- `"));
    expect(line?.split("; ")).toHaveLength(6);
    expect(line).toMatch(/; and 3 more times$/);
  });

  it("keeps on one line, and visible, what an aggregator said", () => {
    const said = finding(5, "alert", "firing", "down\n\n# All is well\n- A\u202EB");
    const draft = draftOf([said], 1, 10);
    expect(draft.filter((line) => line.startsWith("#"))).toEqual([
      expect.stringContaining("# Post-mortem"),
      "## Summary",
      "## What fired or failed",
      "## Timeline",
      "## Causes",
      "## What we do about it",
    ]);
    expect(draft.join("\n")).toContain("down # All is well - A\uFFFDB");
  });
});
