import type { Overview } from "../data/answers.ts";

/** What a hold or a silence is for; parts that are left out are not asked for. */
export type Scope = { readonly [Key in "aggregator" | "kind" | "id" | "rule"]?: string };

/**
 * Of a scope without an id, from the counts of the overview; a rule covers the kind that it judges. Undefined if the
 * overview does not count the kind, as it leaves out pollers and aggregators.
 */
export function coveredBy(
  { aggregators }: Pick<Overview, "aggregators">,
  { aggregator, kind, rule }: Scope,
  judged: string | undefined,
): number | undefined {
  // A rule that is gone judges nothing.
  if (rule !== undefined && (judged === undefined || (kind ?? judged) !== judged)) return 0;
  const wanted = kind ?? judged;
  const counts = aggregators
    .filter(({ name }) => aggregator === undefined || name === aggregator)
    .flatMap(({ kinds }) => kinds)
    .filter((count) => wanted === undefined || count.kind === wanted);
  if (wanted !== undefined && counts.length === 0) return undefined;
  return counts.reduce((sum, { total }) => sum + total, 0);
}
