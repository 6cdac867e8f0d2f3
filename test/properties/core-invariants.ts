import { expect } from "vitest";
import { entityKey, type Entity } from "../../src/domain/entity.ts";
import { surfaceKey, type Part } from "../../src/domain/observation.ts";
import { isSettled, type Remediation } from "../../src/domain/remediation.ts";
import type { Budget } from "../../src/domain/rule.ts";
import type { Effect, Event, StepResult } from "../../src/domain/step.ts";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import type { World } from "../core/world.ts";
import { acting, rules } from "./core-chaos.ts";
import { StandingOrders } from "./standing-orders.ts";

/**
 * What must hold of every step, whatever happens: judged from what goes in and comes out, with books
 * of its own, so that it does not share the core's mistakes.
 */
export class Invariants {
  private readonly world: World;
  /** When readings to confirm were asked for, by surface, since the process started. */
  private readonly wantedAt = new Map<string, number[]>();
  private readonly standing: StandingOrders;
  /** Remediations as they were when their effect came out, by id. */
  private readonly requested = new Map<string, Remediation>();
  /** Those that this step asks to be sent, and that are not among the sent yet. */
  private readonly ofThisStep: string[] = [];
  private readonly firstSeen = new Map<string, number>();
  private startedAt = 0;
  private checkedSent = 0;

  constructor(world: World) {
    this.world = world;
    this.standing = new StandingOrders(world);
    world.onStep = (event, result) => this.check(event, result);
  }

  private check(event: Event, result: StepResult): void {
    if (event.type === "started") {
      this.startedAt = this.world.now;
      this.wantedAt.clear();
      this.checkRestored();
      this.standing.restore();
    }
    this.standing.note(event, result);
    this.checkSent();
    this.ofThisStep.length = 0;
    for (const effect of result.effects) if (effect.type === "act") this.checkAct(event, effect);
    for (const effect of result.effects) {
      if (effect.type !== "probe" || effect.why !== "confirm") continue;
      const surface = surfaceKey(effect.aggregator, effect.poller, effect.surface);
      this.wantedAt.set(surface, [...(this.wantedAt.get(surface) ?? []), this.world.now]);
    }
    this.checkOpen(event);
    this.checkResolved(event, result);
    this.checkVerified(event, result);
    this.noteFirstSeen(result);
  }

  /** Nothing goes out but on a whole, fresh reading, asked after it was wanted, that shows it bad. */
  private checkAct(event: Event, effect: Extract<Effect, { type: "act" }>): void {
    const { state, now, sent } = this.world;
    const made = state.tables.remediation.get(effect.remediation);
    if (made === undefined) throw new Error(`${effect.remediation} is not in the tables`);
    const part = partIn(event, made.surface);
    expect(part?.reading.ok === true && part.reading.complete).toBe(true);
    expect(part?.askedAt).toBe(made.justifiedBy.askedAt);
    expect(now - made.justifiedBy.askedAt).toBeLessThanOrEqual(acting.maxAgeMs);
    const { askedAt } = made.justifiedBy;
    const oldest = now - acting.confirmWithinMs - SECOND;
    const wantedAt = this.wantedAt.get(made.surface) ?? [];
    expect(wantedAt.some((at) => at >= oldest && at <= askedAt)).toBe(true);
    expect(state.tables.alert.get(made.alert)?.firedAt).toBeLessThanOrEqual(askedAt);
    expect(showsBad(part, made)).toBe(true);
    expect(now - this.startedAt).toBeGreaterThanOrEqual(acting.settleAfterStartMs);
    expect([...state.tables.kill.keys()]).toStrictEqual([]);
    const before = [...sent.map(({ remediation }) => remediation), ...this.ofThisStep];
    this.standing.check(
      made,
      part,
      before.flatMap((id) => this.requested.get(id) ?? []),
    );
    this.ofThisStep.push(made.id);
    for (const { remediation } of sent) {
      const before = state.tables.remediation.get(remediation);
      if (before === undefined || entityKey(before.entity) !== entityKey(made.entity)) continue;
      expect(isSettled(before), `${before.id} is settled before ${made.id}`).toBe(true);
    }
    this.requested.set(made.id, structuredClone(made));
  }

