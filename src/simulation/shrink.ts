import { SECOND } from "../domain/time.ts";
import type { Outcome } from "./outcome.ts";
import type { ScheduledEvent, Plan } from "./plan.ts";
import type { Pool } from "./pool.ts";

/** The smallest run that still fails, as far as shrinking found it. */
export type Shrunk = {
  readonly plan: Plan;
  /** With its narration. */
  readonly outcome: Outcome;
  /** How many events the plan had before. */
  readonly eventsBefore: number;
};

/** Each try is a whole run; more tries are not worth the wait. */
const MOST_TRIES = 300;

/**
 * Leaves out events, aggregators and time as long as the same invariant is still violated
 * (Zeller's delta debugging). The same plan gives the same result, whatever the number of workers.
 */
export async function shrink(plan: Plan, invariant: string, pool: Pool): Promise<Shrunk> {
  let tries = 0;
  const isWorthwhile = (): boolean => tries < MOST_TRIES;
  const isViolated = async (tried: Plan): Promise<boolean> => {
    tries += 1;
    const { violations } = await pool.run({ of: { plan: tried }, endsAtViolation: true });
    return violations.some((one) => one.invariant === invariant);
  };
  const firstViolated = async (candidates: readonly Plan[]): Promise<Plan | undefined> => {
    const found = await Promise.all(candidates.map(isViolated));
    return candidates[found.indexOf(true)];
  };
  let best = await shortened(plan, invariant, pool);
  for (const { watched } of plan.fleet) {
    const smaller = withoutMember(best, watched.name);
    if (smaller.fleet.length > 0 && (await isViolated(smaller))) best = smaller;
  }
  let pieces = 2;
  while (best.events.length > 0 && isWorthwhile()) {
    const next = await firstViolated(withoutPieces(best, pieces));
    if (next !== undefined) {
      best = next;
      pieces = Math.max(2, pieces - 1);
    } else if (pieces >= best.events.length) break;
    else pieces = Math.min(best.events.length, pieces * 2);
  }
  const outcome = await pool.run({
    of: { plan: best },
    withNarration: true,
    endsAtViolation: true,
  });
  return { plan: best, outcome, eventsBefore: plan.events.length };
}

/** The plan without the events and the time after the violation. */
async function shortened(plan: Plan, invariant: string, pool: Pool): Promise<Plan> {
  const { violations } = await pool.run({ of: { plan } });
  const at = violations.find((one) => one.invariant === invariant)?.at ?? plan.endsAfter;
  const events = plan.events.filter((one) => one.at <= at);
  if (at >= plan.faultsEndAfter) return { ...plan, events };
  return { ...plan, events, faultsEndAfter: at + SECOND, endsAfter: at + 2 * SECOND };
}

function withoutMember(plan: Plan, name: string): Plan {
  const isOther = (one: ScheduledEvent): boolean =>
    !("aggregator" in one) || one.aggregator !== name;
  return {
    ...plan,
    fleet: plan.fleet.filter(({ watched }) => watched.name !== name),
    events: plan.events.filter(isOther),
  };
}

/** The plans without the first, the second … of so many pieces. */
function withoutPieces(plan: Plan, pieces: number): Plan[] {
  const { events } = plan;
  const size = Math.ceil(events.length / pieces);
  return Array.from({ length: Math.ceil(events.length / size) }, (_, index) => ({
    ...plan,
    events: events.filter((_event, at) => Math.floor(at / size) !== index),
  }));
}
