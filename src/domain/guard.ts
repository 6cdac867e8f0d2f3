/**
 * The reasons not to send a remediation, in the order in which the guards are asked: the first that
 * objects names the reason. The same words are used in journal, metric label, page and docs.
 */
export const SUPPRESSION_REASONS = [
  "killed",
  "standby",
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
