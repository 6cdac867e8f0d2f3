import { suggest } from "../../../config/suggest.ts";

/** More names would not be read. */
const MOST_NAMED = 20;

/** The sentence about a name that is none: with the one that was probably meant, or those that there are. */
export function thereIsNo(what: string, name: string, known: readonly string[]): string {
  const meant = suggest(name, known);
  if (meant !== undefined) return `there is no ${what} "${name}" (did you mean "${meant}"?)`;
  const left = known.length - MOST_NAMED;
  const more = left > 0 ? ` and ${left} more` : "";
  const named = known.slice(0, MOST_NAMED).join(", ") + more;
  return `there is no ${what} "${name}" (${known.length === 0 ? "there is none" : named})`;
}
