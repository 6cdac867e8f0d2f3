import type { Remediation } from "../../domain/remediation.ts";

/** Why a remediation ended, in words that people read. */

export const UNSENT = "not sent: the journal could not be written";

/** In characters. Answers are up to twice as long, and this is quoted in notifications. */
const LONGEST_DOUBT = 200;

/** Adds the answer, or the lack of one, that left it in doubt: it may say why nothing was seen. */
export function withDoubt({ state, detail: doubt }: Remediation, detail: string): string {
  if (state !== "in_doubt") return detail;
  const cut = doubt.length <= LONGEST_DOUBT ? doubt : `${doubt.slice(0, LONGEST_DOUBT)}…`;
  return `${detail}; it was in doubt: ${cut}`;
}
