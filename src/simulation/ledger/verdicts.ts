import type { Facts } from "../../domain/entity.ts";
import type { Rule, Truth } from "../../domain/rule.ts";
import type { State } from "../../core/state.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import type { Step as RunStep } from "../run-event.ts";
import type { KnownEntity } from "./known-entity.ts";

/** One stretch of time in which every sure reading said the same. */
export type Verdict = {
  readonly truth: "bad" | "ok";
  /** -Infinity if unknown. */
  from: Instant;
  /** Time within it in which nothing sure was known. */
  lostMs: Millis;
  lostSince?: Instant;
  /** Since when it has been known without a gap. */
  sureSince: Instant;
};

type Step = Pick<RunStep, "policy" | "state" | "stampedAt">;

/**
 * What each rule says of each entity, by the ledger, and since when without a break. A rule
 * with windowed facts is not judged here: only the core remembers the past that it needs.
 */
export class Verdicts {
  private readonly byRule = new Map<string, Map<string, Verdict>>();
  /** Only the bad ones: mostly few, and needed at each step. */
  private readonly badByRule = new Map<string, Map<string, Verdict>>();
  private readonly hashes = new Map<string, string>();
  /** Entities of which nothing sure is known, for any rule that comes. */
  private readonly lost = new Set<string>();
  /** Entities whose last reading was unsure. */
  private readonly unsure = new Set<string>();

  of(rule: string, key: string): Verdict | undefined {
    return this.byRule.get(rule)?.get(key);
  }

  /** The verdicts on entities that a rule finds bad, by entity. */
  badBy(rule: string): ReadonlyMap<string, Verdict> {
    return this.badByRule.get(rule) ?? NONE;
  }

  allBad(): Iterable<readonly [string, ReadonlyMap<string, Verdict>]> {
    return this.badByRule;
  }

  /** If the reading is `unsure`, an entity that it shows bad is bad, and one that it shows well is unknown. */
  judge(step: Step, key: string, known: KnownEntity, unsure = false): void {
    this.lost.delete(key);
    if (unsure) this.unsure.add(key);
    else this.unsure.delete(key);
    for (const rule of rulesOn(step, known)) this.judgeBy(rule, step, key, known);
  }

  /** Nothing sure is known of the entity from now on. */
  lose(key: string, at: Instant): void {
    this.lost.add(key);
    for (const verdict of this.on(key)) verdict.lostSince ??= at;
  }

  /** Commits were lost, and with them everything that was concluded after the state that is left. */
  loseAll(keys: Iterable<string>, at: Instant): void {
    for (const key of keys) this.lost.add(key);
    for (const [rule, verdicts] of this.byRule)
      for (const [key, { lostMs }] of verdicts)
        this.put(rule, key, { ...wellFrom(at), lostMs, lostSince: at });
  }

  /** Whether nothing sure is known of the entity: the last reading lacked it or failed, or is too long ago. */
  isLost(key: string): boolean {
    return this.lost.has(key);
  }

  /** Nothing sure was known for a while, though no reading failed. */
  doubt(keys: Iterable<string>, at: Instant): void {
    for (const key of keys) for (const verdict of this.on(key)) verdict.sureSince = at;
  }

  /** Forgets how long verdicts have been the same, for one entity or for all. */
  blur(key?: string): void {
    for (const verdict of this.on(key)) verdict.from = Number.NEGATIVE_INFINITY;
  }

  /** The verdicts of every rule on one entity, or on all. */
  private on(key?: string): Verdict[] {
    return [...this.byRule.values()].flatMap((verdicts) =>
      key === undefined ? [...verdicts.values()] : (verdicts.get(key) ?? []),
    );
  }

  forget(key: string): void {
    this.lost.delete(key);
    this.unsure.delete(key);
    for (const rules of [this.byRule, this.badByRule])
      for (const verdicts of rules.values()) verdicts.delete(key);
  }

  /** The entity vanished, and the core forgot it: its alerts end, and it counts as well from an unknown instant on. */
  leaveOut(key: string, at: Instant): void {
    this.lost.delete(key);
    this.unsure.delete(key);
    for (const [rule, verdicts] of this.byRule)
      if (verdicts.has(key)) this.put(rule, key, wellFrom(at));
  }

