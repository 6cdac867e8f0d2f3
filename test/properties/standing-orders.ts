import { expect } from "vitest";
import { entityKey, type EntityId } from "../../src/domain/entity.ts";
import { covers, type Hold, type Scope } from "../../src/domain/hold.ts";
import type { Attempt } from "../../src/core/state.ts";
import { surfaceKey, type Observation, type Part } from "../../src/domain/observation.ts";
import type { Proposal, Remediation } from "../../src/domain/remediation.ts";
import type { Event, Finding, StepResult } from "../../src/domain/step.ts";
import type { World } from "../core/world.ts";
import { acting, rules } from "./core-chaos.ts";

/**
 * What stands against acting, in books of its own: holds and approvals as operators spoke them, repairs
 * that were undone, and the instants from which acting may only grow. Nothing of it is taken from the
 * core's tables, but for what a new process finds in the journal.
 */
export class StandingOrders {
  private readonly world: World;
  private readonly holds = new Map<string, { scope: Scope; from: number; until: number }>();
  private readonly proposals = new Map<string, { entity: string; approvers: Set<string> }>();
  private readonly quarantined = new Set<string>();
  /** When a repair was seen to be done, and how often in a row one was undone soon after. */
  private readonly repaired = new Map<string, { verifiedAt?: number; undone: number }>();
  private readonly readAt = new Map<string, number>();
  /** When acting was let go again last: for all rules, by `*`, and by rule. */
  private readonly ramps = new Map<string, number>();

  constructor(world: World) {
    this.world = world;
  }

  /** What was not committed did not happen. */
  restore(): void {
    this.holds.clear();
    this.proposals.clear();
    this.quarantined.clear();
    this.repaired.clear();
    this.readAt.clear();
    for (const { table, key, value } of this.world.journal.rows.values()) {
      if (table === "hold") this.holds.set(key, { ...(value as Hold) });
      if (table === "quarantine") this.quarantined.add(key);
      if (table === "attempt") {
        const { undone = 0, verifiedAt } = value as Attempt;
        this.repaired.set(key, { undone, ...(verifiedAt === undefined ? {} : { verifiedAt }) });
      }
      if (table !== "proposal") continue;
      const { id, entity, approvals, denial } = value as Proposal;
      if (denial !== undefined) continue;
      const approvers = new Set(approvals.map(({ by }) => by));
      this.proposals.set(id, { entity: entityKey(entity), approvers });
    }
  }

  note(event: Event, { findings }: StepResult): void {
    if (event.type === "observed") {
      for (const part of event.observation.parts) this.noteReading(event.observation, part);
    }
    for (const finding of findings) this.noteFinding(finding);
    if (event.type !== "command") return;
    const { command, by } = event;
    const said = findings.find((finding) => finding.type === "command");
    if (said?.accepted !== true) return;
    if (command.name === "hold") {
      const id = said.detail.split(":")[0] ?? "";
      this.holds.set(id, { scope: command.scope, from: this.world.now, until: command.until });
    } else if (command.name === "release") {
      this.holds.delete(command.hold);
    } else if (command.name === "release_quarantine") {
      this.quarantined.delete(command.entity);
      const repair = this.repaired.get(command.entity);
      if (repair !== undefined) repair.undone = 0;
    } else if (command.name === "approve") this.proposals.get(command.proposal)?.approvers.add(by);
    else if (command.name === "deny") this.proposals.delete(command.proposal);
  }

  /** A repair is undone when the first sure reading after it that shows it bad comes soon. */
  private noteReading({ aggregator, poller }: Observation, part: Part): void {
    const surface = surfaceKey(aggregator, poller, part.surface);
    if (!part.reading.ok || part.askedAt < (this.readAt.get(surface) ?? 0)) return;
    this.readAt.set(surface, part.askedAt);
    for (const { kind, id, facts } of part.reading.entities) {
      const repair = this.repaired.get(entityKey({ aggregator, kind, id }));
      if (repair?.verifiedAt === undefined) continue;
      const scope = { aggregator, kind, facts, now: 0 };
      const isBad = rules.some(
        (rule) => rule.kind === kind && rule.when.judge(scope).truth === "bad",
      );
      if (!isBad) continue;
      const isSoon = this.world.now - repair.verifiedAt <= acting.undoWindowMs;
      repair.undone = isSoon ? repair.undone + 1 : 0;
      delete repair.verifiedAt;
    }
  }

