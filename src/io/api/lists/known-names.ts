import { suggest } from "../../../config/suggest.ts";
import type { EntityId } from "../../../domain/entity.ts";
import { fail, type Result } from "../../../domain/result.ts";
import type { Refusal } from "../past/read-route.ts";
import type { KnownNames } from "../server-source.ts";

/** A misspelt name would find nothing, and an empty list would say that all is well. */

/** More are not told, as nobody reads them. */
const MOST_TOLD = 20;

/** The sentence about a name that is none: with the one that was probably meant, or those that there are. */
export function thereIsNo(what: keyof KnownNames, name: string, known: readonly string[]): string {
  const meant = suggest(name, known);
  if (meant !== undefined) return `there is no ${what} "${name}" (did you mean "${meant}"?)`;
  const left = known.length - MOST_TOLD;
  const more = left > 0 ? ` and ${left} more` : "";
  const told = known.slice(0, MOST_TOLD).join(", ") + more;
  return `there is no ${what} "${name}" (${known.length === 0 ? "there is none" : told})`;
}

/** The filters of a list that name something. */
type NameFilters = Readonly<
  Partial<Record<"aggregator" | "kind" | "alertname", string | undefined>>
>;

/** What a list has, whatever its filters: of this rule, and on this entity. */
export type Named = {
  readonly rule?: string;
  readonly entity: Pick<EntityId, "aggregator" | "kind">;
};

/**
 * Refuses a query by a name that is known now neither as such nor by what the list has: a rule may be gone, and the
 * list be of the time when there was one. Undefined if all are known.
 */
export function refuseUnknown(
  { aggregator, kind, alertname }: NameFilters,
  names: () => KnownNames,
  all: () => Iterable<Named>,
): Result<never, Refusal> | undefined {
  const asked = { aggregator, kind, rule: alertname };
  if (Object.values(asked).every((name) => name === undefined)) return undefined;
  const known = names();
  const problems = (["aggregator", "kind", "rule"] as const).flatMap((what) => {
    const name = asked[what];
    if (name === undefined || known[what].includes(name)) return [];
    for (const { rule, entity } of all())
      if ((what === "rule" ? rule : entity[what]) === name) return [];
    const filter = what === "rule" ? "alertname" : what;
    return [`${filter}: ${thereIsNo(what, name, known[what])}`];
  });
  return problems.length === 0 ? undefined : fail({ status: 400, problems });
}
