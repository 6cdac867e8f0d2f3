import type { StoredFinding } from "../../journal/rows.ts";
import { alias } from "../answer-parts.ts";
import { object, type ValueOf } from "../codec.ts";
import { aboutOf, aliasOf, type Entities } from "../details/about-finding.ts";
import { findingFields, findingRowOf } from "../finding-row.ts";

/** A finding with what people call its entity. */
export const namedFinding = object({
  ...findingFields,
  alias,
});

export function namedFindingOf(
  entities: Entities,
  found: StoredFinding,
): ValueOf<typeof namedFinding> {
  return { ...findingRowOf(found), alias: aliasOf(entities, aboutOf(found.finding).entity) };
}
