import { alertKey } from "../../domain/alert.ts";
import { formatDuration, formatInstant } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";
import { stepChecker, type Step } from "./acts.ts";
import type { Readings } from "./readings.ts";
import { truthOf, type Verdict } from "./verdicts.ts";

/**
 * What is bad for long enough fires, and what is well for long enough does not: asked at every tick, of
 * what was read without a gap and is fresh.
 */
export function checkFires(readings: Readings): Checker {
  return stepChecker("5 what is bad fires", (step) => {
    if (step.event.type !== "tick") return [];
    const found: string[] = [];
    for (const [name, verdicts] of readings.verdicts.all()) {
      for (const [key, verdict] of verdicts) {
        const problem = problemOf(name, key, verdict, step, readings);
        if (problem !== undefined) found.push(problem);
      }
    }
    return found;
  });
}

function problemOf(
  name: string,
  key: string,
  verdict: Verdict,
  step: Step,
  readings: Readings,
): string | undefined {
  const { stampedAt: at, state } = step;
  const rule = step.policy.rules.get(name);
  const known = readings.entity(key);
  if (rule === undefined || known === undefined || verdict.lostSince !== undefined)
    return undefined;
  const sureMs = at - verdict.sureSince;
  const alert = state.tables.alert.get(alertKey(name, key));
  const isFiring = alert?.state === "firing";
  const isDue =
    verdict.truth === "bad"
      ? !isFiring && sureMs >= rule.forMs
      : (isFiring || alert?.state === "pending") && sureMs >= rule.keepFiringForMs;
  if (!isDue || !isFresh(known.surface, step, readings)) return undefined;
  // A condition that reads the time may have flipped since the last reading, and then waits for `for`.
  if (rule.when.readsTime) return undefined;
  if (truthOf(rule, key, known, state, at) !== verdict.truth) return undefined;
  const is = alert?.state ?? "not there";
  const [what, name2, limit] =
    verdict.truth === "bad"
      ? ["bad", "for", rule.forMs]
      : ["well", "keep_firing_for", rule.keepFiringForMs];
  return `the alert ${alertKey(name, key)} is ${is} at ${formatInstant(at)}, though it was read to be ${what} for ${formatDuration(sureMs)} (${name2} is ${formatDuration(limit)})`;
}

function isFresh(surface: string, { policy, stampedAt }: Step, readings: Readings): boolean {
  const [aggregator, poller] = surface.split("/");
  const own = policy.aggregators.find(({ name }) => name === aggregator);
  const staleAfterMs = own?.pollers.find(({ name }) => name === poller)?.staleAfterMs ?? 0;
  const askedAt = readings.surface(surface)?.askedAt ?? Number.NEGATIVE_INFINITY;
  return stampedAt - askedAt <= staleAfterMs;
}
