import { SECOND } from "../domain/time.ts";
import type { Outcome } from "./outcome.ts";
import type { Happening, Plan } from "./plan.ts";
import type { Pool } from "./pool.ts";

/** A failure with as little around it as still makes it. */
export type Shrunk = {
  readonly plan: Plan;
  /** With its story. */
  readonly outcome: Outcome;
  /** How many happenings the plan had before. */
  readonly happeningsBefore: number;
};

/** Each try is a whole run; more than this are not worth waiting for. */
const MOST_TRIES = 300;

/**
 * Leaves out happenings, aggregators and time for as long as the same invariant is still violated
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
  while (best.happenings.length > 0 && isWorthwhile()) {
    const next = await firstViolated(withoutPieces(best, pieces));
    if (next !== undefined) {
      best = next;
      pieces = Math.max(2, pieces - 1);
    } else if (pieces >= best.happenings.length) break;
    else pieces = Math.min(best.happenings.length, pieces * 2);
  }
  const outcome = await pool.run({ of: { plan: best }, withStory: true, endsAtViolation: true });
  return { plan: best, outcome, happeningsBefore: plan.happenings.length };
}

/** Nothing that comes after the violation has made it. */
async function shortened(plan: Plan, invariant: string, pool: Pool): Promise<Plan> {
  const { violations } = await pool.run({ of: { plan } });
  const at = violations.find((one) => one.invariant === invariant)?.at ?? plan.endsAfter;
  const happenings = plan.happenings.filter((one) => one.at <= at);
  if (at >= plan.faultsEndAfter) return { ...plan, happenings };
  return { ...plan, happenings, faultsEndAfter: at + SECOND, endsAfter: at + 2 * SECOND };
}

function withoutMember(plan: Plan, name: string): Plan {
  const isOther = (one: Happening): boolean => !("aggregator" in one) || one.aggregator !== name;
  return {
    ...plan,
    fleet: plan.fleet.filter(({ watched }) => watched.name !== name),
    happenings: plan.happenings.filter(isOther),
  };
}

/** The plan without its first, second … piece of that many. */
function withoutPieces(plan: Plan, pieces: number): Plan[] {
  const { happenings } = plan;
  const size = Math.ceil(happenings.length / pieces);
  return Array.from({ length: Math.ceil(happenings.length / size) }, (_, index) => ({
    ...plan,
    happenings: happenings.filter((_happening, at) => Math.floor(at / size) !== index),
  }));
}
