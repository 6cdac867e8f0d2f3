/**
 * Guard: why a remediation was not sent. The list is closed and ordered: the first that objects
 * names the reason, and the same words stand in journal, metric label, page and docs.
 */
export const SUPPRESSION_REASONS = [
  "killed",
  "held",
  "starting",
  "stale",
  "in_flight",
  "quarantined",
  "cooldown",
  "attempts",
  "storm",
  "budget",
  "condition",
  "approval",
  "shadow",
] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];
