import { POLLER_KIND } from "../../domain/lease.ts";
import type { Entity } from "../../domain/entity.ts";
import type { EntityLimits } from "../../domain/limits.ts";
import type { Instant } from "../../domain/time.ts";
import type { PastPolls, PollHistory } from "../../io/api/lists/poll-history.ts";
import type { EntityPast, EntitySpan } from "../../io/api/past/entity-past.ts";
import type { EntitiesThen } from "../../io/api/past/moment.ts";
import type { PackedPage } from "../../io/journal/record-pages.ts";

/** The messages between the main thread and the one that reads the past. */

export type ThreadRequest =
  | { readonly type: "pages"; readonly pages: readonly PackedPage[] }
  | { readonly type: "replay"; readonly at: Instant; readonly limits: EntityLimits }
  | ({ readonly type: "entity"; readonly limits: EntityLimits } & EntitySpan);

export type ThreadReply =
  | { readonly type: "entities"; readonly entities: readonly Entity[] }
  | ({ readonly type: "polls" } & PollsOf)
  | ({
      readonly type: "end";
    } & Pick<EntitiesThen, "aggregators" | "since" | "gap" | "inForce" | "notKept">)
  | { readonly type: "entity"; readonly past: EntityPast }
  | { readonly type: "nothing" };

type PollsOf = {
  readonly aggregator: string;
  readonly poller: string;
  readonly polls: PastPolls;
};

/** Of each poller, how its polls went. */
export function* pastPolls(
  entities: Iterable<Entity>,
  polls: Pick<PollHistory, "of">,
): Generator<PollsOf> {
  for (const { kind, aggregator, id } of entities)
    if (kind === POLLER_KIND) yield { aggregator, poller: id, polls: polls.of(aggregator, id) };
}
