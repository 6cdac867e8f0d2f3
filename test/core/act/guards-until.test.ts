/** Tests src/core/act/guards/guard.ts: guards until. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  tooOldAt,
  type Answer,
  type GuardContext,
  type Until,
} from "../../../src/core/act/guards/guard.ts";
import { GUARDS } from "../../../src/core/act/guards/index.ts";
import { stormKey } from "../../../src/core/act/storm-count.ts";
import { EVERYWHERE } from "../../../src/core/act/storm.ts";
import { verdictOf } from "../../../src/core/judge/verdict.ts";
import type { LedgerEntry } from "../../../src/core/state.ts";
import { entityKey } from "../../../src/domain/entity.ts";
import type { SuppressionReason } from "../../../src/domain/guard.ts";
import { isOfThen } from "../../../src/domain/shown/suppression.ts";
import type { Condition, During } from "../../../src/domain/rule.ts";
import { DAY, MINUTE, SECOND, type Instant } from "../../../src/domain/time.ts";
import * as fixtures from "../fixtures.ts";
import { AGGREGATOR, condition, exchange, factIs, repair, rule } from "../fixtures.ts";
import { scriptedWorld, START } from "../world.ts";

/**
 * Each answer of a guard says until when it holds. A replay leaves out the ticks before that, so an
 * answer that changes earlier would be missed.
 */

const BINANCE = { aggregator: AGGREGATOR, kind: "exchange", id: "BINANCE" };
const NAME = "ExchangeDisabled";
const NOW: Instant = START + 10 * MINUTE;

const ago = fc.integer({ min: 0, max: 400 }).map((seconds) => NOW - seconds * SECOND);
const ahead = fc.integer({ min: 1, max: 400_000 }).map((ms) => NOW + ms);
const span = fc.integer({ min: 1, max: 300 }).map((seconds) => seconds * SECOND);
const few = fc.integer({ min: 0, max: 3 });
const yes = fc.boolean();
function rarely<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}
function often<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(arbitrary, { nil: undefined });
}

/** Holds until it flips, and says when, or leaves that open. */
const timed = fc
  .record({ flip: ahead, before: yes, says: yes })
  .map(({ flip, before, says }): Condition => {
    const made = condition("timed", (_, now) => now < flip === before, true);
    return says ? { ...made, nextFlip: ({ now }) => (now < flip ? flip : Infinity) } : made;
  });
const budget = fc.record({ max: few, perMs: span });
const sent = fc.record({
  at: ago,
  aggregator: fc.constantFrom(AGGREGATOR, "other"),
  rule: fc.constantFrom(NAME, "Other"),
  action: fc.constantFrom("enable_exchange" as const, "enable_pair" as const),
});
const ramp = fc.record({ clearedAt: often(ago) });

const situation = fc.record({
  killed: rarely(yes),
  lease: often(fc.record({ epoch: often(few), leftMs: span, neededMs: span })),
  hold: often(ahead),
  startedAt: fc.oneof(ago, fc.constant(-Infinity)),
  settleAfterStartMs: span,
  journalUnchecked: rarely(yes),
  everComplete: yes,
  askedAt: often(ago),
  complete: yes,
  maxAgeMs: span,
  unknown: rarely(yes),
  when: often(timed),
  unsettled: rarely(yes),
  underWay: fc.constantFrom(0, 99, 100),
  quarantined: rarely(yes),
  attempt: often(fc.record({ lastAt: ago, failures: few })),
  attempts: few,
  ownStorm: often(ramp),
  ramp: often(ago),
  storm: fc.record({
    max: few,
    maxRatio: fc.constant(1),
    withinMs: fc.oneof(fc.constant(0), span),
  }),
  becameBad: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), ago),
  ledger: fc.array(sent, { maxLength: 6 }),
  budgets: fc.tuple(budget, rarely(budget), budget),
  act: often(timed),
  during: rarely(fc.record({ flip: ahead, before: yes })),
  mode: fc.constantFrom("act" as const, "propose" as const, "shadow" as const),
  proposal: often(
    fc.record({
      expiresAt: fc.oneof(ahead, ago),
      approved: yes,
      denied: rarely(yes),
      withdrawn: rarely(yes),
    }),
  ),
});

