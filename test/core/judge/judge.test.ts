import { describe, expect, it } from "vitest";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import { indexRules } from "../../../src/core/policy.ts";
import type { Scope } from "../../../src/domain/rule.ts";
import { DAY, MINUTE } from "../../../src/domain/time.ts";
import { condition, exchange, factIs, pair, pool, rule, template } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const slow = rule({ forMs: 2 * MINUTE });
const keeps = rule({
  alert: "PairDisabled",
  kind: "pair",
  when: factIs("status", "disabled"),
  keepFiringForMs: MINUTE,
});

function polling(world: World, minutes: number, status: "enabled" | "disabled"): World {
  for (let poll = 0; poll < minutes * 6; poll += 1) {
    world.passes("10s").sees("exchanges", [exchange("BINANCE", status)]);
  }
  return world;
}

describe("judging", () => {
  it("goes from pending to firing when the entity was bad for long enough", () => {
    const world = scriptedWorld({ rules: [slow] }).sees("exchanges", [
      exchange("BINANCE", "disabled"),
    ]);
    polling(world, 1, "disabled");
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE pending"]);
    polling(world, 1, "disabled");
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing"]);
    expect(world.found("alert").map(({ change }) => change)).toStrictEqual(["pending", "firing"]);
  });

  it("says for how long it was bad when it fires, and ok when it resolves", () => {
    const lasting = { ...slow, keepFiringForMs: MINUTE };
    const world = polling(scriptedWorld({ rules: [lasting] }), 3, "disabled");
    polling(world, 2, "enabled");
    expect(world.found("alert").map(({ change, detail }) => [change, detail])).toStrictEqual([
      ["pending", ""],
      ["firing", "bad for 2m"],
      ["resolved", "ok for 1m"],
    ]);
  });

  it("says that it is gone, and not ok, when it resolves between polls", () => {
    const world = scriptedWorld({ rules: [keeps] });
    world
      .sees("exchanges", [pair("BINANCE", "ORN-USDT")])
      .sees("exchanges", [])
      .passes("1m");
    expect(world.found("alert").at(-1)).toMatchObject({
      change: "resolved",
      detail: "it is not listed any more",
    });
  });

  it("drops a pending alert whose entity is ok again, without saying resolved", () => {
    const world = polling(scriptedWorld({ rules: [slow] }), 1, "disabled");
    polling(world, 1, "enabled");
    expect(world.alerts()).toStrictEqual([]);
    expect(world.found("alert").map(({ change }) => change)).toStrictEqual(["pending", "dropped"]);
  });

  it("judges by every rule of the kind", () => {
    const other = rule({ alert: "NotListed", when: factIs("listed", false) });
    const world = scriptedWorld({ rules: [rule(), other] });
    world.sees("exchanges", [exchange("BINANCE", "disabled")]);
    expect(world.alerts()).toStrictEqual([
      "ExchangeDisabled BINANCE firing",
      "NotListed BINANCE firing",
    ]);
  });

  it("asks no condition of an entity of which nothing sure is known", () => {
    let asked = 0;
    const when = condition("counts", () => (asked += 1) > 0, true);
    const world = scriptedWorld({ rules: [rule({ when })] });
    world.sees("exchanges", [exchange("BINANCE", "disabled")]).fails("exchanges");
    const before = asked;
    world.passes("20s");
    expect(asked).toBe(before);
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing (unknown)"]);
  });

  it("judges a condition that reads time again as time passes", () => {
    const when = condition(
      "age(since) > 5m",
      ({ since }, now) => now - Number(since) > 300_000,
      true,
    );
    const world = polling(scriptedWorld({ rules: [rule({ when })] }), 4, "enabled");
    expect(world.alerts()).toStrictEqual([]);
    polling(world, 2, "enabled");
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing"]);
  });

  it("keeps no timer for what is gone, or for a rule that is removed", () => {
    const inADay = condition("in a day", () => false, true);
    const when = { ...inADay, nextFlip: ({ now }: Scope) => now + DAY };
    const far = rule({ alert: "Far", kind: "pool", when, annotations: {} });
    const world = scriptedWorld({ rules: [far] });
    const pools = ["A", "B", "C"].map((id) => pool(id, 1));
    world.sees("pools", pools);
    expect(world.state.timers.count).toBe(3);
    world.passes("10s").sees("pools", []).passes("10s").sees("pools", []);
    expect(world.state.timers.count).toBe(0);
    world.passes("10s").sees("pools", pools);
    const rulesBefore = ruleHashes(world.policy.rules);
    world.policy = { ...world.policy, ...indexRules([]) };
    world.tell({ type: "policy_changed", rulesBefore, moved: [] });
    expect(world.state.timers.count).toBe(0);
  });

  it("begins a new run, with its attempts at none, when a resolved alert is bad again", () => {
    const world = scriptedWorld({ rules: [rule()] });
    world.sees("exchanges", [exchange("BINANCE", "disabled")]);
    world.at("10s").sees("exchanges", [exchange("BINANCE", "enabled")]);
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE resolved"]);
    world.at("20s").sees("exchanges", [exchange("BINANCE", "disabled")]);
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")).toMatchObject({
      state: "firing",
      startedAt: START + 20_000,
      attempts: 0,
    });
  });

  it("forgets a resolved alert after its retention", () => {
    const world = scriptedWorld({ rules: [rule()] });
    world.sees("exchanges", [exchange("BINANCE", "disabled")]);
    world.sees("exchanges", [exchange("BINANCE", "enabled")]);
    expect(world.leaps("14m59s").alerts()).toHaveLength(1);
    expect(world.leaps("1s").alerts()).toHaveLength(0);
  });

  it("describes an alert by what was last known to be bad", () => {
    const named = rule({ labels: { who: template("name") } });
    const world = scriptedWorld({ rules: [named] });
    world.sees("exchanges", [exchange("BINANCE", "disabled")]);
    world.at("5s").sees("exchanges", [exchange("BINANCE", "enabled")]);
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")).toMatchObject({
      labels: { who: "BINANCE" },
      annotations: { summary: "disabled" },
      facts: { status: "disabled" },
    });
  });
});

