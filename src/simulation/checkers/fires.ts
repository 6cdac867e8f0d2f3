import { alertKey } from "../../domain/alert.ts";
import { entityKey } from "../../domain/entity.ts";
import { formatDuration, formatInstant } from "../../domain/time.ts";
import type { ObservedEntities } from "../ledger/observed-entities.ts";
import { truthOf, type Verdict } from "../ledger/verdicts.ts";
import { pollerOfSurface } from "../ledger/watched-pollers.ts";
import type { Step } from "../run-event.ts";
import { on } from "./checker.ts";

/**
 * An entity that is bad for long enough fires, and one that is well for long enough does not: checked at every tick,
 * for entities that were read without a gap and not too long ago.
 */
export const fires = on("tick", "5 what is bad fires", (step, { observed }) => {
  const problems: string[] = [];
  const look = (rule: string, key: string, verdict: Verdict): void => {
    const problem = problemOf(rule, key, verdict, step, observed);
    if (problem !== undefined) problems.push(problem);
  };
  for (const [rule, verdicts] of observed.verdicts.allBad())
    for (const [key, verdict] of verdicts) look(rule, key, verdict);
  // Of the many entities that are well, only those with an alert can be wrong.
  for (const { rule, entity } of step.state.tables.alert.values()) {
    const key = entityKey(entity);
    const verdict = observed.verdicts.of(rule, key);
    if (verdict?.truth === "ok") look(rule, key, verdict);
  }
  return problems;
});

function problemOf(
  name: string,
  key: string,
  verdict: Verdict,
  step: Step,
  observed: ObservedEntities,
): string | undefined {
  const { stampedAt: at, state } = step;
  const rule = step.policy.rules.get(name);
  const known = observed.entity(key);
  if (rule === undefined || known === undefined || verdict.lostSince !== undefined)
    return undefined;
  const sureMs = at - verdict.sureSince;
  const alert = state.tables.alert.get(alertKey(name, key));
  const isFiring = alert?.state === "firing";
  const isDue =
    verdict.truth === "bad"
      ? !isFiring && sureMs >= rule.forMs
      : (isFiring || alert?.state === "pending") && sureMs >= rule.keepFiringForMs;
  if (!isDue || !isFresh(known.surface, step, observed)) return undefined;
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

function isFresh(surface: string, step: Step, observed: ObservedEntities): boolean {
  const { staleAfterMs = 0 } = pollerOfSurface(step.policy, surface).poller ?? {};
  const askedAt = observed.surface(surface)?.askedAt ?? Number.NEGATIVE_INFINITY;
  return step.stampedAt - askedAt <= staleAfterMs;
}
