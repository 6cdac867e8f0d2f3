import type { EntityId } from "../../../domain/entity.ts";
import { fail, type Result } from "../../../domain/result.ts";
import type { Refusal } from "../past/kept.ts";
import type { KnownNames } from "../server-source.ts";
import { thereIsNo } from "./there-is-no.ts";

/** A misspelt name would find nothing, and an empty list would look as if all is well. */

/** The filters of a list that name something; `entity` begins with a kind, or with an aggregator. */
type NameFilters = Readonly<
  Partial<Record<"aggregator" | "kind" | "alertname" | "entity", string | undefined>>
>;

/** An item of a list: its rule, if it has one, and its entity. */
export type Named = {
  readonly rule?: string;
  readonly entity: Pick<EntityId, "aggregator" | "kind">;
};

/**
 * Refuses a query with a name that is neither known now nor in the list: a list of the past may have a rule that is
 * gone. Undefined if all names are known.
 */
export function refuseUnknown(
  filters: NameFilters,
  names: () => KnownNames,
  all: () => Iterable<Named>,
): Result<never, Refusal> | undefined {
  if (FILTERS.every(([filter]) => filters[filter] === undefined)) return undefined;
  const known = names();
  const problems = FILTERS.flatMap(([filter, what, among]) => {
    const parts = filter === "entity" ? filters.entity?.split("/") : [filters[filter]];
    const [name, next] = parts ?? [];
    if (name === undefined || among.some((one) => known[one].includes(name))) return [];
    for (const { rule, entity } of all())
      if (among.some((one) => (one === "rule" ? rule : entity[one]) === name)) return [];
    // Before a kind comes an aggregator.
    const meant = next !== undefined && known.kind.includes(next) ? "aggregator" : what;
    return [`${filter}: ${thereIsNo(meant, name, known[meant])}`];
  });
  return problems.length === 0 ? undefined : fail({ status: 400, problems });
}

/** Each filter, the type of its name, and the types among which the name may be. */
const FILTERS = [
  ["aggregator", "aggregator", ["aggregator"]],
  ["kind", "kind", ["kind"]],
  ["alertname", "rule", ["rule"]],
  ["entity", "kind", ["kind", "aggregator"]],
] as const;