type Situation = typeof situation extends fc.Arbitrary<infer Made> ? Made : never;

const world = scriptedWorld({ rules: [rule()], probes: "silent" });
world.sees("exchanges", [exchange("BINANCE", "disabled")]);
const decision = { by: "alice", reason: "", at: NOW };

/** The alert on BINANCE, and all that guards ask about, as the situation has it. */
function contextOf(of: Situation) {
  const { policy, state } = structuredContext();
  const key = entityKey(BINANCE);
  const alert = { ...required(world.alert(NAME, "exchange", "BINANCE")), attempts: of.attempts };
  const entity = { ...required(world.entity("exchange", "BINANCE")) };
  if (of.unknown === true) entity.unknownSince = START;
  const base = { since: START, by: "alice", owner: "alice", reason: "" };
  const { tables } = state;
  if (of.killed === true) tables.kill.set("operator", { source: "operator", ...base });
  if (of.hold !== undefined) {
    tables.hold.set("h1", { id: "h1", ...base, scope: {}, from: START, until: of.hold });
  }
  state.lease = of.lease;
  state.startedAt = of.startedAt;
  state.journalUnchecked = of.journalUnchecked === true;
  const read = of.askedAt === undefined ? {} : { askedAt: of.askedAt };
  const { everComplete, complete } = of;
  const surface = { aggregator: AGGREGATOR, poller: "exchanges", name: "all", ok: true };
  const none = { losses: new Map<string, string>(), contradictions: new Map<string, string>() };
  state.surfaces.set(entity.surface, { ...surface, ...read, ...none, everComplete, complete });
  if (of.unsettled === true) state.unsettled.set(key, "r1");
  for (let index = 0; index < of.underWay; index += 1)
    state.unanswered.set(`${AGGREGATOR}/exchange/other ${index}`, `other ${index}`);
  if (of.quarantined === true) tables.quarantine.set(key, base);
  if (of.attempt !== undefined) tables.attempt.set(key, of.attempt);
  const storm = (clearedAt: Instant | undefined) => ({
    rule: NAME,
    aggregator: AGGREGATOR,
    since: START,
    detail: "",
    ...(clearedAt === undefined ? {} : { clearedAt }),
  });
  if (of.ownStorm !== undefined)
    tables.storm.set(stormKey(NAME, AGGREGATOR), storm(of.ownStorm.clearedAt));
  tables.became_bad.set(stormKey(NAME, AGGREGATOR), of.becameBad);
  if (of.ramp !== undefined) tables.storm.set(EVERYWHERE, storm(of.ramp));
  state.ledger.push(...of.ledger.toSorted((one, other) => one.at - other.at));
  const [own, byAction, global] = of.budgets;
  const { proposal } = of;
  if (proposal !== undefined) {
    const { expiresAt, approved, denied, withdrawn } = proposal;
    tables.proposal.set(
      alert.key,
      fixtures.proposal({
        alert: alert.key,
        alertStartedAt: alert.startedAt,
        rule: NAME,
        entity: BINANCE,
        expiresAt,
        approvals: approved ? [decision] : [],
        ...(denied === true ? { denial: decision } : {}),
        ...(withdrawn === true ? { withdrawn: { at: START, why: "the rule was changed" } } : {}),
      }),
    );
  }
  const act = repair({
    mode: of.mode,
    budget: own,
    storm: of.storm,
    ...(of.act === undefined ? {} : { condition: of.act }),
    ...(of.during === undefined ? {} : { during: duringOf(of.during) }),
  });
  const acting = {
    ...policy.acting,
    settleAfterStartMs: of.settleAfterStartMs,
    maxAgeMs: of.maxAgeMs,
    budget: global,
    budgets: byAction === undefined ? {} : { enable_exchange: byAction },
  };
  const made = rule({ act, when: of.when ?? factIs("status", "disabled") });
  const rules = new Map([[NAME, made]]);
  return { policy: { ...policy, acting, rules }, state, alert, rule: made, act, entity };
}

