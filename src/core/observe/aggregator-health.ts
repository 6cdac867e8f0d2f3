import { entityKey, type Entity, type Facts } from "../../domain/entity.ts";
import { SELF_SURFACE, surfaceKey } from "../../domain/observation.ts";
import { pollerKey } from "../../domain/lease.ts";
import { addEntity, touch, type Draft } from "../draft.ts";
import { learn, type Affected } from "./entity-life.ts";
import { rememberReading } from "./entity-windows.ts";

/**
 * Each aggregator is an entity of the kind `aggregator`, with what its pollers together know of it. If it is down, that
 * is one alert, however many pollers read nothing.
 */
export const AGGREGATOR_KIND = "aggregator";

/** The key of an aggregator's entity. */
export function aggregatorEntity(name: string): string {
  return entityKey({ aggregator: name, kind: AGGREGATOR_KIND, id: name });
}

/**
 * Makes sure that the aggregator has its entity. After a start, nothing is known of it before the first poll; after a
 * reload (`added`), its pollers are counted again.
 */
export function expectAggregator(
  draft: Draft,
  name: string,
  affected: Affected,
  which: "all" | "added",
): void {
  const key = aggregatorEntity(name);
  const known = draft.state.tables.entity.get(key);
  if (known === undefined) {
    const surface = surfaceKey(name, AGGREGATOR_KIND, SELF_SURFACE);
    const id = { aggregator: name, kind: AGGREGATOR_KIND, id: name };
    addEntity(draft, { ...id, surface, facts: { name }, firstSeen: draft.at, since: draft.at });
  } else if (which === "added") {
    if (known.facts["pollers"] === undefined) return;
    learn(draft, key, known, { ...known.facts, ...countPollers(draft, name) }, affected);
  } else {
    rememberReading(draft, key, known, { name });
    known.facts = { name };
    touch(draft, "entity", key);
  }
  affected.changed.add(key);
}

/** Updates the aggregator after a whole poll of `poller`, by what is then known of all pollers. */
export function noteAggregator(
  draft: Draft,
  name: string,
  poller: Readonly<Entity>,
  affected: Affected,
): void {
  const key = aggregatorEntity(name);
  const entity = draft.state.tables.entity.get(key);
  if (entity === undefined) return;
  const { up, error = "" } = poller.facts;
  const before = Number(entity.facts["consecutive_failures"] ?? 0);
  const facts: Facts = {
    name,
    ...countPollers(draft, name),
    consecutive_failures: up === true ? 0 : before + 1,
    error: up === true ? "" : error,
  };
  learn(draft, key, entity, facts, affected);
}

function countPollers(draft: Draft, name: string): Facts {
  const pollers = draft.policy.aggregators.find((one) => one.name === name)?.pollers ?? [];
  const failing = pollers.filter((poller) => {
    return draft.state.tables.entity.get(pollerKey(name, poller))?.facts["up"] === false;
  });
  return { pollers: pollers.length, failing_pollers: failing.length };
}
