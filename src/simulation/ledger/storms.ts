import type { Rule } from "../../domain/rule.ts";
import type { State } from "../../core/state.ts";
import type { Step } from "../run-event.ts";
import type { ObservedEntities } from "./observed-entities.ts";
import type { Ramp } from "./overrides.ts";
import type { Verdict } from "./verdicts.ts";

/** Which rules have more bad entities than they may repair, counted by the verdicts and not by the core's alerts. */
export class Storms {
  /** When the last storm of a rule on an aggregator cleared. */
  readonly lastCleared = new Map<string, Ramp>();
  /** Since when the ramp's intervals have their length: what was sent under another says nothing of these. */
  interval = { lengthMs: 0, since: Number.NEGATIVE_INFINITY };
  private readonly storming = new Set<string>();

  record(step: Step, observed: ObservedEntities): void {
    const { policy, state, event, stampedAt: at } = step;
    const { rampIntervalMs: lengthMs } = policy.acting;
    if (lengthMs !== this.interval.lengthMs) this.interval = { lengthMs, since: at };
    if (!["observed", "policy_changed", "started"].includes(event.type)) return;
    // A new process counts what was bad before it, though it has not read it yet.
    const counts = event.type === "started" ? isBad : isSurelyBad;
    for (const { name } of policy.aggregators) {
      for (const rule of policy.rules.values()) {
        // What time alone makes well is not noticed here at once.
        if (rule.act === undefined || rule.windows.length > 0 || rule.when.readsTime) continue;
        const key = stormKey(rule.alert, name);
        if (excessOf(observed, state, rule, name, counts) !== undefined) this.storming.add(key);
        else if (this.storming.delete(key))
          this.lastCleared.set(key, { at, why: "a storm has cleared" });
      }
    }
  }
}

export function stormKey(rule: string, aggregator: string): string {
  return `${rule} on ${aggregator}`;
}

const isBad = ({ truth }: Verdict): boolean => truth === "bad";
const isSurelyBad = (verdict: Verdict): boolean =>
  isBad(verdict) && verdict.lostSince === undefined;

/** Says what is too much. Without `counts`, only what is surely bad just now counts. */
export function excessOf(
  observed: ObservedEntities,
  state: State,
  rule: Rule,
  aggregator: string,
  counts = isSurelyBad,
): string | undefined {
  const limit = rule.act?.storm;
  if (limit === undefined || rule.windows.length > 0) return undefined;
  let bad = 0;
  for (const [key, verdict] of observed.verdicts.ofRule(rule.alert)) {
    if (counts(verdict) && key.startsWith(`${aggregator}/`)) bad += 1;
  }
  if (bad <= 1) return undefined;
  if (bad > limit.max) return `${bad} are bad at once, and storm.max is ${limit.max}`;
  // Of pairs only the disabled ones are listed, so that there is no total for a ratio.
  if (rule.kind === "pair") return undefined;
  let total = 0;
  for (const entity of state.tables.entity.values()) {
    if (entity.aggregator === aggregator && entity.kind === rule.kind) total += 1;
  }
  if (bad <= total * limit.maxRatio + 1e-9) return undefined;
  return `${bad} of ${total} are bad at once, and storm.max_ratio is ${limit.maxRatio}`;
}
