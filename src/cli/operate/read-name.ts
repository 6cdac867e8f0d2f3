import { readWrittenEntity, type WrittenEntity } from "../../domain/entity.ts";
import type { Result } from "../../domain/result.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import type { entitiesAnswer } from "../../io/api/lists/entities.ts";
import { kinds } from "../../pollers/kinds.ts";

/** Reads the parts of the name that a person gives to an entity. */

/** An id may hold a slash, as that of a pool does; what is before it is then no kind. */
export async function asIdAlone(
  read: WrittenEntity,
  ask: (id: string) => Promise<Result<ValueOf<typeof entitiesAnswer>, unknown>>,
): Promise<WrittenEntity> {
  const { kind, ...named } = read;
  if (kind === undefined || kinds.has(kind)) return read;
  const id = `${kind}/${read.id}`;
  const found = await ask(id);
  return found.ok && found.value.rows.some((row) => row.id === id) ? { ...named, id } : read;
}

/** What the words of a name are. The daemon knows its aggregators, but is asked only if the kinds leave that open. */
export async function namedBy(
  text: string,
  isAggregator: (name: string) => Promise<boolean>,
): Promise<WrittenEntity> {
  const [first = "", second] = text.split("/");
  const isOpen = second !== undefined && kinds.has(first) === kinds.has(second);
  const aggregator = isOpen && (await isAggregator(first)) ? [first] : [];
  return readWrittenEntity(text, { aggregator, kind: [...kinds.keys()] });
}
