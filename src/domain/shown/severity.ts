/** From the least severe. A rule may name another: it counts as the last, since in doubt people are notified. */
export const SEVERITIES = ["info", "warning", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a rule's severity counts as. */
export function severityOf(word: string): Severity {
  return SEVERITIES.find((severity) => severity === word) ?? "critical";
}

/** Its place in `SEVERITIES`: the more severe, the higher. */
export function severityRank(word: string): number {
  return SEVERITIES.indexOf(severityOf(word));
}
