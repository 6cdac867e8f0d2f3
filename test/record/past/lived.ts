import { isOfWatching } from "../../../src/core/observe/poller-health.ts";
import type { Entity, Facts } from "../../../src/domain/entity.ts";
import type { Instant } from "../../../src/domain/time.ts";
import { packPage, type PackedPage } from "../../../src/io/journal/record-pages.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { eventful, type Happening } from "../../backtest/eventful.ts";
import type { World } from "../../core/world.ts";

/** An entity as it was known. */
export type KnownEntity = Pick<Entity, "facts" | "since" | "firstSeen"> & {
  readonly key: string;
  readonly unknownSince: Instant | undefined;
  readonly parent: Entity["parent"] | undefined;
};

/**
 * What was known then, except for what follows from more than was read. A process that starts again knows nothing since the
 * last commit of the one before, of which the record has only about when that was.
 */
function entitiesOf(
  entities: ReadonlyMap<string, Readonly<Entity>>,
  startedAgain: boolean,
): KnownEntity[] {
  return [...entities]
    .filter(([, { kind }]) => isOfWatching(kind) || kinds.get(kind)?.derived !== true)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { facts: all, since, firstSeen, unknownSince, parent }]) => ({
      key,
      facts: withoutRules(all),
      since,
      firstSeen,
      unknownSince: startedAgain && unknownSince !== undefined ? 0 : unknownSince,
      parent,
    }));
}

/** What rules could not decide is not kept. */
function withoutRules({ undecided: _undecided, undecided_ratio: _ratio, ...facts }: Facts): Facts {
  return facts;
}

/** Each instant at which something had happened, with what was known, and the record of it all. */
export function lived(happenings: readonly Happening[]) {
  const known = new Map<Instant, readonly KnownEntity[]>();
  const startedAgain = happenings.some(({ what }) => what === "restarts");
  const shown = (entities: ReadonlyMap<string, Readonly<Entity>>): KnownEntity[] =>
    structuredClone(entitiesOf(entities, startedAgain));
  const after = (world: World): void => {
    // Nothing else happens at this instant.
    world.passes("2ms");
    known.set(world.now, shown(world.state.tables.entity));
    world.passes("2ms");
  };
  const { pages } = eventful(happenings, [], {}, after);
  const packed = pages().map(({ seq, at, until, whole, body }): PackedPage => ({
    seq,
    at,
    until,
    whole: whole ? 1 : 0,
    body: packPage(body),
  }));
  return { known, packed, shown };
}
