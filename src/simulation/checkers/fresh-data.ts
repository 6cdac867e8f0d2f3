import { formatDuration, formatInstant } from "../../domain/time.ts";
import { holdsTooMany } from "../ledger/entity-bounds.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { truthOf } from "../ledger/verdicts.ts";
import { surfaceKey } from "../../domain/observation.ts";
import type { Step } from "../run-event.ts";
import { actsOf, nameAct, partOf, type Act } from "./acts.ts";
import { on } from "./checker.ts";

/**
 * No action without a complete, fresh reading that shows the entity bad, and that was requested after the action was
 * wanted, while the alert fired; and none right after a start.
 */
export const freshData = on("step", "1 fresh data", (step, ledger) =>
  actsOf(step).flatMap((act) =>
    [...readingProblems(act, step, ledger), ...timeProblems(act, step, ledger)].map(
      (problem) => `${nameAct(act)} ${problem}`,
    ),
  ),
);

function readingProblems({ made, rule, key }: Act, step: Step, { observed }: Ledger): string[] {
  const part = partOf(step, made.surface);
  if (part === undefined) return ["rests on no reading: its step read nothing of its surface"];
  const { reading, askedAt } = part;
  if (!reading.ok) return [`rests on a reading that failed (${reading.failure.reason})`];
  const { id, kind } = made.entity;
  const seen = reading.entities.find((one) => one.kind === kind && one.id === id);
  const problems: string[] = [];
  if (!reading.complete) problems.push("rests on a listing that was cut");
  if (holdsTooMany(step, made.entity.aggregator, part))
    problems.push("rests on a listing that holds more than may be watched");
  if (reading.contradictions?.some((one) => one.kind === kind && one.id === id) === true)
    problems.push("rests on a reading that contradicts itself");
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
  const newest = observed.surface(made.surface)?.askedAt ?? askedAt;
  if (askedAt < newest) problems.push("rests on a reading that is older than another one");
  return problems;
}

function timeProblems(
  { made }: Act,
  step: Step,
  { observed, polls, journalIsSound }: Ledger,
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
  if (!polls.confirmationsOf(made.surface).some((wanted) => wanted > oldest && wanted <= askedAt)) {
    problems.push(
      `rests on a reading asked at ${formatInstant(askedAt)}, and no confirmation was wanted within ${formatDuration(confirmWithinMs)} before`,
    );
  }
  const firedAt = state.tables.alert.get(made.alert)?.firedAt;
  if (firedAt === undefined || firedAt > askedAt) {
    problems.push(`was confirmed at ${formatInstant(askedAt)}, before its alert fired`);
  }
  const startedAt = observed.startedAt;
  if (at - startedAt < settleAfterStartMs) {
    problems.push(
      `came ${formatDuration(at - startedAt)} after the start, settle_after_start is ${formatDuration(settleAfterStartMs)}`,
    );
  }
  if (!journalIsSound) problems.push("came before the journal was known to be sound");
  if (observed.surface(made.surface)?.everWhole !== true) {
    problems.push("came before any whole reading of its surface since the start");
  }
  return problems;
}

/** A reading that was requested earlier never overwrites a newer one, even if it arrives later. */
export const newestReading = on("step", "1 newest reading", ({ event, state }, { polls }) => {
  if (event.type !== "observed") return [];
  const { aggregator, poller, parts } = event.observation;
  return parts.flatMap(({ surface }) => {
    const key = surfaceKey(aggregator, poller, surface);
    const taken = state.surfaces.get(key)?.askedAt;
    const known = polls.newestAskedAt.get(key);
    if (known === undefined || taken === undefined || taken >= known) return [];
    return [
      `${key} is taken for what was asked at ${formatInstant(taken)}, and was asked again at ${formatInstant(known)}`,
    ];
  });
});