describe("an alert whose entity is gone while it keeps firing", () => {
  it("resolves when keep_firing_for is over, and says that it is gone", () => {
    const world = scriptedWorld({ rules: [keeps] });
    world.sees("exchanges", [pair("BINANCE", "ORN-USDT")]).sees("exchanges", []);
    expect(world.alerts()).toStrictEqual(["PairDisabled BINANCE/ORN-USDT firing"]);
    world.passes("1m");
    expect(world.alert("PairDisabled", "pair", "BINANCE/ORN-USDT")).toMatchObject({
      state: "resolved",
      resolvedBecause: "gone",
    });
  });

  it("resolves also when the process restarts in between", () => {
    const world = scriptedWorld({ rules: [keeps] });
    world.sees("exchanges", [pair("BINANCE", "ORN-USDT")]).sees("exchanges", []);
    world.restarts("10s").passes("1m");
    expect(world.alerts()).toStrictEqual(["PairDisabled BINANCE/ORN-USDT resolved"]);
  });
});

describe("an alert whose rule is gone", () => {
  const disabled = [exchange("BINANCE", "disabled")];

  it("resolves after a restart, and says so", () => {
    const world = scriptedWorld({ rules: [rule()] }).sees("exchanges", disabled);
    world.policy = { ...world.policy, ...indexRules([]) };
    world.restarts().passes("1s");
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")).toMatchObject({
      state: "resolved",
      resolvedBecause: "rule_removed",
    });
  });

  it("is dropped if it never fired", () => {
    const world = scriptedWorld({ rules: [slow] }).sees("exchanges", disabled);
    world.policy = { ...world.policy, ...indexRules([]) };
    world.restarts().passes("1s");
    expect(world.alerts()).toStrictEqual([]);
    expect(world.found("alert").map(({ change }) => change)).not.toContain("resolved");
  });

  it("ends also if the rule of that name judges another kind now", () => {
    const world = scriptedWorld({ rules: [rule()] }).sees("exchanges", disabled);
    world.policy = { ...world.policy, ...indexRules([rule({ kind: "pair" })]) };
    world.restarts().passes("1s");
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE resolved"]);
  });
});

describe("time in unknown", () => {
  it("does not count towards for", () => {
    const world = polling(scriptedWorld({ rules: [slow] }), 1, "disabled");
    world.fails("exchanges").passes("10m");
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE pending (unknown)"]);
    world.sees("exchanges", [exchange("BINANCE", "disabled")]);
    polling(world, 0.5, "disabled");
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE pending"]);
    polling(world, 1, "disabled");
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing"]);
  });

  it("never resolves, however long it lasts", () => {
    const world = polling(scriptedWorld({ rules: [rule()] }), 1, "disabled");
    world.fails("exchanges");
    for (let day = 0; day < 30; day += 1) {
      world.now += DAY;
      world.fails("exchanges").leaps("1s");
    }
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing (unknown)"]);
  });
});
