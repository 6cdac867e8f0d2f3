import type { State } from "../core/state.ts";
import { parseAlertKey } from "../domain/alert.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { AggregatorTruth } from "./run-event.ts";

/** An alert, and how long its entity was truly bad before it fired. */
export type Detection = {
  readonly entity: string;
  readonly rule: string;
  readonly delayMs: Millis;
};

/** Compares the entities that are truly bad with the alerts, and keeps the slowest detection. */
export function createDetection(): {
  readonly compare: (
    at: Instant,
    truths: readonly AggregatorTruth[],
    state: State | undefined,
  ) => void;
  readonly worst: () => Detection | undefined;
} {
  const badSince = new Map<string, Instant>();
  const detected = new Set<string>();
  let worst: Detection | undefined;
  return {
    compare: (at, truths, state) => {
      const bad = new Set(truths.flatMap(badIn));
      for (const key of badSince.keys()) if (!bad.has(key)) badSince.delete(key);
      for (const key of detected) if (!bad.has(key)) detected.delete(key);
      for (const key of bad) if (!badSince.has(key)) badSince.set(key, at);
      if (state === undefined) return;
      for (const alert of state.firing) {
        const { rule, entity } = parseAlertKey(alert);
        const since = badSince.get(entity);
        if (since === undefined || detected.has(entity)) continue;
        detected.add(entity);
        const delayMs = at - since;
        if (delayMs > (worst?.delayMs ?? -1)) worst = { entity, rule, delayMs };
      }
    },
    worst: () => worst,
  };
}

/** The keys of the entities that are bad, as the core writes them. */
function badIn({ aggregator, exchanges, disabledPairs, liquidations }: AggregatorTruth): string[] {
  return [
    ...exchanges
      .filter(({ enabled }) => !enabled)
      .map(({ name }) => `${aggregator}/exchange/${name}`),
    ...disabledPairs.map((pair) => `${aggregator}/pair/${pair}`),
    ...liquidations.filter(({ stuck }) => stuck).map(({ id }) => `${aggregator}/liquidation/${id}`),
  ];
}
