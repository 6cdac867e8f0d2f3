import { suggest } from "../../../config/suggest.ts";

/** A person would not read more names. */
const MOST_NAMED = 20;

/** The sentence about an unknown name, with the name that was probably meant, or the known names. */
export function thereIsNo(what: string, name: string, known: readonly string[]): string {
  const meant = suggest(name, known);
  if (meant !== undefined) return `there is no ${what} "${name}" (did you mean "${meant}"?)`;
  const left = known.length - MOST_NAMED;
  const more = left > 0 ? ` and ${left} more` : "";
  const named = known.slice(0, MOST_NAMED).join(", ") + more;
  return `there is no ${what} "${name}" (${known.length === 0 ? "there is none" : named})`;
}
