/**
 * The list of guards (src/core/act/guards/index.ts) declares their reasons here: this floor cannot import it, and the
 * words are one closed list all the same, in journal, metric label, page and docs.
 */
export interface Guards {}

/** A reason not to send a remediation: the name of the guard that objects. */
export type SuppressionReason = Guards["reason"];
