import type { Entity, Facts, WindowSeries } from "../../domain/entity.ts";
import type { FactBound, Rule, WindowSpec } from "../../domain/rule.ts";
import { touch, type Draft } from "../draft.ts";
import type { Instant } from "../../domain/time.ts";
import { beginSeries, extendSeries, seriesKey } from "./window.ts";
import { windowBound } from "./window-bound.ts";
import { nextWindowChange, windowValue } from "./window-value.ts";

/** The windows of an entity: they live in its row, so they survive restarts and end with it. */

/**
 * Adds a reading to the entity's windows. Call it before the entity itself is changed, as the time for
 * which it was unknown is lost to the windows. True if anything changed: a value that stays the same
 * changes nothing, and no row is written for it.
 */
export function rememberReading(draft: Draft, key: string, entity: Entity, read: Facts): boolean {
  const specs = draft.policy.windowsByKind.get(entity.kind);
  if (specs === undefined) {
    if (entity.windows === undefined) return false;
    delete entity.windows;
    touch(draft, "entity", key);
    return true;
  }
  const windows = entity.windows ?? {};
  let changed = false;
  let kept = 0;
  for (const spec of specs) {
    const name = seriesKey(spec);
    const series = windows[name];
    const value = read[spec.fact];
    if (series !== undefined) {
      kept += 1;
      changed = extendSeries(series, spec, value, entity.unknownSince, draft.at) || changed;
    } else if (value !== undefined) {
      windows[name] = beginSeries(value, draft.at);
      kept += 1;
      changed = true;
    }
  }
  if (Object.keys(windows).length > kept) {
    entity.windows = onlyThose(windows, specs);
    changed = true;
  } else if (kept > 0) entity.windows = windows;
  if (changed) touch(draft, "entity", key);
  return changed;
}

/** Forgets windows that no rule names any more. */
function onlyThose(
  windows: Readonly<Record<string, WindowSeries>>,
  specs: readonly WindowSpec[],
): Record<string, WindowSeries> {
  const named = new Set(specs.map(seriesKey));
  return Object.fromEntries(Object.entries(windows).filter(([name]) => named.has(name)));
}

/** The windowed facts of a rule that are known of an entity at an instant. */
export function windowedFacts(rule: Pick<Rule, "windows">, entity: Entity, now: Instant): Facts {
  const facts: Record<string, number> = {};
  if (entity.unknownSince !== undefined) return facts;
  for (const spec of rule.windows) {
    const value = windowValue(spec, entity.windows?.[seriesKey(spec)], now);
    if (value !== undefined) facts[spec.name] = value;
  }
  return facts;
}

/** What is sure of the rule's windowed facts that are not `known`. */
export function windowBounds(
  rule: Pick<Rule, "windows">,
  entity: Entity,
  now: Instant,
  known: Facts,
): Readonly<Record<string, FactBound>> {
  const bounds: Record<string, FactBound> = {};
  if (entity.unknownSince !== undefined) return bounds;
  for (const spec of rule.windows) {
    if (known[spec.name] !== undefined) continue;
    const bound = windowBound(spec, entity.windows?.[seriesKey(spec)], now);
    if (bound !== undefined) bounds[spec.name] = bound;
  }
  return bounds;
}

/** When time alone next changes one of the rule's windowed facts; `now`: all the time. */
export function windowsMoveAt(rule: Pick<Rule, "windows">, entity: Entity, now: Instant): Instant {
  let next = Infinity;
  for (const spec of rule.windows) {
    next = Math.min(next, nextWindowChange(spec, entity.windows?.[seriesKey(spec)], now));
  }
  return next;
}

/** What the windows of all rules remember of each kind; windows that share a series are one. */
export function indexWindows(rules: readonly Rule[]): ReadonlyMap<string, readonly WindowSpec[]> {
  const byKind = new Map<string, Map<string, WindowSpec>>();
  for (const { kind, windows } of rules) {
    if (windows.length === 0) continue;
    const series = byKind.get(kind) ?? new Map<string, WindowSpec>();
    byKind.set(kind, series);
    for (const spec of windows) series.set(seriesKey(spec), spec);
  }
  return new Map([...byKind].map(([kind, series]) => [kind, [...series.values()]]));
}
