import { entityKey } from "../../domain/entity.ts";
import { pollOutcome } from "../../domain/observation.ts";
import { formatDuration, formatInstant, type Instant } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";
import { stepChecker, type Step } from "./acts.ts";
import type { Readings } from "./readings.ts";

/**
 * A poller that has read nothing for longer than `stale_after` is said to be stale, and what it knows is
 * unknown: asked at every tick.
 */
export function checkStaleness(readings: Readings): Checker {
  /** When the newest poll of a poller that read something was asked. */
  const successAt = new Map<string, Instant>();

  function note({ event }: Step): void {
    if (event.type !== "observed" || event.observation.origin !== "poll") return;
    const { aggregator, poller, parts } = event.observation;
    if (parts.length === 0 || pollOutcome(parts) === "failed") return;
    const askedAt = Math.min(...parts.map((part) => part.askedAt));
    const key = entityKey({ aggregator, kind: "poller", id: poller });
    successAt.set(key, Math.max(askedAt, successAt.get(key) ?? askedAt));
  }

  return stepChecker("5 staleness", (step) => {
    note(step);
    if (step.event.type !== "tick") return [];
    const { state, stampedAt: at } = step;
    const found: string[] = [];
    for (const { name, pollers } of step.policy.aggregators) {
      for (const { name: poller, staleAfterMs } of pollers) {
        const key = entityKey({ aggregator: name, kind: "poller", id: poller });
        const row = state.tables.entity.get(key);
        if (row === undefined) {
          found.push(`the poller ${key} is in no table at ${formatInstant(at)}`);
          continue;
        }
        const since = Math.max(successAt.get(key) ?? 0, readings.startedAt, row.firstSeen);
        if (at - since <= staleAfterMs) continue;
        const age = `${formatDuration(at - since)} after its last success (stale_after is ${formatDuration(staleAfterMs)})`;
        if (row.facts["stale"] !== true) found.push(`the poller ${key} is not stale ${age}`);
        found.push(...knownStill(step, readings, `${name}/${poller}/`, staleAfterMs, age));
      }
    }
    return found;
  });
}

/** Entities of which something is said to be known, though their surface was read too long ago. */
function knownStill(
  { state, stampedAt: at }: Step,
  readings: Readings,
  prefix: string,
  staleAfterMs: number,
  age: string,
): string[] {
  const found: string[] = [];
  for (const [surface, keys] of state.entitiesBySurface) {
    if (!surface.startsWith(prefix)) continue;
    const askedAt = readings.surface(surface)?.askedAt;
    if (askedAt === undefined || at - askedAt <= staleAfterMs) continue;
    for (const key of keys) {
      const row = state.tables.entity.get(key);
      if (row === undefined || row.kind === "poller" || row.unknownSince !== undefined) continue;
      found.push(`${key} is taken for known at ${formatInstant(at)}, ${age}`);
    }
  }
  return found;
}
