import { expect, it } from "vitest";
import type { Command } from "../../src/domain/command.ts";
import type { Mode } from "../../src/domain/action.ts";
import { HOUR, SECOND } from "../../src/domain/time.ts";
import { outdatedBy } from "../../src/run/outdated.ts";
import { stormKey } from "../../src/core/act/storm-count.ts";
import { AGGREGATOR, condition, exchange, policyOf, repair, rule } from "../core/fixtures.ts";
import { observed, partOf } from "../core/readings.ts";
import {
  actingPolicy,
  loopTest,
  reading,
  START,
  upToConfirmation,
  type LoopTest,
} from "./loop-world.ts";

/** A loop that has decided on `r1`, and what its last look says of it. */
function requested(): { readonly test: LoopTest; readonly look: () => string | undefined } {
  const test = loopTest();
  test.loop.push(upToConfirmation(test));
  const outdated = outdatedBy({ clock: { now: () => test.now }, loop: () => test.loop });
  const look = (): string | undefined =>
    outdated({ remediation: "r1", aggregator: AGGREGATOR, askedAt: test.now });
  expect([test.loop.state().tables.remediation.get("r1")?.state, look()]).toEqual([
    "requested",
    undefined,
  ]);
  return { test, look };
}

function command(test: LoopTest, given: Command): void {
  test.loop.push({ type: "command", by: "alice", reason: "wait", command: given });
}

/** Puts its rule in force in another mode, or without an action. */
function reload({ loop }: LoopTest, mode: Mode | undefined): void {
  const change = mode === undefined ? {} : { act: repair({ mode }) };
  loop.reload(policyOf([rule({ hash: "2", ...change })]), []);
}

it("is stopped by a kill switch that is thrown before it leaves", () => {
  const { test, look } = requested();
  command(test, { name: "kill", source: "operator" });
  expect(look()).toBe("the kill switch is on (operator, by alice): wait");
  command(test, { name: "unkill", source: "operator" });
  expect(look()).toBeUndefined();
});

it("is stopped by a bug that ended the loop before it leaves", () => {
  const { loop } = requested().test;
  const ended = { ...loop, defect: () => "undeclared" };
  const outdated = outdatedBy({ clock: { now: () => START }, loop: () => ended });
  expect(outdated({ remediation: "r1", aggregator: AGGREGATOR, askedAt: START })).toBe(
    "a bug in the core: undeclared",
  );
});

it.each([
  { id: "BINANCE" },
  { rule: "ExchangeDisabled" },
  { aggregator: AGGREGATOR, kind: "exchange" },
  {},
])("is stopped by a hold of %o that begins before it leaves", (scope) => {
  const { test, look } = requested();
  command(test, { name: "hold", scope, until: test.now + HOUR });
  // The wall clock is behind: a hold is in force from its own instant on.
  test.now -= 1_000;
  expect(look()).toContain("alice holds ");
});

it.each([{ id: "KRAKEN" }, { rule: "PairDisabled" }])("is not stopped by a hold of %o", (scope) => {
  const { test, look } = requested();
  command(test, { name: "hold", scope, until: test.now + HOUR });
  expect(look()).toBeUndefined();
});

it.each([
  { mode: "shadow", problem: "mode is shadow: decided and recorded, not sent" },
  {
    mode: "propose",
    problem: "mode is propose, and it was not approved by all that the rule asks for",
  },
  { mode: undefined, problem: "the rule ExchangeDisabled does not enable_exchange any more" },
] as const)("is stopped by a reload to the mode $mode before it leaves", ({ mode, problem }) => {
  const { test, look } = requested();
  reload(test, mode);
  expect(look()).toBe(problem);
});

it("is stopped by a reload that asks for more approvals than it has", () => {
  const { test, look } = requested();
  Object.assign(test.loop.state().tables.remediation.get("r1") ?? {}, {
    approvedBy: "alice",
    approvals: 1,
  });
  const asksFor = (approvals: number): void => {
    const act = repair({ mode: "propose", approvals });
    test.loop.reload(policyOf([rule({ hash: String(approvals), act })]), []);
  };
  asksFor(1);
  expect(look()).toBeUndefined();
  asksFor(2);
  expect(look()).toBe("mode is propose, and it was not approved by all that the rule asks for");
});

