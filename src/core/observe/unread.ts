import type { Entity } from "../../domain/entity.ts";
import { parseSurfaceKey, SELF_SURFACE } from "../../domain/observation.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import type { Instant } from "../../domain/time.ts";
import { put, remove, touch, type Draft } from "../draft.ts";
import { keysOf, setUnknown } from "../entity-index.ts";
import type { State } from "../state.ts";
import { countEntityChange } from "./revisions.ts";

/**
 * A surface is unread from a start of the process until its first reading, and all that it lists is unknown. One row for
 * each surface, and not for each entity, says since when, so that a start does not write the whole journal again. An
 * entity that was unknown before says so in its own row.
 */

/** Makes the entity unknown from `since` on, like all that its surface lists. */
export function becomeUnread(draft: Draft, key: string, entity: Entity, since: Instant): void {
  const { state } = draft;
  setUnknown(state, entity, since);
  const known = state.tables.unread.get(entity.surface);
  const isNew = known === undefined && isReadFromOutside(entity);
  if (isNew) put(draft, "unread", entity.surface, { since });
  if (isNew || known?.since === since) countEntityChange(state, key);
  else touch(draft, "entity", key);
}

/** Since when an aggregator must have been read for it to count, as a phrase. */
export function readableSince({ moved }: Pick<State, "moved">, aggregator: string): string {
  return moved.has(aggregator) ? "base_url was changed" : "the start";
}

/** Whether a reading can make the surface known: what aggwatch says of itself is never read. */
function isReadFromOutside({ surface }: Entity): boolean {
  return parseSurfaceKey(surface).surface !== SELF_SURFACE;
}

/** Ends the row of a surface that is read. Entities of it that stay unknown say so in their own rows from now on. */
export function* endUnread(draft: Draft, surface: string): Slices {
  if (!remove(draft, "unread", surface)) return;
  yield* eachInSlices(keysOf(draft, surface), (key) => touch(draft, "entity", key));
}

/** Drops rows without entities: the limits may have left out all that a surface listed. */
export function forgetUnreadWithoutEntities(draft: Draft): void {
  const { tables, entitiesBySurface } = draft.state;
  for (const surface of tables.unread.keys())
    if (!entitiesBySurface.has(surface)) remove(draft, "unread", surface);
}

/** What the rows of the journal mean for an indexed entity. */
export function restoreUnread(state: State, entity: Entity): void {
  const unread = state.tables.unread.get(entity.surface);
  if (unread !== undefined) setUnknown(state, entity, entity.unknownSince ?? unread.since);
}

/** Whether the state was made of rows by a process that only shows them: it has read nothing, and never began. */
export function isOfRows({ startedAt }: Pick<State, "startedAt">): boolean {
  return startedAt === -Infinity;
}
