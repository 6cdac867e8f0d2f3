import type { Result } from "../../domain/result.ts";
import type { FactBound, Scope, Truth, Verdict } from "../../domain/rule.ts";
import { formatDuration } from "../../domain/time.ts";
import type { Direction, Directions } from "./directions.ts";

/** The verdict of a condition that reads windows of which only a part was seen. */

type Evaluate = (scope: Scope) => Result<unknown, string>;

/**
 * If a condition is true at the bound of a fact, and moving on from the bound can only make it truer, it is true
 * whatever the fact really is. The same holds for false. If no bound decides, it stays unknown.
 */
export function judgeByBounds(
  evaluate: Evaluate,
  directions: Directions,
  scope: Scope,
  reason: string,
): Verdict {
  const read = Object.entries(scope.bounds ?? {}).filter(([name]) => directions.has(name));
  if (read.length === 0) return { truth: "unknown", reason };
  for (const truth of ["bad", "ok"] as const) {
    const usable = read.filter(([name, bound]) => proves(truth, bound, directions.get(name)));
    if (usable.length === 0) continue;
    const sure = Object.fromEntries(usable.map(([name, { value }]) => [name, value]));
    const outcome = evaluate({ ...scope, facts: { ...scope.facts, ...sure } });
    if (outcome.ok && outcome.value === (truth === "bad"))
      return { truth, reason: `decided by what was seen: ${boundsText(usable)}` };
  }
  return { truth: "unknown", reason: `${reason}; of what was seen, ${boundsText(read)}` };
}

/** Whether the truth at the bound holds for all other values that the fact can have. */
function proves(truth: Truth, { is }: FactBound, direction: Direction | undefined): boolean {
  if (direction === undefined || direction === "either") return false;
  const becomesTrue = (is === "at least") === (direction === "grows");
  return becomesTrue === (truth === "bad");
}

function boundsText(bounds: ReadonlyArray<readonly [string, FactBound]>): string {
  return bounds
    .map(([name, { is, value, seenMs, ofMs }]) => {
      const seen = `${formatDuration(seenMs)} of ${formatDuration(ofMs)}`;
      return `"${name}" is ${is} ${value} (${seen} were seen)`;
    })
    .join(", ");
}
