import { surfaceKey, type Part } from "../../domain/observation.ts";
import { formatDuration, formatInstant, type Instant } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";
import { actsOf, nameAct, stepChecker, type Act, type Step } from "./acts.ts";
import type { Readings } from "./readings.ts";
import { truthOf } from "./verdicts.ts";

/**
 * No action but on a whole, fresh reading that was asked after it was wanted, while the alert fired, and
 * that shows the entity bad; and none right after a start.
 */
export function checkFreshData(readings: Readings): Checker {
  /** When readings to confirm were asked for, by surface, since the process started. */
  const wantedAt = new Map<string, Instant[]>();
  return stepChecker("1 fresh data", (step) => {
    if (step.event.type === "started") wantedAt.clear();
    const found = actsOf(step).flatMap((act) =>
      [
        ...readingProblems(act, step, readings),
        ...timeProblems(act, step, readings, wantedAt.get(act.made.surface) ?? []),
      ].map((problem) => `${nameAct(act)} ${problem}`),
    );
    for (const effect of step.result.effects) {
      if (effect.type !== "probe" || effect.why !== "confirm") continue;
      const surface = surfaceKey(effect.aggregator, effect.poller, effect.surface);
      wantedAt.set(surface, [...(wantedAt.get(surface) ?? []).slice(-50), step.stampedAt]);
    }
    return found;
  });
}

function readingProblems({ made, rule, key }: Act, step: Step, readings: Readings): string[] {
  const part = partOf(step, made.surface);
  if (part === undefined) return ["rests on no reading: its step read nothing of its surface"];
  const { reading, askedAt } = part;
  if (!reading.ok) return [`rests on a reading that failed (${reading.failure.reason})`];
  const { id, kind } = made.entity;
  const seen = reading.entities.find((one) => one.kind === kind && one.id === id);
  const problems: string[] = [];
  if (!reading.complete) problems.push("rests on a listing that was cut");
  if (askedAt !== made.justifiedBy.askedAt) {
    problems.push(
      `says that it rests on a reading asked at ${formatInstant(made.justifiedBy.askedAt)}, which was asked at ${formatInstant(askedAt)}`,
    );
  }
  if (seen === undefined) return [...problems, "rests on a reading that does not show its entity"];
  const known = { id: made.entity, facts: seen.facts };
  if (truthOf(rule, key, known, step.state, step.stampedAt) === "ok") {
    problems.push(`rests on a reading in which ${rule.when.source} is false`);
  }
  const newest = readings.surface(made.surface)?.askedAt ?? askedAt;
  if (askedAt < newest) problems.push("rests on a reading that is older than another one");
  return problems;
}

function timeProblems(
  { made }: Act,
  step: Step,
  readings: Readings,
  wantedAt: readonly Instant[],
): string[] {
  const { stampedAt: at, policy, state } = step;
  const { maxAgeMs, confirmWithinMs, settleAfterStartMs } = policy.acting;
  const { askedAt } = made.justifiedBy;
  const problems: string[] = [];
  if (at - askedAt > maxAgeMs) {
    problems.push(
      `rests on data that is ${formatDuration(at - askedAt)} old, max_age is ${formatDuration(maxAgeMs)}`,
    );
  }
  const oldest = at - confirmWithinMs;
  if (!wantedAt.some((wanted) => wanted > oldest && wanted <= askedAt)) {
    problems.push(
      `rests on a reading asked at ${formatInstant(askedAt)}, and no confirmation was wanted within ${formatDuration(confirmWithinMs)} before`,
    );
  }
  const firedAt = state.tables.alert.get(made.alert)?.firedAt;
  if (firedAt === undefined || firedAt > askedAt) {
    problems.push(`was confirmed at ${formatInstant(askedAt)}, before its alert fired`);
  }
  const startedAt = readings.startedAt;
  if (at - startedAt < settleAfterStartMs) {
    problems.push(
      `came ${formatDuration(at - startedAt)} after the start, settle_after_start is ${formatDuration(settleAfterStartMs)}`,
    );
  }
  if (readings.surface(made.surface)?.everWhole !== true) {
    problems.push("came before any whole reading of its surface since the start");
  }
  return problems;
}

/** What an observed step read of a surface. */
export function partOf({ event }: Step, surface: string): Part | undefined {
  if (event.type !== "observed") return undefined;
  const { aggregator, poller, parts } = event.observation;
  return parts.find((part) => surfaceKey(aggregator, poller, part.surface) === surface);
}
