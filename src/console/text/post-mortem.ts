import { readable } from "../../domain/shown/lookalike.ts";
import { subjectOf, textOf, type Happening } from "./timeline.ts";

/** A draft of a post-mortem: what happened, in order, for people to write between the lines. */
export function postMortem(
  findings: readonly Happening[],
  shown: { from: number; until: number },
): string {
  const instant = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
  const own = findings
    .filter(({ at }) => Date.parse(at) >= shown.from && Date.parse(at) <= shown.until)
    .toReversed();
  const alerts = new Set(own.filter(({ type }) => type === "alert").map(subjectOf));
  return [
    `# Post-mortem: ${instant(shown.from)} to ${instant(shown.until)}`,
    "",
    "## Summary",
    "",
    "What happened, whom it hit, and for how long: …",
    "",
    "## Alerts",
    "",
    ...[...alerts].map((alert) => `- \`${plain(alert).replaceAll("`", "'")}\``),
    "",
    "## Timeline",
    "",
    ...own.map((one) => {
      const said = plain(textOf({ ...one, subject: subjectOf(one) }));
      return `- ${one.at} ${said.replaceAll(/[\\`*_[\]<>]/g, String.raw`\$&`)}`;
    }),
    "",
    "## Causes",
    "",
    "…",
    "",
    "## What we do about it",
    "",
    "- [ ] …",
    "",
  ].join("\n");
}

/** As a person may read it, on one line: what an aggregator said must not become a heading or an item of its own. */
function plain(text: string): string {
  return readable(text).replaceAll(/\s+/g, " ");
}