  /** What was really sent keeps to every budget, and is sent once, over all restarts. */
  checkSent(): void {
    const { sent } = this.world;
    if (sent.length === this.checkedSent) return;
    this.checkedSent = sent.length;
    expect(new Set(sent.map(({ remediation }) => remediation)).size).toBe(sent.length);
    const of = (id: string) => this.requested.get(id);
    const limits: Array<[Budget, (id: string) => boolean]> = [
      [acting.budget, () => true],
      [acting.budgetByAction.enable_exchange, (id) => of(id)?.action === "enable_exchange"],
      ...rules.map((rule): [Budget, (id: string) => boolean] => [
        rule.act?.budget ?? { max: 0, perMs: MINUTE },
        (id) => of(id)?.rule === rule.alert,
      ]),
    ];
    for (const [budget, counts] of limits) {
      const times = sent.filter(({ remediation }) => counts(remediation)).map(({ at }) => at);
      for (const end of times) {
        const within = times.filter((at) => at <= end && at > end - budget.perMs);
        expect(within.length).toBeLessThanOrEqual(budget.max);
      }
    }
  }

  /** One open remediation for an entity at most, and none beyond its deadline. */
  private checkOpen(event: Event): void {
    const { state, now } = this.world;
    const open = [...state.tables.remediation.values()].filter((one) => !isSettled(one));
    const entities = open.map(({ entity }) => entityKey(entity));
    expect(new Set(entities).size).toBe(entities.length);
    expect([...state.unsettled.values()].toSorted()).toStrictEqual(
      open.map(({ id }) => id).toSorted(),
    );
    for (const { settleBy, requestedAt, answeredAt, verifyWithinMs } of open) {
      const from = Math.max(requestedAt, answeredAt ?? 0, this.startedAt);
      expect(settleBy).toBeLessThanOrEqual(from + verifyWithinMs);
      if (event.type === "tick") expect(now).toBeLessThan(settleBy);
    }
  }

  /** Unknown never resolves: what resolves is surely known, or surely gone. */
  private checkResolved(event: Event, { findings }: StepResult): void {
    const { state } = this.world;
    for (const finding of findings) {
      if (finding.type !== "alert") continue;
      if (finding.change !== "resolved" && finding.change !== "dropped") continue;
      const entity = state.tables.entity.get(entityKey(finding.alert.entity));
      expect(entity?.unknownSince).toBeUndefined();
      if (entity === undefined) expect(finding.alert.entity.kind).toBe("pair");
      if (event.type !== "observed") continue;
      const part = partIn(event, entity?.surface ?? "bsc/exchanges/all");
      expect(part?.reading.ok).toBe(true);
      if (entity === undefined)
        expect(part?.reading.ok === true && part.reading.complete).toBe(true);
    }
  }

  /** Nothing is verified but by a sure reading that was asked afterwards and does not show it bad. */
  private checkVerified(event: Event, { findings }: StepResult): void {
    for (const finding of findings) {
      if (finding.type !== "remediation" || finding.remediation.state !== "verified") continue;
      const { surface, answeredAt, requestedAt } = finding.remediation;
      const part = partIn(event, surface);
      expect(part?.askedAt).toBeGreaterThan(answeredAt ?? requestedAt);
      expect(part?.reading.ok).toBe(true);
      expect(showsBad(part, finding.remediation)).toBe(false);
    }
  }

  /** While an entity is there, when it was first seen never moves. */
  private noteFirstSeen({ changes }: StepResult): void {
    for (const { table, key, value } of changes) {
      if (table !== "entity") continue;
      const entity = value as Entity | undefined;
      const before = this.firstSeen.get(key);
      if (entity !== undefined && before !== undefined) expect(entity.firstSeen).toBe(before);
      if (entity === undefined) this.firstSeen.delete(key);
      else this.firstSeen.set(key, entity.firstSeen);
    }
  }

  /** A restart finds what was committed: it moves no first-seen, and drops no alert. */
  private checkRestored(): void {
    const { journal, state } = this.world;
    this.firstSeen.clear();
    for (const { table, key, value } of journal.rows.values()) {
      if (table === "entity") {
        const { firstSeen } = value as Entity;
        expect(state.tables.entity.get(key)?.firstSeen).toBe(firstSeen);
        this.firstSeen.set(key, firstSeen);
      } else if (table === "alert" || table === "remediation") {
        expect(state.tables[table].has(key), `${table} ${key}`).toBe(true);
      }
    }
  }
}

function partIn(event: Event, surface: string): Part | undefined {
  if (event.type !== "observed") return undefined;
  const { aggregator, poller, parts } = event.observation;
  return parts.find((part) => surfaceKey(aggregator, poller, part.surface) === surface);
}

function showsBad(part: Part | undefined, { entity, rule: name }: Remediation): boolean {
  if (part?.reading.ok !== true) return false;
  const seen = part.reading.entities.find(
    ({ kind, id }) => kind === entity.kind && id === entity.id,
  );
  const rule = rules.find(({ alert }) => alert === name);
  if (seen === undefined || rule === undefined) return false;
  const scope = { aggregator: entity.aggregator, kind: entity.kind, facts: seen.facts, now: 0 };
  return rule.when.judge(scope).truth === "bad";
}