function duringOf({ flip, before }: { readonly flip: Instant; readonly before: boolean }): During {
  const nextEdge = (at: Instant): Instant => (at < flip ? flip : Infinity);
  const said = { hours: ["09:00-17:30"], days: ["mon-fri"], timeZone: "UTC" };
  return { ...said, covers: (at) => at < flip === before, nextEdge };
}

function structuredContext() {
  const { policy, state } = world;
  const none = {
    became_bad: new Map(),
    kill: new Map(),
    hold: new Map(),
    quarantine: new Map(),
    attempt: new Map(),
  };
  const tables = { ...state.tables, ...none, storm: new Map(), proposal: new Map() };
  const ledger: LedgerEntry[] = [];
  const fresh = { surfaces: new Map(), unsettled: new Map(), unanswered: new Map(), ledger };
  return { policy, state: { ...state, ...fresh, tables } };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("BINANCE is not bad");
  return value;
}

/** `oldAt`: the surface of the entity is not read again. */
function endOf(until: Until, oldAt: Instant): Instant {
  if (typeof until === "object") return Math.min(until.whileYoung(), oldAt);
  return typeof until === "function" ? until() : Infinity;
}

const TIMED_HINT =
  "time alone changes the numbers that this guard says: add it to TIMED in src/domain/shown/suppression.ts";

function wordsOf(said: string): string {
  return said.replaceAll(/\S*\d\S* ?/g, "");
}

type Seen = { objects: boolean; says: "event" | "reading" | "an instant"; changes: boolean };

/** Asks a guard in many situations, and holds each answer against those up to its `until`. */
function tryGuard(reason: SuppressionReason): Seen[] {
  const guard = required(GUARDS.find((one) => one.reason === reason));
  const seen: Seen[] = [];
  fc.assert(
    fc.property(situation, fc.double({ min: 0, max: 1, noNaN: true }), (of, part) => {
      const context: Omit<GuardContext, "at" | "verdict"> = contextOf(of);
      const answerAt = (at: Instant): Answer => {
        const verdict = verdictOf(context.state, context.rule, context.entity, at);
        return guard.ask({ ...context, at, verdict });
      };
      const ask = (at: Instant): boolean => answerAt(at).objects;
      const { objects, say, until } = answerAt(NOW);
      const end = endOf(until, tooOldAt(context.policy, of.askedAt));
      expect(end).toBeGreaterThan(NOW);
      const last = Math.min(end - 1, NOW + 30 * DAY);
      for (const at of [NOW + 1, Math.floor(NOW + part * (last - NOW)), last]) {
        if (at >= end) continue;
        const later = answerAt(at);
        expect(later.objects).toBe(objects);
        if (!objects || later.say() === say() || wordsOf(later.say()) !== wordsOf(say())) continue;
        expect(isOfThen({ reason, detail: say() }), TIMED_HINT).toBe(true);
      }
      seen.push({
        objects,
        says: typeof until === "string" ? until : "an instant",
        changes: end < Infinity && ask(end) !== objects,
      });
    }),
    { numRuns: 1_000, seed: 42 },
  );
  return seen;
}

describe("until when an answer of a guard holds", () => {
  const reasons = GUARDS.map(({ reason }) => reason);

  it.each(reasons)("%s: it is the same until then, if nothing happens before", (reason) => {
    const seen = tryGuard(reason);
    const answers = seen.map(({ objects }) => objects);
    expect(answers, "give `situation` what this guard asks about: it never objects").toContain(
      true,
    );
    expect(answers, "give `situation` what this guard asks about: it never passes").toContain(
      false,
    );
    const timely = seen.filter(({ says }) => says === "an instant");
    // An instant that is always too early would have every tick take place.
    expect(timely.length === 0 || timely.some(({ changes }) => changes)).toBe(true);
  });
});
