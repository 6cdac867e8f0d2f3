import { formatDuration, type Millis } from "../../domain/time.ts";
import { passingClock, type ClockSources } from "../../io/process/clock.ts";
import type { Logger } from "../../io/process/log.ts";
import type { RunningUnit } from "../replica/run-unit.ts";

/** The units that hung or could not begin here: they are left to the other replicas for a while. */
type LeavingUnits = {
  /** To be called often, with those that run. Gives the names of the units that are left now. */
  readonly look: (running: ReadonlyMap<string, Pick<RunningUnit, "hung">>) => readonly string[];
  /** Logs why a unit goes to another replica, if it is because it failed here. */
  readonly logWhy: (unit: string) => void;
};

/** Counted in lengths of the lease. */
const LEFT_FOR_LEASES = 20;

export function createLeftUnits({
  leaseMs,
  clocks,
  log,
}: {
  readonly leaseMs: Millis;
  readonly clocks?: ClockSources | undefined;
  readonly log: Logger;
}): LeavingUnits {
  const steadyNow = passingClock(clocks);
  const lastsMs = LEFT_FOR_LEASES * leaseMs;
  const left = new Map<string, { readonly detail: string; readonly until: Millis }>();
  return {
    look: (running) => {
      const now = steadyNow();
      for (const [unit, own] of running) {
        const detail = own.hung();
        if (detail !== undefined) left.set(unit, { detail, until: now + lastsMs });
      }
      for (const [unit, { until }] of left) if (until <= now) left.delete(unit);
      return [...left.keys()];
    },
    logWhy: (unit) => {
      const why = left.get(unit);
      if (why === undefined) return;
      const fields = { unit, detail: why.detail, for: formatDuration(lastsMs) };
      log.warn(fields, "it failed here, so it is left to the other replicas");
    },
  };
}
