import {
  entityKey,
  parseEntityKey,
  type Entity,
  type EntityId,
  type Facts,
} from "../../domain/entity.ts";
import { parseSurfaceKey, SELF_SURFACE, surfaceKey } from "../../domain/observation.ts";
import { addEntity, put, remove, touch, type Draft } from "../draft.ts";
import type { Baseline } from "../state.ts";
import { rememberReading } from "./entity-windows.ts";

/** How many durations the percentiles are computed from. */
export const MOST_DURATIONS = 200;
/** The most groups of an aggregator; bounded, as its answers name them. */
export const MOST_GROUPS = 200;

/** Adds a duration to the baseline if these facts end an entity that was surely known until now. */
export function noteDuration(
  draft: Draft,
  entity: Entity,
  facts: Facts,
  changed: Set<string>,
): void {
  // It may have ended at any time during a gap.
  if (entity.unknownSince !== undefined) return;
  const { took } = draft.policy.kinds.get(entity.kind) ?? {};
  const done = took?.(entity.facts, facts, draft.at);
  if (done === undefined) return;
  const { aggregator } = entity;
  const id = { aggregator, kind: done.into, id: done.group };
  const key = entityKey(id);
  const { baseline: baselines } = draft.state.tables;
  const known = baselines.get(key);
  if (known === undefined && countGroups(baselines, aggregator) >= MOST_GROUPS) return;
  const baseline: Baseline = known ?? { durationsMs: [], lastAt: draft.at };
  baseline.durationsMs.push(done.tookMs);
  if (baseline.durationsMs.length > MOST_DURATIONS) baseline.durationsMs.shift();
  baseline.lastAt = draft.at;
  put(draft, "baseline", key, baseline);
  updateEntity(draft, id, baseline, entity.surface);
  changed.add(key);
  draft.findings.push({ type: "took", entity: id, tookMs: done.tookMs });
}

function countGroups(baselines: ReadonlyMap<string, Baseline>, aggregator: string): number {
  return [...baselines.keys()].filter((key) => parseEntityKey(key).aggregator === aggregator)
    .length;
}

/** Forgets what is usual of aggregators that are not configured any more. */
export function forgetBaselines(draft: Draft, watched: ReadonlySet<string>): void {
  for (const key of draft.state.tables.baseline.keys()) {
    if (!watched.has(parseEntityKey(key).aggregator)) remove(draft, "baseline", key);
  }
}

function updateEntity(
  draft: Draft,
  id: EntityId,
  { durationsMs, lastAt }: Baseline,
  from: string,
): void {
  const key = entityKey(id);
  const sorted = durationsMs.toSorted((one, other) => one - other);
  const facts = {
    name: id.id,
    finished: sorted.length,
    p50: percentile(sorted, 0.5) / 1_000,
    p99: percentile(sorted, 0.99) / 1_000,
    longest: (sorted.at(-1) ?? 0) / 1_000,
    last_finished: lastAt,
  };
  const known = draft.state.tables.entity.get(key);
  if (known === undefined) {
    const surface = surfaceKey(id.aggregator, parseSurfaceKey(from).poller, SELF_SURFACE);
    const entity = { ...id, surface, facts, firstSeen: draft.at, since: draft.at };
    rememberReading(draft, key, entity, facts);
    addEntity(draft, entity);
  } else {
    rememberReading(draft, key, known, facts);
    known.facts = facts;
    touch(draft, "entity", key);
  }
}

/** By the nearest-rank method: always one of the durations. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
