import { entityKey, type Entity, type Facts } from "../../domain/entity.ts";
import { SELF_SURFACE, surfaceKey } from "../../domain/observation.ts";
import { addEntity, touch, type Draft } from "../draft.ts";
import { learn, type Affected } from "./entity-life.ts";
import { rememberReading } from "./entity-windows.ts";

/**
 * Each aggregator is an entity of the kind `aggregator`: what its pollers together know of it, so that one that is down
 * is one alert, however many pollers read nothing.
 */
export const AGGREGATOR_KIND = "aggregator";

/** The key of an aggregator's entity. */
export function aggregatorEntity(name: string): string {
  return entityKey({ aggregator: name, kind: AGGREGATOR_KIND, id: name });
}

/** Makes sure that it has its entity. After a start, all that is remembered of it is its last success. */
export function expectAggregator(draft: Draft, name: string, affected: Affected): void {
  const key = aggregatorEntity(name);
  const known = draft.state.tables.entity.get(key);
  affected.changed.add(key);
  if (known === undefined) {
    const surface = surfaceKey(name, AGGREGATOR_KIND, SELF_SURFACE);
    const id = { aggregator: name, kind: AGGREGATOR_KIND, id: name };
    addEntity(draft, { ...id, surface, facts: { name }, firstSeen: draft.at, since: draft.at });
    return;
  }
  const lastSuccess = known.facts["last_success"];
  const facts = { name, ...(lastSuccess === undefined ? {} : { last_success: lastSuccess }) };
  rememberReading(draft, key, known, facts);
  known.facts = facts;
  touch(draft, "entity", key);
}

/** Updates it after a whole poll of `poller`, by what is known of all pollers then. */
export function noteAggregator(
  draft: Draft,
  name: string,
  poller: Readonly<Entity>,
  affected: Affected,
): void {
  const key = aggregatorEntity(name);
  const entity = draft.state.tables.entity.get(key);
  if (entity === undefined) return;
  const { up, last_success: lastSuccess } = poller.facts;
  const before = Number(entity.facts["consecutive_failures"] ?? 0);
  const facts: Facts = {
    ...entity.facts,
    ...countPollers(draft, name),
    consecutive_failures: up === true ? 0 : before + 1,
    error: up === true ? "" : (poller.facts["error"] ?? ""),
    ...(up === true && lastSuccess !== undefined ? { last_success: lastSuccess } : {}),
  };
  learn(draft, key, entity, facts, affected);
}

function countPollers(draft: Draft, name: string): Facts {
  const pollers = draft.policy.aggregators.find((one) => one.name === name)?.pollers ?? [];
  const failing = pollers.filter(({ name: id }) => {
    const key = entityKey({ aggregator: name, kind: "poller", id });
    return draft.state.tables.entity.get(key)?.facts["up"] === false;
  });
  return { pollers: pollers.length, failing_pollers: failing.length };
}
