import { describe, expect, it } from "vitest";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import type { Rule } from "../../../src/domain/rule.ts";
import { exchange, factIs, policyOf, repair, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

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

function sees(world: World, status: "enabled" | "disabled"): World {
  return world.passes("10s").sees("exchanges", [exchange("BINANCE", status)]);
}

/** Disabled, and enabled again by our own request. */
function repaired(world: World): World {
  sees(sees(world, "disabled"), "disabled");
  const id = world.sent.length;
  world.replies(`r${id}`, "acknowledged");
  return sees(world, "enabled");
}

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
    world.commands({ name: "release_quarantine", entity: "bsc/exchange/BINANCE" });
    expect(world.alerts()).toContain("TugOfWar exchange/BINANCE resolved");
    sees(sees(world, "disabled"), "disabled");
    expect(world.sent).toHaveLength(3);
  });

  it("is seen where it is undone so soon that the alert still kept firing", () => {
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

  it("cannot be released where there is none", () => {
    const world = scriptedWorld({ rules: RULES });
    world.commands({ name: "release_quarantine", entity: "bsc/exchange/BINANCE" });
    expect(world.found("command")).toMatchObject([
      { accepted: false, detail: "bsc/exchange/BINANCE is not quarantined" },
    ]);
  });
});

describe("attempts that are used up", () => {
  it("alert, with what became of the last one, until the entity is well", () => {
    const world = scriptedWorld({ rules: RULES });
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

  it("alert where the last one was given up while its alert was pending again", () => {
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
