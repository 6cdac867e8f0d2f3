import { suggest } from "../../config/suggest.ts";
import type { WrittenEntity } from "../../domain/entity.ts";
import { aliasIn } from "../../io/api/details/about-finding.ts";
import { entitiesAnswer } from "../../io/api/lists/entities.ts";
import type { CliContext } from "../context.ts";
import { askDaemon, withQuery, type ClientOptions } from "./client.ts";
import { written } from "./entity-name.ts";

/** As many as the daemon gives at once. */
export const MOST_ENTITIES = 1_000;

/**
 * The entity that a misspelt name probably means: its id or alias is like the name's id, and its kind is the same if the
 * name has one. `option` is the aggregator that is asked for apart from the name. Undefined if there is none.
 */
export async function meantBy(
  name: WrittenEntity,
  option: string | undefined,
  options: ClientOptions,
  context: CliContext,
): Promise<string | undefined> {
  const { aggregator = option, kind } = name;
  const path = withQuery("/api/v1/entities", { aggregator, kind, limit: String(MOST_ENTITIES) });
  const others = await askDaemon({ path }, entitiesAnswer, options, context);
  if (!others.ok) return undefined;
  const kindOf = new Map<string, string>();
  for (const row of others.value.rows)
    for (const one of [row.id, aliasIn(row)]) if (one !== undefined) kindOf.set(one, row.kind);
  const id = suggest(name.id, kindOf.keys()) ?? "";
  const meant = kindOf.get(id);
  return meant === undefined ? meant : written({ ...name, kind: meant, id });
}

/** The same as the end of a sentence; empty if there is none. */
export async function meantHint(
  name: WrittenEntity,
  option: string | undefined,
  options: ClientOptions,
  context: CliContext,
): Promise<string> {
  const meant = await meantBy(name, option, options, context);
  return meant === undefined ? "" : ` (did you mean "${meant}"?)`;
}
