import { entityKey, type Entity } from "../../domain/entity.ts";
import { covers } from "../../domain/hold.ts";
import type { Part } from "../../domain/observation.ts";
import { isSettled } from "../../domain/remediation.ts";
import type { Policy } from "../../domain/step.ts";
import { OWN_KINDS } from "../../pollers/kinds.ts";
import type { State } from "../../core/state.ts";
import type { Step } from "../run-event.ts";

/** How many entities there may be, by the settings alone. */

/** How many entities of one kind an aggregator may have. */
export function mostEntities({ limits, aggregators }: Policy, aggregator: string): number {
  const own = aggregators.find(({ name }) => name === aggregator);
  const entries = Math.max(0, ...(own?.pollers ?? []).map(({ surfaces }) => surfaces?.size ?? 0));
  return Math.max(limits.entities, limits.entitiesPerEntry * entries);
}

/** Whether the limits count a kind: not derived kinds, nor the core's own of pollers, aggregators and repairs. */
export function isCounted({ kinds }: Policy, { kind }: Pick<Entity, "kind">): boolean {
  return !OWN_KINDS.has(kind) && kinds.get(kind)?.derived !== true;
}

/** Whether a complete listing lacked the entity, and its kind keeps absent entities. */
export function hasVanished({ kinds }: Policy, { kind, facts }: Entity): boolean {
  const absent = kinds.get(kind)?.whenAbsent ?? "gone";
  return absent !== "gone" && facts["status"] === absent["status"];
}

/** By aggregator and kind. */
export function entityGroups({ tables }: State): ReadonlyMap<string, readonly Entity[]> {
  return Map.groupBy(tables.entity.values(), groupOf);
}

export function groupOf({ aggregator, kind }: Pick<Entity, "aggregator" | "kind">): string {
  return `${aggregator} ${kind}`;
}

/** Whether the listing alone holds more entities of a kind than allowed, and some are not remembered. */
export function holdsTooMany(
  { policy, state }: Pick<Step, "policy" | "state">,
  aggregator: string,
  { reading }: Part,
): boolean {
  if (!reading.ok) return false;
  const most = mostEntities(policy, aggregator);
  return [...Map.groupBy(reading.entities, ({ kind }) => kind)].some(
    ([kind, those]) =>
      those.length > most &&
      those.some(({ id }) => !state.tables.entity.has(entityKey({ aggregator, kind, id }))),
  );
}

/** Whether the entity is quarantined, named by a hold, or has an unsettled remediation. */
export function isNeeded({ tables }: State, entity: Entity): boolean {
  const key = entityKey(entity);
  if (tables.quarantine.has(key)) return true;
  const holds = [...tables.hold.values()].filter(({ scope }) => scope.id !== undefined);
  if (holds.some(({ scope }) => covers(scope, scope.rule ?? "", entity))) return true;
  return [...tables.remediation.values()].some(
    (one) => !isSettled(one) && entityKey(one.entity) === key,
  );
}

/** The keys of entities with an alert that was, or is about to be, notified as firing. */
export function toldToFire({ tables }: State): ReadonlySet<string> {
  const news = [...tables.notification.values()].map((row) => row.waiting?.news ?? row.told?.news);
  return new Set(
    news.flatMap((one) =>
      one?.type === "alert" && one.state === "firing" ? [entityKey(one.entity)] : [],
    ),
  );
}