  /** Other rules are in force. */
  adopt(
    step: Step,
    rulesBefore: ReadonlyMap<string, string>,
    entities: ReadonlyMap<string, KnownEntity>,
  ): void {
    for (const name of this.byRule.keys()) {
      const rule = step.policy.rules.get(name);
      if (rule === undefined) {
        this.byRule.delete(name);
        this.badByRule.delete(name);
      } else this.noteHash(rule, step.stampedAt);
    }
    for (const [key, known] of entities) {
      for (const rule of rulesOn(step, known)) {
        const isUnchanged = rulesBefore.get(rule.alert) === rule.hash;
        if (isUnchanged || known.isAbsent) continue;
        this.judgeBy(rule, step, key, known);
        const verdict = this.of(rule.alert, key);
        if (verdict !== undefined && this.lost.has(key)) verdict.lostSince ??= step.stampedAt;
      }
    }
  }

  private judgeBy(rule: Rule, step: Step, key: string, known: KnownEntity): void {
    this.noteHash(rule, step.stampedAt);
    const truth = truthOf(rule, key, known, step.state, step.stampedAt);
    const sure = this.unsure.has(key) && truth === "ok" ? undefined : truth;
    this.note(rule.alert, key, sure, step.stampedAt);
  }

  private note(rule: string, key: string, truth: Truth | undefined, at: Instant): void {
    const before = this.of(rule, key);
    if (truth === "bad" || truth === "ok") {
      if (before?.truth !== truth) {
        // This stretch may have begun earlier, while nothing sure was known.
        const isVague = before?.lostSince !== undefined && before.from === Number.NEGATIVE_INFINITY;
        const from = isVague ? Number.NEGATIVE_INFINITY : at;
        this.put(rule, key, { truth, from, lostMs: 0, sureSince: at });
      } else if (before.lostSince !== undefined) {
        before.lostMs += at - before.lostSince;
        before.sureSince = at;
        delete before.lostSince;
      }
    } else if (before !== undefined) before.lostSince ??= at;
  }

  private put(rule: string, key: string, verdict: Verdict): void {
    setIn(this.byRule, rule, key, verdict);
    if (verdict.truth === "bad") setIn(this.badByRule, rule, key, verdict);
    else this.badByRule.get(rule)?.delete(key);
  }

  /** If a rule has changed, its alerts go on, but how long its verdicts have been the same is unknown. */
  private noteHash(rule: Rule, at: Instant): void {
    if (this.hashes.get(rule.alert) !== rule.hash) {
      for (const verdict of this.byRule.get(rule.alert)?.values() ?? []) {
        verdict.from = Number.NEGATIVE_INFINITY;
        verdict.sureSince = at;
      }
    }
    this.hashes.set(rule.alert, rule.hash);
  }
}

/** What a rule says of an entity by the facts that were read last; undefined if it has windows, or the core no row. */
export function truthOf(
  rule: Rule,
  key: string,
  { id, facts }: { readonly id: KnownEntity["id"]; readonly facts: Facts },
  state: State,
  now: Instant,
): Truth | undefined {
  if (rule.windows.length > 0) return undefined;
  const row = state.tables.entity.get(key);
  if (row === undefined) return undefined;
  const scope = {
    aggregator: id.aggregator,
    kind: id.kind,
    facts: { ...facts, first_seen: row.firstSeen, since: row.since },
    now,
  };
  return rule.when.judge(scope).truth;
}

function rulesOn({ policy }: Step, { id }: KnownEntity): readonly Rule[] {
  return [...policy.rules.values()].filter(({ kind }) => kind === id.kind);
}

const NONE: ReadonlyMap<string, Verdict> = new Map();

function setIn(
  byRule: Map<string, Map<string, Verdict>>,
  rule: string,
  key: string,
  verdict: Verdict,
): void {
  const known = byRule.get(rule) ?? new Map<string, Verdict>();
  byRule.set(rule, known.set(key, verdict));
}

/** A verdict `ok` from an unknown instant on. */
function wellFrom(at: Instant): Verdict {
  return { truth: "ok", from: Number.NEGATIVE_INFINITY, lostMs: 0, sureSince: at };
}
