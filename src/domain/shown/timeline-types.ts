import type { Finding } from "../finding.ts";

/** What a timeline shows if it is not asked for types: what people and the watchdog did, not what was seen. */
export const USUAL_TYPES = [
  "polled",
  "alert",
  "suppressed",
  "proposed",
  "withdrawn",
  "unconfirmed",
  "remediation",
  "command",
  "policy",
  "kill",
  "hold",
  "quarantine",
  "storm",
] as const satisfies ReadonlyArray<Finding["type"]>;

const OTHERS = ["entity", "left_out", "took", "watch", "muted", "notified"] as const;

/** All that a timeline can be asked for; restarts are shown as findings, too. */
export const TIMELINE_TYPES = [...USUAL_TYPES, ...OTHERS, "restart"] as const;