  private noteFinding(finding: Finding): void {
    const { now } = this.world;
    if (finding.type === "kill" && !finding.on) this.ramps.set("*", now);
    if (finding.type === "hold" && finding.change === "ended") this.ramps.set("*", now);
    if (finding.type === "storm" && finding.change === "ends_soon") {
      this.ramps.set(finding.rule, now);
    }
    if (finding.type === "quarantine" && finding.change === "began") {
      this.quarantined.add(finding.entity);
    }
    if (finding.type === "remediation" && finding.remediation.state === "verified") {
      const key = entityKey(finding.remediation.entity);
      const { undone } = this.repaired.get(key) ?? { undone: 0 };
      this.repaired.set(key, { undone, verifiedAt: now });
    }
    if (finding.type === "proposed") {
      const entity = entityKey(finding.entity);
      this.proposals.set(finding.proposal, { entity, approvers: new Set() });
    }
  }

  /** Nothing that stands speaks against what this step asks to be sent. */
  check(made: Remediation, part: Part | undefined, before: readonly Remediation[]): void {
    const { now } = this.world;
    const key = entityKey(made.entity);
    for (const [id, { scope, from, until }] of this.holds) {
      if (from <= now && now < until) {
        expect(covers(scope, made.rule, memberOf(made.entity)), `${id} covers ${key}`).toBe(false);
      }
    }
    expect(this.quarantined.has(key), `${key} is quarantined`).toBe(false);
    expect(this.repaired.get(key)?.undone ?? 0, `${key} was undone`).toBeLessThan(acting.undoLimit);
    this.checkRamps(made, before);
    this.checkStorm(made, part);
    if (made.action !== "force_cancel_order") return;
    const approved = [...this.proposals].find(
      ([, { entity, approvers }]) => entity === key && approvers.size >= 2,
    );
    expect(approved, `two persons have approved ${key}`).toBeDefined();
    if (approved !== undefined) this.proposals.delete(approved[0]);
  }

  /** Every hold that has run out, and every kill switch or storm, is followed by one, two, four … */
  private checkRamps(made: Remediation, before: readonly Remediation[]): void {
    const { now } = this.world;
    for (const [id, { until }] of this.holds) {
      if (until > now) continue;
      this.ramps.set("*", Math.max(until, this.ramps.get("*") ?? 0));
      this.holds.delete(id);
    }
    for (const [rule, from] of this.ramps) {
      if (rule !== "*" && rule !== made.rule) continue;
      const interval = Math.floor((now - from) / acting.rampIntervalMs);
      if (interval >= 6) continue;
      const start = from + interval * acting.rampIntervalMs;
      const within = [...before, made].filter(
        (one) => one.requestedAt >= start && (rule === "*" || one.rule === rule),
      );
      expect(within.length, `the ramp of ${rule}`).toBeLessThanOrEqual(2 ** interval);
    }
  }

  /** No more are bad, in the very reading that justifies it, than the rule may repair. */
  private checkStorm(made: Remediation, part: Part | undefined): void {
    const rule = rules.find(({ alert }) => alert === made.rule);
    if (part?.reading.ok !== true || rule?.act === undefined) return;
    const ofKind = part.reading.entities.filter(({ kind }) => kind === rule.kind);
    const bad = ofKind.filter(({ kind, facts }) => {
      const scope = { aggregator: made.entity.aggregator, kind, facts, now: 0 };
      return rule.when.judge(scope).truth === "bad";
    });
    const { max, maxRatio } = rule.act.storm;
    expect(bad.length).toBeLessThanOrEqual(max);
    if (rule.kind === "exchange") expect(bad.length / ofKind.length).toBeLessThanOrEqual(maxRatio);
  }
}

function memberOf(entity: EntityId): EntityId & { parent?: { kind: string; id: string } } {
  if (entity.kind !== "pair") return entity;
  return { ...entity, parent: { kind: "exchange", id: entity.id.split("/")[0] ?? "" } };
}
