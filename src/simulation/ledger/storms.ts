import type { Rule } from "../../domain/rule.ts";
import type { Policy } from "../../domain/step.ts";
import type { State } from "../../core/state.ts";
import { formatDuration, type Instant } from "../../domain/time.ts";
import { BecameBad } from "./became-bad.ts";
import { hasVanished } from "./entity-bounds.ts";
import type { Step } from "../run-event.ts";
import type { ObservedEntities } from "./observed-entities.ts";
import { isOver, type Ramp } from "./overrides.ts";
import type { Verdict } from "./verdicts.ts";

/**
 * Which rules have more entities that are bad, or became bad within the window, than they may repair: counted
 * by the verdicts and not by the core's alerts.
 */
export class Storms {
  readonly becameBad = new BecameBad();
  /** When the last storm of a rule on an aggregator cleared. */
  readonly lastCleared = new Map<string, Ramp>();
  /** Since when the ramp's intervals have their length: actions that were sent under another do not count. */
  interval = { lengthMs: 0, since: Number.NEGATIVE_INFINITY };
  private readonly storming = new Set<string>();
  /** The rules of the step before, by their names. */
  private inForce: Pick<ReadonlyMap<string, unknown>, "has"> = new Map();
  /** The answers for this event, which are asked for with each entity to repair. */
  private readonly said = new Map<string, string | undefined>();

  /** Another event comes: earlier answers need not hold any more. */
  begin(): void {
    this.said.clear();
  }

  record(step: Step, observed: ObservedEntities): void {
    this.update(step, observed);
    this.inForce = step.policy.rules;
  }

  private update(step: Step, observed: ObservedEntities): void {
    const { policy, state, event, stampedAt: at } = step;
    const { rampIntervalMs: lengthMs } = policy.acting;
    if (lengthMs !== this.interval.lengthMs) this.interval = { lengthMs, since: at };
    for (const [key, ramp] of this.lastCleared)
      if (isOver(ramp, step)) this.lastCleared.delete(key);
    this.becameBad.record(step, observed);
    // At a tick, a storm clears if its entities have left the window.
    if (event.type === "tick" && this.storming.size === 0) return;
    if (!["observed", "policy_changed", "started", "tick"].includes(event.type)) return;
    // A new process counts entities that were bad before, though not read yet, by the rules that were in force then.
    const counts = ({ alert }: Rule): typeof isSurelyBad =>
      event.type === "started" && this.inForce.has(alert) ? isBad : isSurelyBad;
    // A rule that is not in force any more has no storm.
    for (const key of this.storming)
      if (!policy.rules.has(key.slice(0, key.indexOf(" ")))) this.clear(key, at);
    for (const { name } of policy.aggregators) {
      for (const rule of policy.rules.values()) {
        // If time alone makes an entity well, that is not noticed here at once.
        if (rule.act === undefined || rule.windows.length > 0 || rule.when.readsTime) continue;
        const key = stormKey(rule.alert, name);
        const wereBad = this.becameBad.of(rule, name, at);
        const known = { observed, policy, state, at };
        const excess = this.excessBy(known, rule, name, counts(rule), wereBad);
        if (excess !== undefined) {
          if (event.type !== "tick") this.storming.add(key);
        } else this.clear(key, at);
      }
    }
  }

  /** The next process does not know of storms that began or cleared after `since`. */
  lose(since: Instant): void {
    this.storming.clear();
    for (const [key, { at }] of this.lastCleared) if (at > since) this.lastCleared.delete(key);
  }

  private clear(key: string, at: Instant): void {
    if (this.storming.delete(key)) this.lastCleared.set(key, { at, why: "a storm has cleared" });
  }

  /** Why it is a storm, by entities that are surely bad or became bad within the window; undefined if it is none. */
  excessOf(known: Known, rule: Rule, aggregator: string): string | undefined {
    return this.once(`is ${stormKey(rule.alert, aggregator)}`, () => {
      const wereBad = this.becameBad.of(rule, aggregator, known.at);
      return this.excessBy(known, rule, aggregator, isSurelyBad, wereBad);
    });
  }

  /** Whether it may be a storm, counting also entities that may be bad, and all that were bad within the window. */
  mayStorm(known: Known, rule: Rule, aggregator: string): boolean {
    const excess = this.once(`may be ${stormKey(rule.alert, aggregator)}`, () => {
      const wereBad = this.becameBad.maybe(rule, aggregator, known.at);
      return this.excessBy(known, rule, aggregator, isBad, wereBad);
    });
    return excess !== undefined;
  }

  private once(what: string, say: () => string | undefined): string | undefined {
    if (!this.said.has(what)) this.said.set(what, say());
    return this.said.get(what);
  }

  private excessBy(
    { observed, policy, state }: Known,
    rule: Rule,
    aggregator: string,
    counts: (verdict: Verdict) => boolean,
    wereBad: readonly string[],
  ): string | undefined {
    const limit = rule.act?.storm;
    if (limit === undefined || rule.windows.length > 0) return undefined;
    const badNow = observed.verdicts.badBy(rule.alert);
    if (badNow.size + wereBad.length <= 1) return undefined;
    const bad = new Set(wereBad);
    const prefix = `${aggregator}/`;
    for (const [key, verdict] of badNow)
      if (counts(verdict) && key.startsWith(prefix)) bad.add(key);
    const { size } = bad;
    if (size <= 1) return undefined;
    const are = (total = ""): string =>
      `${size}${total} are bad at once or within ${formatDuration(limit.withinMs)}`;
    if (size > limit.max) return `${are()}, and storm.max is ${limit.max}`;
    // Only disabled pairs are listed, so there is no total for a ratio.
    if (rule.kind === "pair") return undefined;
    let total = 0;
    for (const entity of state.tables.entity.values()) {
      const isOwn = entity.aggregator === aggregator && entity.kind === rule.kind;
      if (isOwn && !hasVanished(policy, entity)) total += 1;
    }
    if (size <= total * limit.maxRatio + 1e-9) return undefined;
    return `${are(` of ${total}`)}, and storm.max_ratio is ${limit.maxRatio}`;
  }
}

/** What is known at an instant. */
type Known = {
  readonly observed: ObservedEntities;
  readonly policy: Policy;
  readonly state: State;
  readonly at: Instant;
};

export function stormKey(rule: string, aggregator: string): string {
  return `${rule} on ${aggregator}`;
}

/** Which bad verdicts count. */
const isBad = (): boolean => true;
const isSurelyBad = ({ lostSince }: Verdict): boolean => lostSince === undefined;
