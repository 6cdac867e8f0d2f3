/** Tests src/core/act/guards/guard.ts: guards. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cooldownAfter } from "../../../src/core/act/guards/cooldown.ts";
import { modeOf } from "../../../src/core/act/guards/guard.ts";
import { firstObjection, GUARDS } from "../../../src/core/act/guards/index.ts";
import { verdictOf } from "../../../src/core/judge/verdict.ts";
import { alertKey } from "../../../src/domain/alert.ts";
import { entityKey } from "../../../src/domain/entity.ts";
import type { RuleAction } from "../../../src/domain/rule.ts";
import type { ActingPolicy } from "../../../src/domain/step.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/domain/time.ts";
import { AGGREGATOR, condition, exchange, proposal, repair, rule } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const BINANCE = { aggregator: AGGREGATOR, kind: "exchange", id: "BINANCE" };

/** A world in which nothing objects, one minute after its start. */
function ready(acting: Partial<ActingPolicy> = {}): World {
  const world = scriptedWorld({ rules: [rule()], probes: "silent", acting });
  for (let poll = 0; poll < 6; poll += 1) {
    world.passes("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
  }
  return world;
}

/** What the guards say of BINANCE, for a rule that acts like this. */
function objection(world: World, change: Partial<RuleAction> = {}) {
  const { policy, state, now: at } = world;
  const alert = world.alert("ExchangeDisabled", "exchange", "BINANCE");
  const entity = world.entity("exchange", "BINANCE");
  if (alert === undefined || entity === undefined) throw new Error("BINANCE is not bad");
  const act = repair(change);
  const acting = rule({ act });
  const verdict = verdictOf(state, acting, entity, at);
  return firstObjection({ policy, state, at, alert, rule: acting, act, entity, verdict });
}

function spend(world: World, ages: readonly number[], name = "ExchangeDisabled"): World {
  for (const age of ages) {
    world.state.ledger.push({
      at: world.now - age,
      aggregator: AGGREGATOR,
      rule: name,
      action: "enable_exchange",
    });
  }
  return world;
}

/** In the folder alone, a guard would object to nothing, in silence. */
const folder = join(import.meta.dirname, "../../../src/core/act/guards");

describe("the list of guards", () => {
  it.each(readdirSync(folder))("has the guard of every file: %s", async (file) => {
    const exported: unknown[] = Object.values(await import(join(folder, file)));
    const asked = new Set<unknown>(GUARDS.map(({ ask }) => ask));
    const unlisted = exported.filter(
      (one) => typeof one === "object" && one !== null && "ask" in one && !asked.has(one.ask),
    );
    expect(unlisted, `src/core/act/guards/index.ts does not list what ${file} exports`).toEqual([]);
  });

  it("lets pass what nothing speaks against", () => {
    expect(objection(ready())).toBeUndefined();
  });

  it("names the first that objects, whatever else would", () => {
    const world = ready({ mode: "shadow" }).passes("20s");
    const also = { attempts: 0, budget: { max: 0, perMs: HOUR } };
    const reasons: Array<string | undefined> = [];
    const note = (change: Partial<RuleAction>): number =>
      reasons.push(objection(world, change)?.reason);
    note({});
    note({ condition: condition("false", () => false) });
    note({ ...also, attempts: 1 });
    world.state.tables.attempt.set(entityKey(BINANCE), { lastAt: world.now, failures: 0 });
    note({ ...also, attempts: 1 });
    note(also);
    world.state.unsettled.set(entityKey(BINANCE), "r1");
    note(also);
    world.now += 30 * SECOND;
    note(also);
    world.state.startedAt = world.now;
    world.policy = { ...world.policy, acting: { ...world.policy.acting, settleAfterStartMs: 1 } };
    note(also);
    world.commands({ name: "kill", source: "operator" });
    note(also);
    const expected = "shadow condition budget cooldown attempts in_flight stale starting killed";
    expect(reasons).toStrictEqual(expected.split(" "));
  });
});

describe("each guard", () => {
  it("killed: tells which source, who and why", () => {
    const world = ready().commands({ name: "kill", source: "operator" });
    expect(objection(world)).toStrictEqual({
      reason: "killed",
      detail: "the kill switch is on (operator, by alice): she said so",
    });
  });

  it("starting: objects until settle_after_start has passed", () => {
    const world = ready({ settleAfterStartMs: 90 * SECOND });
    expect(objection(world)?.detail).toBe("running for 1m of settle_after_start 1m30s");
    world.passes("30s");
    expect(objection(world)).toBeUndefined();
  });

  it("starting: objects before the process has said that it started", () => {
    const world = ready();
    world.state.startedAt = -Infinity;
    expect(objection(world)).toStrictEqual({ reason: "starting", detail: "not started yet" });
  });

  it("starting: objects until its surface was read as a whole once", () => {
    const world = scriptedWorld({ rules: [rule()], probes: "silent" });
    world.sees("exchanges", [exchange("BINANCE", "disabled")], { complete: false });
    expect(objection(world)?.detail).toBe(
      "no complete reading of its surface since the start: its listing is doubted (cut)",
    );
  });

  it("stale: objects to a reading that is older than max_age", () => {
    const world = ready({ maxAgeMs: 20 * SECOND });
    expect(objection(world.passes("20s"))).toBeUndefined();
    expect(objection(world.passes("1s"))).toStrictEqual({
      reason: "stale",
      detail: "last read 21s ago, max_age is 20s",
    });
  });

  it("stale: objects if nothing sure is known", () => {
    expect(objection(ready().fails("exchanges"))).toStrictEqual({
      reason: "stale",
      detail: "the condition is unknown: no sure reading",
    });
  });

  it("stale: objects to what a listing says that was cut", () => {
    const world = ready();
    world.sees("exchanges", [exchange("BINANCE", "disabled")], { complete: false });
    expect(objection(world)).toStrictEqual({
      reason: "stale",
      detail: "cut: its last listing was cut",
    });
  });

  it("stale: objects if a fact that the action needs is missing", () => {
    expect(objection(ready(), { action: "enable_pair" })).toStrictEqual({
      reason: "stale",
      detail: "a fact that enable_pair needs is missing, or no request can be made of it",
    });
  });

  it("in_flight: names the remediation that is not settled", () => {
    const world = ready();
    world.state.unsettled.set(entityKey(BINANCE), "r7");
    expect(objection(world)?.detail).toBe("remediation r7 of it is not settled");
  });

  it("cooldown: objects until it has passed, doubled for every failure in a row", () => {
    const world = ready();
    const lastAt = world.now - 10 * MINUTE;
    world.state.tables.attempt.set(entityKey(BINANCE), { lastAt, failures: 0 });
    expect(objection(world)).toBeUndefined();
    world.state.tables.attempt.set(entityKey(BINANCE), { lastAt, failures: 1 });
    expect(objection(world)?.detail).toBe("10m of 20m since the last attempt (1 failed in a row)");
    expect([0, 1, 2, 6, 7, 99].map((failures) => cooldownAfter(1, failures))).toStrictEqual([
      1, 2, 4, 64, 64, 64,
    ]);
  });

  it("attempts: objects when they are used up for this alert", () => {
    const world = ready();
    const alert = world.alert("ExchangeDisabled", "exchange", "BINANCE");
    if (alert !== undefined) alert.attempts = 2;
    expect(objection(world)).toBeUndefined();
    expect(objection(world, { attempts: 2 })?.detail).toBe("2 of 2 attempts used for this alert");
  });

  it("condition: objects if act.if is false, and if it is unknown", () => {
    const never = condition("never", () => false);
    expect(objection(ready(), { condition: never })?.detail).toBe("act.if is false (never)");
    const hidden = condition("hidden", () => undefined);
    expect(objection(ready(), { condition: hidden })?.detail).toBe(
      "act.if is unknown: hidden: a fact is missing (hidden)",
    );
    const always = condition("always", () => true);
    expect(objection(ready(), { condition: always })).toBeUndefined();
  });

  it("approval: objects while nobody has approved it", () => {
    expect(objection(ready(), { mode: "propose" })).toStrictEqual({
      reason: "approval",
      detail: "waits for a person to approve it",
    });
  });

  it("approval: does not take an approval that was meant for an earlier run of the alert", () => {
    const world = ready();
    const key = alertKey("ExchangeDisabled", entityKey(BINANCE));
    const approvals = [{ by: "alice", reason: "", at: world.now }];
    const base = { alert: key, rule: "ExchangeDisabled", entity: BINANCE, approvals };
    world.state.tables.proposal.set(key, proposal({ ...base, alertStartedAt: START }));
    expect(objection(world, { mode: "propose" })?.reason).toBe("approval");
    const own = proposal({ ...base, alertStartedAt: START + 10 * SECOND });
    world.state.tables.proposal.set(key, own);
    expect(objection(world, { mode: "propose" })).toBeUndefined();
    own.withdrawn = { at: world.now, why: "amount was 10, is 10000" };
    expect(objection(world, { mode: "propose" })).toMatchObject({
      reason: "approval",
      detail: "p1 (0123456789abcdef) was withdrawn: amount was 10, is 10000",
    });
  });

  it("shadow: objects last, and the lowest mode wins", () => {
    expect(objection(ready(), { mode: "shadow" })?.reason).toBe("shadow");
    expect(objection(ready({ mode: "shadow" }), { mode: "act" })?.reason).toBe("shadow");
    const { policy } = ready({ mode: "propose" });
    expect(modeOf({ policy, act: repair({ mode: "act" }) })).toBe("propose");
  });
});

describe("the budget", () => {
  const two = { budget: { max: 2, perMs: HOUR } };

  it("of the rule counts what the rule has sent within the window", () => {
    expect(objection(spend(ready(), [30 * MINUTE]), two)).toBeUndefined();
    expect(objection(spend(ready(), [59 * MINUTE, 30 * MINUTE]), two)).toStrictEqual({
      reason: "budget",
      detail: "2 of 2 per 1h spent (rule budget)",
    });
    expect(objection(spend(ready(), [HOUR, 30 * MINUTE]), two)).toBeUndefined();
    expect(objection(spend(ready(), [2, 1], "Other"), two)).toBeUndefined();
  });

  it("of the rule is spent for each aggregator by itself, and those over all rules for all together", () => {
    const elsewhere = (world: World): World => {
      const sent = { rule: "ExchangeDisabled", action: "enable_exchange" } as const;
      world.state.ledger.push({ at: world.now - MINUTE, aggregator: "eth", ...sent });
      return world;
    };
    const one = { budget: { max: 1, perMs: HOUR } };
    expect(objection(elsewhere(ready()), one)).toBeUndefined();
    expect(objection(spend(ready(), [MINUTE]), one)?.detail).toContain("rule budget");
    expect(objection(elsewhere(ready({ budgets: { enable_exchange: one.budget } })))).toEqual({
      reason: "budget",
      detail: "1 of 1 per 1h spent (action budget)",
    });
    expect(objection(elsewhere(ready(one)))?.detail).toBe("1 of 1 per 1h spent (global budget)");
  });

  it("of the action counts all rules that use it", () => {
    const world = ready({ budgets: { enable_exchange: { max: 1, perMs: MINUTE } } });
    expect(objection(spend(world, [SECOND], "Other"))?.detail).toBe(
      "1 of 1 per 1m spent (action budget)",
    );
  });

  it("of all rules counts everything", () => {
    const world = spend(ready({ budget: { max: 3, perMs: HOUR } }), [3, 2, 1], "Other");
    expect(objection(world)?.detail).toBe("3 of 3 per 1h spent (global budget)");
  });

  it("of nothing lets nothing pass", () => {
    expect(objection(ready({ budget: { max: 0, perMs: HOUR } }))?.reason).toBe("budget");
  });
});
