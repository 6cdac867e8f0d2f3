import type { Alert } from "../../domain/alert.ts";
import { entityKey } from "../../domain/entity.ts";
import { formatDuration, formatInstant } from "../../domain/time.ts";
import { OWN_KINDS } from "../../pollers/kinds.ts";
import type { ObservedEntities } from "../ledger/observed-entities.ts";
import { truthOf } from "../ledger/verdicts.ts";
import type { Rows } from "../ledger/rows.ts";
import type { Step } from "../run-event.ts";
import { partOf } from "./acts.ts";
import { on } from "./checker.ts";

/**
 * Unknown neither resolves an alert, nor lets it fire, nor counts towards `for`. If an alert fires, its entity was read
 * to be bad for long enough; if it resolves, its entity was read to be well, or was surely absent.
 */
export const unknown = on("step", "5 unknown", (step, { observed, rows }) =>
  step.result.findings.flatMap((finding) => {
    if (finding.type !== "alert" || OWN_KINDS.has(finding.alert.entity.kind)) return [];
    const { alert, change } = finding;
    const isEnd = change === "resolved" || change === "dropped";
    const problem = isEnd
      ? endProblem(alert, step, observed)
      : change === "firing"
        ? firingProblem(alert, step, observed, rows)
        : undefined;
    if (problem === undefined) return [];
    return [`${alert.key} became ${change} at ${formatInstant(step.stampedAt)} ${problem}`];
  }),
);

function firingProblem(
  alert: Alert,
  step: Step,
  observed: ObservedEntities,
  { forgotten }: Rows,
): string | undefined {
  const rule = step.policy.rules.get(alert.rule);
  if (rule === undefined) return "though there is no such rule";
  const key = entityKey(alert.entity);
  const known = observed.entity(key);
  // The ledger knows less than the core about entities that are not listed, and about windows.
  if (known === undefined || known.isAbsent || rule.windows.length > 0) return undefined;
  const verdict = observed.verdicts.of(rule.alert, key);
  // An entity that an unsure reading shows to be well can become bad by time alone, and then raises an alert.
  const mayFire = rule.when.readsTime && !observed.verdicts.isLost(key);
  if (verdict?.lostSince !== undefined && !mayFire) {
    return `though nothing sure is known of it since ${formatInstant(verdict.lostSince)}`;
  }
  if (truthOf(rule, key, known, step.state, step.stampedAt) !== "bad") {
    return `though ${rule.when.source} was not read to be true`;
  }
  if (rule.when.readsTime || verdict?.truth !== "bad") return undefined;
  const badMs = step.stampedAt - verdict.from - verdict.lostMs;
  if (badMs >= rule.forMs) return undefined;
  // The process ended before it could write that the entity was well for a while, so the earlier row counts.
  const since = forgotten.get(alert.key);
  if (since !== undefined && step.stampedAt - since >= rule.forMs) return undefined;
  return `after ${formatDuration(badMs)} that were read to be bad, and for is ${formatDuration(rule.forMs)}`;
}

function endProblem(alert: Alert, step: Step, observed: ObservedEntities): string | undefined {
  const { event, policy } = step;
  const rule = policy.rules.get(alert.rule);
  if (rule === undefined || rule.kind !== alert.entity.kind) return undefined;
  const key = entityKey(alert.entity);
  const known = observed.entity(key);
  // It is not watched any more, or was surely absent.
  if (known === undefined) return undefined;
  if (event.type === "policy_changed") {
    const isSame = event.rulesBefore.get(rule.alert) === rule.hash;
    return isSame ? "by a reload that left its rule as it was" : undefined;
  }
  if (event.type !== "observed" && event.type !== "tick") return `by a ${event.type} event`;
  if (event.type === "observed") {
    const part = partOf(step, known.surface);
    if (part === undefined) return "by a reading of another surface";
    if (!part.reading.ok) return `by a reading that failed (${part.reading.failure.reason})`;
    if (known.isAbsent) {
      const isBelieved = observed.surface(known.surface)?.lostKinds.has(alert.entity.kind) === true;
      return isBelieved
        ? "by a listing that was suddenly empty, with no other to confirm it"
        : undefined;
    }
    const { kind, id } = alert.entity;
    const isListed = part.reading.entities.some((one) => one.kind === kind && one.id === id);
    if (!isListed && !part.reading.complete) return "by a listing that was cut and lacked it";
  }
  const verdict = observed.verdicts.of(rule.alert, key);
  if (rule.windows.length > 0 || verdict === undefined) return undefined;
  if (verdict.lostSince !== undefined) {
    if (known.isAbsent) return undefined;
    return `though nothing sure is known of it since ${formatInstant(verdict.lostSince)}`;
  }
  if (truthOf(rule, key, known, step.state, step.stampedAt) !== "ok") {
    return `though ${rule.when.source} was not read to be false`;
  }
  if (rule.when.readsTime || verdict.truth !== "ok" || alert.state === "pending") return undefined;
  const okMs = step.stampedAt - verdict.from - verdict.lostMs;
  if (alert.firedAt === undefined || okMs >= rule.keepFiringForMs) return undefined;
  return `after ${formatDuration(okMs)} of being well, and keep_firing_for is ${formatDuration(rule.keepFiringForMs)}`;
}
