import { entityKey, type EntityId } from "../../domain/entity.ts";
import type { Instant } from "../../domain/time.ts";
import { ago } from "../../io/page/parts.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import type { proposalAnswer } from "../../io/api/status-rows.ts";
import { aliasIn } from "../../io/api/details/about-finding.ts";

/** The key of an entity, with the alias that people gave it. */
export function entityName(entity: EntityId, alias: string | undefined): string {
  return entityKey(entity) + (alias === undefined ? "" : ` (${alias})`);
}

/** The same of what a proposal is about: its alias is among the facts that an approval is for. */
export function proposedName({
  entity,
  facts,
}: Pick<ValueOf<typeof proposalAnswer>, "entity" | "facts">): string {
  return entityName(entity, aliasIn({ id: entity.id, facts }));
}

/** When a proposal ends: a denial lasts as long as its alert. */
export function proposalEnds(
  { state, expiresAt }: Pick<ValueOf<typeof proposalAnswer>, "state" | "expiresAt">,
  at: Instant,
): string {
  return state === "denied" ? "with its alert" : ago(at, expiresAt);
}

/** A kind, or an entity, with the aggregator if the text names it. */
export type Target = Partial<EntityId>;

/** A target as text: `exchange`, `exchange/BINANCE` or `bsc/exchange/BINANCE`. */
export function written({ aggregator, kind, id }: Target): string {
  return [aggregator, kind, id].filter((part) => part !== undefined).join("/");
}
