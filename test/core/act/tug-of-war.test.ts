import { describe, expect, it } from "vitest";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import { DAY, SECOND } from "../../../src/domain/time.ts";
import type { Rule } from "../../../src/domain/rule.ts";
import { ruleFile, rulesOf } from "../../config/rules/rule-text.ts";
import { exchange, factIs, policyOf, repair, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const BINANCE = "bsc/exchange/BINANCE";

const act = repair({ cooldownMs: 0, attempts: 2, verifyWithinMs: 30_000 });
const RULES = [
  rule({ act }),
  rule({ alert: "TugOfWar", kind: "repair", when: factIs("quarantined", true), annotations: {} }),
  rule({
    alert: "RemediationFailed",
    kind: "repair",
    when: factIs("exhausted", true),
    annotations: {},
  }),
];

/** Other rules come into force, as the loop puts them there. */
function reloads(world: World, rules: readonly Rule[]): World {
  const rulesBefore = ruleHashes(world.policy.rules);
  world.policy = policyOf(rules);
  return world.tell({ type: "policy_changed", rulesBefore, moved: [] });
}

/** Its aggregator leaves the config, and comes back by a reload or a restart. */
function leavesAndReturns(world: World, by: "reload" | "restart"): World {
  const { aggregators } = world.policy;
  world.policy = { ...world.policy, aggregators: [] };
  const rulesBefore = ruleHashes(world.policy.rules);
  world.tell({ type: "policy_changed", rulesBefore, moved: [] }).passes("1m");
  expect(world.alerts().filter((one) => one.endsWith("firing"))).toEqual([]);
  world.policy = { ...world.policy, aggregators };
  if (by === "restart") return world.restarts("1s");
  return world.tell({ type: "policy_changed", rulesBefore, moved: [] });
}

function sees(world: World, status: "enabled" | "disabled"): World {
  return world.passes("10s").sees("exchanges", [exchange("BINANCE", status)]);
}

function isMissing(world: World): World {
  const facts = { name: "BINANCE", status: "missing" };
  return world.passes("10s").sees("exchanges", [{ kind: "exchange", id: "BINANCE", facts }]);
}

/** Disabled, and enabled again by our own request. */
function repaired(world: World): World {
  sees(sees(world, "disabled"), "disabled");
  const id = world.sent.length;
  world.replies(`r${id}`, "acknowledged");
  return world
    .passes("10s")
    .sees("exchanges", [exchange("BINANCE", "enabled")], { origin: "probe" });
}

/** Four minutes in which every poll shows it disabled, whatever we send. */
function answering(world: World, answer: (id: string) => void): void {
  sees(world, "disabled");
  for (let answered = 0, tenth = 0; tenth < 2_400; tenth += 1) {
    world.passes("100ms");
    if (tenth % 100 === 0) world.reads("exchanges", [exchange("BINANCE", "disabled")]);
    if (world.sent.length > answered) answer(`r${(answered += 1)}`);
  }
}

/** Acknowledged, and seen to be done only after its time is over. What is sent again meanwhile has no answer. */
function repairedLate(world: World): World {
  sees(sees(world, "disabled"), "disabled");
  world.replies(`r${world.sent.length}`, "acknowledged");
  for (let round = 0; round < 6; round += 1)
    sees(world, "disabled").replies(`r${world.sent.length}`, "in_doubt");
  return sees(world, "enabled");
}

describe("repairs that are seen to be done late", () => {
  it("are no tug of war if each lasts for longer than undo_window", () => {
    const world = scriptedWorld({ rules: RULES });
    const { undoWindowMs } = world.policy.acting;
    for (let times = 0; times < 4; times += 1) {
      repairedLate(world);
      for (let passed = 0; passed <= undoWindowMs; passed += 60_000)
        world.passes("1m").sees("exchanges", [exchange("BINANCE", "enabled")]);
    }
    expect(world.remediations().every((one) => one.endsWith("unverified"))).toBe(true);
    expect(world.alerts()).not.toContain("TugOfWar exchange/BINANCE firing");
  });

  it("are one if each is undone soon", () => {
    const world = scriptedWorld({ rules: RULES });
    for (let times = 0; times < 4; times += 1) repairedLate(world);
    expect(world.alerts()).toContain("TugOfWar exchange/BINANCE firing");
  });
});

describe("a rule on a repair", () => {
  it("may read its facts over a window", () => {
    const text = ruleFile(
      "alert: RepairsFail",
      "each: repair",
      "with: { most: { fact: failures, max: 10m } }",
      "when: repair.most >= 2.0",
      "annotations: {}",
    );
    const world = scriptedWorld({ rules: [rule({ act }), ...rulesOf(text)] });
    answering(world, (id) => world.replies(id, "rejected"));
    expect(world.entity("repair", "exchange/BINANCE")?.windows).toBeDefined();
    expect(world.alerts()).toContain("RepairsFail exchange/BINANCE firing");
  });

  it("resolves when the repair is forgotten, whatever its facts", () => {
    const when = factIs("last_outcome", "rejected");
    const failed = rule({ alert: "LastFailed", kind: "repair", when, annotations: {} });
    const world = scriptedWorld({ rules: [rule({ act }), failed] });
    answering(world, (id) => world.replies(id, "rejected"));
    sees(world, "enabled").passes("1s");
    expect(world.alerts()).toContain("LastFailed exchange/BINANCE firing");
    world.leaps("2d");
    expect(world.entity("repair", "exchange/BINANCE")).toBeUndefined();
    expect(world.alerts()).toContain("LastFailed exchange/BINANCE resolved");
  });
});

describe("attempts that are used up", () => {
  it("are alerted on for as long as what was to be repaired is bad, however long that is", () => {
    const world = scriptedWorld({ rules: RULES });
    answering(world, (id) => world.replies(id, "rejected"));
    expect(world.sent).toHaveLength(2);
    world.leaps("2d");
    expect(world.remediations()).toEqual([]);
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE firing");
    sees(world, "enabled").passes("1s");
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE resolved");
    expect(world.state.tables.attempt.size).toBe(0);
    expect(world.entity("repair", "exchange/BINANCE")).toBeUndefined();
  });
});

describe("a tug of war", () => {
  it("quarantines what was repaired and undone twice, and alerts until it is released", () => {
    const world = scriptedWorld({ rules: RULES });
    repaired(repaired(world));
    expect(world.sent).toHaveLength(2);
    expect(world.found("quarantine")).toEqual([]);
    sees(sees(world, "disabled"), "disabled");
    expect(world.sent).toHaveLength(2);
    expect(world.found("quarantine")).toMatchObject([
      { change: "began", entity: "bsc/exchange/BINANCE" },
    ]);
    expect(world.suppressions()).toContain("quarantined");
    expect(world.alerts()).toContain("TugOfWar exchange/BINANCE firing");
    world.restarts("1h");
    sees(sees(world, "disabled"), "disabled");
    expect(world.sent).toHaveLength(2);
    expect(world.alerts()).toContain("TugOfWar exchange/BINANCE firing");
    world.commands({ name: "release_quarantine", entity: "bsc/exchange/BINANC" });
    expect(world.found("command").at(-1)?.detail).toBe(
      "bsc/exchange/BINANC is not quarantined; these are: bsc/exchange/BINANCE",
    );
    world.commands({ name: "release_quarantine", entity: "bsc/exchange/BINANCE" });
    expect(world.found("command").at(-1)?.detail).toBe(
      "bsc/exchange/BINANCE is not quarantined any more",
    );
    expect(world.alerts()).toContain("TugOfWar exchange/BINANCE resolved");
    sees(sees(world, "disabled"), "disabled");
    expect(world.sent).toHaveLength(3);
  });

  it.each(["reload", "restart"] as const)(
    "alerts again once its aggregator is back by a %s, as it is still quarantined",
    (by) => {
      const world = scriptedWorld({ rules: RULES });
      sees(sees(repaired(repaired(world)), "disabled"), "disabled");
      leavesAndReturns(world, by);
      expect(world.alerts()).toContain("TugOfWar exchange/BINANCE firing");
      expect(world.entity("repair", "exchange/BINANCE")?.facts).toMatchObject({
        quarantined: true,
        undone: 2,
        detail: expect.stringContaining("was undone 2 times"),
      });
      sees(sees(world, "disabled"), "disabled");
      expect(world.sent).toHaveLength(2);
      expect(world.suppressions().at(-1)).toBe("quarantined");
      world.commands({ name: "release_quarantine", entity: "bsc/exchange/BINANCE" });
      expect(world.alerts()).toContain("TugOfWar exchange/BINANCE resolved");
    },
  );

  it("leaves what its repair says as it is over reloads and restarts", () => {
    const world = scriptedWorld({ rules: RULES });
    sees(sees(repaired(repaired(world)), "disabled"), "disabled");
    const before = structuredClone(world.entity("repair", "exchange/BINANCE"));
    expect(reloads(world, RULES).restarts().entity("repair", "exchange/BINANCE")).toEqual(before);
  });

  it("is seen if it is undone so soon that the alert still kept firing", () => {
    const world = scriptedWorld({ rules: [rule({ act, keepFiringForMs: 60_000 })] });
    repaired(world);
    sees(sees(world, "disabled"), "disabled");
    world.replies("r2", "acknowledged");
    sees(world, "enabled");
    sees(sees(world, "disabled"), "disabled");
    expect(world.found("alert").map(({ change }) => change)).not.toContain("resolved");
    expect(world.found("quarantine")).toMatchObject([{ change: "began" }]);
  });

  it("is none when the repair lasted for longer than undo_window", () => {
    const world = scriptedWorld({ rules: RULES, acting: { undoWindowMs: 60_000 } });
    for (let round = 0; round < 3; round += 1) {
      repaired(world);
      for (let quiet = 0; quiet < 12; quiet += 1) sees(world, "enabled");
    }
    sees(sees(world, "disabled"), "disabled");
    expect(world.found("quarantine")).toEqual([]);
    expect(world.sent).toHaveLength(4);
  });

  it("is none if one repair is undone twice, as others had done it again", () => {
    const seldom = rule({ act: { ...act, cooldownMs: 600_000 } });
    const world = scriptedWorld({ rules: [seldom] });
    sees(sees(world, "disabled"), "disabled").replies("r1", "acknowledged");
    // Seen done before it can be verified, as the reading was asked too soon; then undone, and done by others.
    world.reads("exchanges", [exchange("BINANCE", "enabled")], { askedAgo: "1s" });
    sees(sees(sees(world, "disabled"), "enabled"), "disabled");
    expect(world.sent).toHaveLength(1);
    expect(world.state.tables.attempt.get("bsc/exchange/BINANCE")?.undone).toBe(1);
  });

  it("is one although others enabled it and disabled it again before the second repair", () => {
    const seldom = rule({ act: { ...act, cooldownMs: 300_000 } });
    const world = scriptedWorld({ rules: [seldom], acting: { undoWindowMs: 60_000 } });
    sees(repaired(world), "disabled");
    for (let quiet = 0; quiet < 12; quiet += 1) sees(world, "enabled");
    for (let round = 0; round < 40 && world.sent.length < 2; round += 1) sees(world, "disabled");
    world.replies("r2", "acknowledged");
    sees(sees(world, "enabled"), "disabled");
    expect(world.found("quarantine")).toMatchObject([{ change: "began" }]);
  });

  it("counts what is undone before it is seen to be done, and ends it after one more", () => {
    const stubborn = repair({ cooldownMs: SECOND, attempts: 9, verifyWithinMs: 3 * SECOND });
    const world = scriptedWorld({ rules: [rule({ act: stubborn }), ...RULES.slice(1)] });
    answering(world, (id) => world.replies(id, "acknowledged"));
    expect(world.sent).toHaveLength(3);
    expect(world.found("quarantine")).toMatchObject([
      {
        detail: "what was repaired was undone 3 times, the last time before it was seen to be done",
      },
    ]);
    expect(world.alerts()).toContain("TugOfWar exchange/BINANCE firing");
  });

  it("counts what was seen done only while our request was under way", () => {
    const world = scriptedWorld({ rules: [rule({ act: { ...act, attempts: 9 } })] });
    answering(world, (id) => {
      world.passes("100ms").replies(id, "acknowledged");
      // Asked after the request, and before its answer.
      world.reads("exchanges", [exchange("BINANCE", "enabled")], { askedAgo: "50ms" });
    });
    expect(world.sent).toHaveLength(2);
    expect(world.found("quarantine")).toMatchObject([{ change: "began" }]);
  });

  it("goes on counting if an exchange that was never seen to be repaired is missing for a moment", () => {
    const world = scriptedWorld({ rules: [rule({ act: { ...act, attempts: 9 } })] });
    sees(world, "disabled").passes("1s").replies("r1", "acknowledged");
    for (let round = 0; round < 4; round += 1) sees(world, "disabled");
    expect(world.state.tables.attempt.get(BINANCE)?.undone).toBe(1);
    // No more is sent before undo_window is over, and then it is missing for a moment.
    world.commands({ name: "kill", source: "operator" }).passes("31m");
    world
      .passes("10s")
      .sees("exchanges", [
        { kind: "exchange", id: "BINANCE", facts: { name: "BINANCE", status: "missing" } },
      ]);
    expect(world.alerts()).toContain("ExchangeDisabled BINANCE resolved");
    sees(world, "disabled");
    expect(world.state.tables.attempt.get(BINANCE)?.undone).toBe(1);
  });

  it("goes on counting if its rule is renamed while it is disabled", () => {
    const world = scriptedWorld({ rules: [rule({ act: { ...act, attempts: 9 } })] });
    sees(world, "disabled").passes("1s").replies("r1", "acknowledged");
    for (let round = 0; round < 4; round += 1) sees(world, "disabled");
    world.commands({ name: "kill", source: "operator" }).passes("31m");
    sees(world, "disabled");
    reloads(world, [rule({ alert: "Renamed", act: { ...act, attempts: 9 } })]);
    expect(world.state.tables.attempt.get(BINANCE)?.undone).toBe(1);
  });

  it("is one if undo_window is longer than what was sent is remembered for otherwise", () => {
    const world = scriptedWorld({ rules: RULES, acting: { undoWindowMs: DAY } });
    for (let times = 0; times < 2; times += 1) {
      repaired(world).leaps("20h");
      sees(sees(world, "enabled"), "disabled");
    }
    expect(world.alerts()).toContain("TugOfWar exchange/BINANCE firing");
  });

  it("is none while an action has no answer, or nothing sure is known after it", () => {
    const stubborn = repair({ cooldownMs: SECOND, attempts: 4, verifyWithinMs: 3 * SECOND });
    const acting = { undoLimit: 1 };
    const rules = [rule({ act: stubborn })];
    const world = scriptedWorld({ rules, acting, actions: "time_out" });
    for (let round = 0; round < 60; round += 1) sees(world, "disabled");
    expect(world.sent).toHaveLength(4);
    expect(world.found("quarantine")).toEqual([]);
  });

  it("cannot be released if there is none", () => {
    const world = scriptedWorld({ rules: RULES });
    world.commands({ name: "release_quarantine", entity: "bsc/exchange/BINANCE" });
    expect(world.found("command")).toMatchObject([
      { accepted: false, detail: "bsc/exchange/BINANCE is not quarantined" },
    ]);
  });
});

describe("attempts that are used up", () => {
  it("alert, with what became of the last one, until the entity is well", () => {
    const world = scriptedWorld({ rules: RULES, actions: "time_out" });
    for (let round = 0; round < 12; round += 1) sees(world, "disabled");
    expect(world.remediations()).toEqual(["r1 unverified", "r2 unverified"]);
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE firing");
    expect(world.entity("repair", "exchange/BINANCE")?.facts).toMatchObject({
      action: "enable_exchange",
      last_outcome: "unverified",
      failures: 2,
      exhausted: true,
    });
    sees(world, "enabled");
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE resolved");
  });

  it.each(["reload", "restart"] as const)(
    "alert again once the aggregator is back by a %s and it is still bad",
    (by) => {
      const world = scriptedWorld({ rules: RULES, actions: "time_out" });
      for (let round = 0; round < 12; round += 1) sees(world, "disabled");
      expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE firing");
      const facts = world.entity("repair", "exchange/BINANCE")?.facts;
      leavesAndReturns(world, by);
      for (let round = 0; round < 3; round += 1) sees(world, "disabled");
      expect(world.sent).toHaveLength(2);
      expect(world.entity("repair", "exchange/BINANCE")?.facts).toEqual(facts);
      expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE firing");
    },
  );

  it("are in the facts of the repair once the aggregator is back, without a later attempt that was never sent", () => {
    const world = scriptedWorld({ rules: RULES });
    const of = (attempts: number) =>
      RULES.map((one) => (one.act ? { ...one, act: { ...act, attempts } } : one));
    for (let round = 0; round < 12; round += 1)
      sees(world, "disabled").replies(`r${world.sent.length}`, "acknowledged");
    const facts = world.entity("repair", "exchange/BINANCE")?.facts;
    expect(facts).toMatchObject({ exhausted: true, last_outcome: "unverified" });
    sees(reloads(world, of(3)), "disabled").replies("r3", "unsent");
    expect(world.remediations().at(-1)).toBe("r3 rejected");
    sees(reloads(world, of(2)), "disabled");
    expect(world.entity("repair", "exchange/BINANCE")?.facts).toEqual(facts);
    sees(leavesAndReturns(world, "reload"), "disabled");
    expect(world.entity("repair", "exchange/BINANCE")?.facts).toEqual(facts);
  });

  it("stay used if the entity is missing for a moment, over a restart too", () => {
    const world = scriptedWorld({ rules: RULES, actions: "time_out" });
    for (let round = 0; round < 12; round += 1) sees(world, "disabled");
    isMissing(world);
    expect(world.alerts()).toContain("ExchangeDisabled BINANCE resolved");
    for (let round = 0; round < 12; round += 1) sees(world, "disabled");
    expect(world.sent).toHaveLength(2);
    expect(world.suppressions().at(-1)).toBe("attempts");
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE firing");
    isMissing(world);
    world.restarts("1s");
    for (let round = 0; round < 12; round += 1) sees(world, "disabled");
    expect(world.sent).toHaveLength(2);
  });

  it("are given back when the entity was well, whether an alert ended by it or not", () => {
    const world = scriptedWorld({ rules: RULES, actions: "time_out" });
    for (let round = 0; round < 12; round += 1) sees(world, "disabled");
    world
      .passes("10s")
      .sees("exchanges", [
        { kind: "exchange", id: "BINANCE", facts: { name: "BINANCE", status: "missing" } },
      ]);
    sees(world, "enabled");
    for (let round = 0; round < 3; round += 1) sees(world, "disabled");
    expect(world.sent).toHaveLength(3);
  });

  it("stay used for an alert that keeps firing, though the entity was well meanwhile", () => {
    const keeping = rule({ act: { ...act, attempts: 1 }, keepFiringForMs: 60_000 });
    const world = scriptedWorld({ rules: [keeping, ...RULES.slice(1)] });
    repaired(world);
    expect(world.remediations()).toEqual(["r1 verified"]);
    for (let round = 0; round < 3; round += 1) sees(world, "disabled");
    expect(world.suppressions().at(-1)).toBe("attempts");
    for (let round = 0; round < 8; round += 1) sees(world, "enabled");
    expect(world.alerts()).toContain("ExchangeDisabled BINANCE resolved");
    for (let round = 0; round < 3; round += 1) sees(world, "disabled");
    expect(world.sent).toHaveLength(2);
  });

  it("count for the next alert only since the entity was well, though the one before counted all", () => {
    const slow = { ...act, attempts: 3, cooldownMs: 60_000 };
    const world = scriptedWorld({ rules: [rule({ act: slow, keepFiringForMs: 300_000 })] });
    const attempts = (): number | undefined =>
      world.alert("ExchangeDisabled", "exchange", "BINANCE")?.attempts;
    sees(world, "disabled").passes("1s").replies("r1", "rejected");
    sees(world, "enabled");
    for (let round = 0; round < 13; round += 1) sees(world, "disabled");
    world.replies("r2", "rejected");
    expect(attempts()).toBe(2);
    for (let round = 0; round < 32; round += 1) isMissing(world);
    expect(world.alerts()).toEqual(["ExchangeDisabled BINANCE resolved"]);
    sees(world, "disabled");
    expect(attempts()).toBe(1);
  });

  it("are given back when the entity was well while their rule was not in force", () => {
    const world = scriptedWorld({ rules: RULES, actions: "time_out" });
    for (let round = 0; round < 12; round += 1) sees(world, "disabled");
    expect(world.sent).toHaveLength(2);
    sees(reloads(world, RULES.slice(1)), "enabled");
    reloads(world, RULES);
    for (let round = 0; round < 3; round += 1) sees(world, "disabled");
    expect(world.sent).toHaveLength(3);
  });

  it("are given back when the entity was well while their rule judged another kind", () => {
    const world = scriptedWorld({ rules: RULES, actions: "time_out" });
    for (let round = 0; round < 12; round += 1) sees(world, "disabled");
    expect(world.sent).toHaveLength(2);
    const other = { ...act, action: "force_cancel_order" } as const;
    sees(reloads(world, [rule({ kind: "liquidation", act: other })]), "enabled");
    reloads(world, RULES);
    for (let round = 0; round < 3; round += 1) sees(world, "disabled");
    expect(world.sent).toHaveLength(3);
  });

  it("alert when a reload has left the rule no more, and not when it has given some back", () => {
    const world = scriptedWorld({ rules: RULES });
    const attempts = (most: number, hash: string): World =>
      reloads(world, [
        rule({ act: { ...act, cooldownMs: 600_000, attempts: most }, hash }),
        ...RULES.slice(1),
      ]);
    attempts(3, "three");
    for (let round = 0; round < 6; round += 1) sees(world, "disabled");
    expect(world.remediations()).toEqual(["r1 unverified"]);
    expect(world.alerts()).not.toContain("RemediationFailed exchange/BINANCE firing");
    attempts(1, "one");
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE firing");
    attempts(3, "three");
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE resolved");
  });

  it.each(["reload", "restart"])("alert no longer once a %s has left the rule no action", (by) => {
    const world = scriptedWorld({ rules: RULES });
    answering(world, (id) => world.replies(id, "rejected"));
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE firing");
    const rules = [rule({ hash: "alerts only" }), ...RULES.slice(1)];
    if (by === "reload") reloads(world, rules);
    else {
      world.policy = policyOf(rules);
      world.restarts("1s");
    }
    sees(world, "disabled");
    expect(world.alerts()).toContain("ExchangeDisabled BINANCE firing");
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE resolved");
  });

  it("alert if the last one was given up while its alert was pending again", () => {
    const world = scriptedWorld({ rules: RULES });
    const once = { act: { ...act, attempts: 1 } };
    reloads(world, [rule({ ...once, hash: "once" }), ...RULES.slice(1)]);
    for (let round = 0; round < 3; round += 1) sees(world, "disabled");
    expect(world.sent).toHaveLength(1);
    reloads(world, [rule({ ...once, forMs: 120_000, hash: "slow" }), ...RULES.slice(1)]);
    for (let round = 0; round < 5; round += 1) sees(world, "disabled");
    expect(world.remediations()).toEqual(["r1 unverified"]);
    expect(world.alerts()).not.toContain("RemediationFailed exchange/BINANCE firing");
    for (let round = 0; round < 8; round += 1) sees(world, "disabled");
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE firing");
  });
});
