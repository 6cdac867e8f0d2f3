import { entityKey } from "../../domain/entity.ts";
import type { Rule } from "../../domain/rule.ts";
import type { Instant } from "../../domain/time.ts";
import type { Step } from "../run-event.ts";
import { DurableMap } from "./durable-map.ts";
import type { ObservedEntities } from "./observed-entities.ts";
import { truthOf } from "./verdicts.ts";

/** When entities last became bad by a rule, by the verdicts: they count for a storm even if they are well again. */
export class BecameBad {
  /** By the rule's name and the entity's key. */
  readonly entries = new DurableMap<Instant>({
    keys: () => [],
    // No row holds them: a new process knows only those that it cannot have lost.
    read: (_tables, _key, at, since = Number.NEGATIVE_INFINITY) =>
      at !== undefined && at <= since ? at : undefined,
  });
  /** When they were last read to be bad, whenever that began. */
  private readonly seen = new Map<string, Instant>();

  record(step: Step, observed: ObservedEntities): void {
    const { policy, event, stampedAt: at } = step;
    this.noteByTime(step, observed);
    if (event.type === "observed") {
      for (const rule of policy.rules.values()) {
        if (rule.act === undefined) continue;
        for (const [key, { from }] of observed.verdicts.badBy(rule.alert)) {
          this.seen.set(`${rule.alert} ${key}`, at);
          // If time alone makes an entity bad, that is noticed before it is read.
          if (from === at && !rule.when.readsTime) this.entries.set(`${rule.alert} ${key}`, at);
        }
      }
    } else if (event.type !== "policy_changed" && event.type !== "started") return;
    for (const [name, since] of this.entries) {
      const rule = policy.rules.get(name.slice(0, name.indexOf(" ")));
      if (rule === undefined || since <= at - withinOf(rule)) this.entries.delete(name);
    }
  }

  /**
   * If time alone makes an entity bad, it may be well again at the next reading, and is then never read to be bad. Its
   * alert says that it was, and the facts that were read before must agree.
   */
  private noteByTime(
    { policy, result, state, stampedAt: at }: Step,
    observed: ObservedEntities,
  ): void {
    for (const finding of result.findings) {
      if (finding.type !== "alert") continue;
      const key = entityKey(finding.alert.entity);
      const rule = policy.rules.get(finding.alert.rule);
      const known = observed.entity(key);
      if (rule?.act === undefined || !rule.when.readsTime || known === undefined) continue;
      if (truthOf(rule, key, known, state, at) === "bad") this.seen.set(`${rule.alert} ${key}`, at);
    }
  }

  /** The keys of those that surely count at an instant. */
  of(rule: Rule, aggregator: string, at: Instant): readonly string[] {
    return this.within(this.entries, rule, aggregator, at);
  }

  /** The keys of those that may count at an instant. */
  maybe(rule: Rule, aggregator: string, at: Instant): readonly string[] {
    return this.within(this.seen, rule, aggregator, at);
  }

  private within(
    entries: Iterable<readonly [string, Instant]>,
    rule: Rule,
    aggregator: string,
    at: Instant,
  ): readonly string[] {
    const own = `${rule.alert} ${aggregator}/`;
    const keys: string[] = [];
    for (const [name, since] of entries)
      if (since > at - withinOf(rule) && name.startsWith(own))
        keys.push(name.slice(rule.alert.length + 1));
    return keys;
  }
}

const withinOf = ({ act }: Rule): number => act?.storm.withinMs ?? 0;