it.each([
  {
    what: "acts otherwise",
    next: { act: repair({ action: "enable_pair" }) },
    problem: "the rule ExchangeDisabled does not enable_exchange any more",
  },
  {
    what: "judges other aggregators",
    next: { act: repair(), aggregators: ["other"] },
    problem: `the rule ExchangeDisabled does not judge ${AGGREGATOR} any more`,
  },
])("is stopped by a reload by which its rule $what", ({ next, problem }) => {
  const { test, look } = requested();
  test.loop.reload(policyOf([rule({ hash: "2", ...next })]), []);
  expect(look()).toBe(problem);
});

it("is stopped by a poll that shows it well", () => {
  const { test, look } = requested();
  test.now += 1_000;
  test.loop.push(reading("enabled", test.now));
  expect(look()).toBe("ExchangeDisabled does not fire for it any more");
  test.loop.push(reading("disabled", test.now + 1_000));
  expect(look()).toBe("ExchangeDisabled does not fire for it any more");
});

it("is stopped once its entity is not there any more, as one that is not watched any more", () => {
  const { test, look } = requested();
  test.loop.state().tables.entity.delete(`${AGGREGATOR}/exchange/BINANCE`);
  expect(look()).toBe("BINANCE is not there any more");
});

it("is stopped by a reading that leaves it unknown", () => {
  const { test, look } = requested();
  test.loop.push(observed("exchanges", [partOf("all", test.now + 1, "failed")]));
  expect(look()).toMatch(/^the condition is unknown/);
});

it("is stopped by a reload by which act.if is false, and by a storm", () => {
  const { test, look } = requested();
  const never = condition("never", () => false);
  test.loop.reload(policyOf([rule({ hash: "2", act: repair({ condition: never }) })]), []);
  expect(look()).toBe("act.if is false (never)");
  test.loop.reload(actingPolicy(), []);
  expect(look()).toBeUndefined();
  const key = stormKey("ExchangeDisabled", AGGREGATOR);
  const storm = { rule: "ExchangeDisabled", aggregator: AGGREGATOR, since: test.now };
  test.loop.state().tables.storm.set(key, { ...storm, detail: "12 bad at once" });
  expect(look()).toBe("12 bad at once");
});

it("is stopped if a fact that was approved has changed since, and not otherwise", () => {
  const { test, look } = requested();
  const seen = exchange("BINANCE", "disabled");
  const changed = { ...seen, facts: { ...seen.facts, reason: "other" } };
  test.loop.push(observed("exchanges", [partOf("all", test.now + 1, [changed])]));
  expect(look()).toBeUndefined();
  Object.assign(test.loop.state().tables.remediation.get("r1") ?? {}, { approvals: 1 });
  expect(look()).toBe("it has changed: reason was not known, is other");
});

it("is not sent to another address once base_url has changed", () => {
  const { test, look } = requested();
  test.loop.reload(test.loop.policy(), [AGGREGATOR]);
  expect(look()).toBe("r1 was given up before it was sent");
});

it("is not sent if it is no longer known, as after a rollback", () => {
  const { test, look } = requested();
  test.loop.state().tables.remediation.delete("r1");
  expect(look()).toBe("r1 was given up before it was sent");
});

it("is stopped once the reading before it is older than max_age, though it was read again since", () => {
  const { test } = requested();
  const outdated = outdatedBy({ clock: { now: () => test.now }, loop: () => test.loop });
  const askedAt = test.now;
  const look = (): string | undefined =>
    outdated({ remediation: "r1", aggregator: AGGREGATOR, askedAt });
  test.now = askedAt + actingPolicy().acting.maxAgeMs;
  test.loop.push(reading("disabled", test.now));
  expect(look()).toBeUndefined();
  test.now += SECOND;
  expect(look()).toBe("the reading before it is 31s old, max_age is 30s");
});

it("is stopped if the process could not run after the reading before it, and not by a gap before that", () => {
  const { test } = requested();
  const outdated = outdatedBy({ clock: { now: () => test.now }, loop: () => test.loop });
  const look = (askedAt: number): string | undefined =>
    outdated({ remediation: "r1", aggregator: AGGREGATOR, askedAt });
  const since = test.now;
  test.now += 5 * SECOND;
  test.loop.push({ type: "resumed", since, awayMs: 5 * SECOND });
  test.loop.push(reading("disabled", test.now));
  expect(look(since)).toBe("the process could not run after the reading before it");
  expect(look(test.now)).toBeUndefined();
});
