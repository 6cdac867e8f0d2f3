/**
 * The reasons not to send a remediation, in the order in which the guards are asked: the first that
 * objects names the reason. The end of a cooldown changes nothing if the attempts are used up, so
 * these come before it. The same words are used in journal, metric label, page and docs.
 */
export const SUPPRESSION_REASONS = [
  "killed",
  "standby",
  "held",
  "starting",
  "stale",
  "in_flight",
  "quarantined",
  "attempts",
  "cooldown",
  "storm",
  "budget",
  "condition",
  "approval",
  "shadow",
  "under_way",
] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];
