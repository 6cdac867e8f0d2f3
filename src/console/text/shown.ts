import { unmasked } from "../../domain/lookalike.ts";

/**
 * Characters that are invisible, or change how the text after them is shown: controls, and marks of the writing
 * direction. An aggregator's text must not make the console say something else.
 */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}]/gu;

/** A text as a person may read it. */
export function shown(text: string): string {
  return /^[ -~\n]*$/.test(text) ? text : unmasked(text.replace(INVISIBLE, "\ufffd"));
}
