import type { SuppressionReason } from "../guard.ts";

/** Time alone changes the numbers that these say. */
const TIMED: ReadonlySet<string> = new Set([
  "standby",
  "starting",
  "stale",
  "cooldown",
  "storm",
  "budget",
] satisfies readonly SuppressionReason[]);

/** If what a guard said is true only of when it began to object (`since`), and must be shown with that instant. */
export function isOfThen(said: { readonly reason: string; readonly detail: string }): boolean {
  return TIMED.has(said.reason) && /\d/.test(said.detail);
}

/** What the guard `in_flight` says of a remediation. */
export function notSettled(id: string): string {
  return `remediation ${id} of it is not settled`;
}
