import { describe, expect, it } from "vitest";
import { mostBad } from "../../../src/core/act/storm.ts";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import { exchange, policyOf, repair, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const NAMES = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"];
const limit = { max: 3, maxRatio: 0.3 };

function worldOf(storm = limit, attempts = 10): World {
  const act = repair({ storm, attempts, cooldownMs: 0, budget: { max: 100, perMs: 3_600_000 } });
  return scriptedWorld({ rules: [rule({ act })] });
}

/** The first so many of ten exchanges are disabled. */
function disabled(world: World, count: number, of = NAMES): World {
  return world.sees(
    "exchanges",
    of.map((name, index) => exchange(name, index < count ? "disabled" : "enabled")),
  );
}

/** Passes time with a reading every ten seconds. */
function passes(world: World, seconds: number, count: number, of = NAMES): World {
  for (let passed = 0; passed < seconds; passed += 10) disabled(world.passes("10s"), count, of);
  return world;
}

describe("how many may be bad at once", () => {
  it.each([
    { total: 10, most: 3, why: "the ratio and the maximum agree" },
    { total: 2, most: 1, why: "one of two may be repaired, though it is half" },
    { total: 1, most: 1, why: "the only one may be repaired" },
    { total: 10_000, most: 3, why: "the maximum holds, however many there are" },
    { total: undefined, most: 3, why: "only the bad ones are listed, so there is no ratio" },
  ])("of $total: $most, as $why", ({ total, most }) => {
    expect(mostBad(limit, total)).toBe(most);
  });
});

describe("a storm", () => {
  it("stops acting when more are bad at once than may be, and says how many", () => {
    const world = disabled(worldOf(), 4);
    expect(world.sent).toEqual([]);
    expect(world.suppressions()).toEqual(["storm", "storm", "storm", "storm"]);
    expect(world.found("suppressed")[0]?.detail).toBe(
      "4 of 10 are bad at once, and no more than 3 are repaired",
    );
    expect(world.found("storm")).toMatchObject([{ change: "began", rule: "ExchangeDisabled" }]);
  });

  it("lets act what is within the limits", () => {
    const world = passes(disabled(worldOf(), 3), 10, 3);
    expect(world.sent).toHaveLength(3);
    expect(world.found("storm")).toEqual([]);
  });

  it("counts those whose `for` has not passed yet", () => {
    const act = repair({ storm: limit });
    const slow = rule({ act, forMs: 60_000 });
    const world = scriptedWorld({ rules: [slow] });
    passes(disabled(world, 2), 40, 2);
    passes(world, 30, 5);
    expect(world.sent).toEqual([]);
    expect(world.suppressions()).toContain("storm");
  });

  it("clears itself, and then lets one act, then two, then four", () => {
    const world = disabled(worldOf(), 10);
    passes(world, 60, 10);
    expect(world.sent).toEqual([]);
    passes(world, 60, 3);
    expect(world.found("storm").map(({ change }) => change)).toEqual(["began", "ends_soon"]);
    expect(world.sent).toHaveLength(1);
    expect(world.found("suppressed").at(-1)).toMatchObject({ reason: "storm" });
    passes(world, 60, 3);
    expect(world.sent).toHaveLength(3);
  });

  it("is over when the ramp is", () => {
    const world = disabled(worldOf(), 10);
    passes(world, 10, 0);
    passes(world, 7 * 60, 0);
    expect(world.found("storm").map(({ change }) => change)).toEqual([
      "began",
      "ends_soon",
      "ended",
    ]);
    expect(world.state.tables.storm.size).toBe(0);
  });

  it("that comes back during the ramp stops acting again", () => {
    const world = disabled(worldOf(), 10);
    passes(world, 20, 0);
    const before = world.sent.length;
    passes(world, 30, 9);
    expect(world.sent).toHaveLength(before);
    expect(world.found("storm").map(({ change }) => change)).toEqual([
      "began",
      "ends_soon",
      "began",
    ]);
  });

  it("stands after a restart, until what is bad is known to be less", () => {
    const world = passes(disabled(worldOf(), 10), 20, 10);
    world.restarts("10s");
    passes(world, 40, 10);
    expect(world.sent).toEqual([]);
    expect(world.state.tables.storm.size).toBe(1);
  });

  it("of two exchanges: one is repaired, two are a storm", () => {
    const two = ["A", "B"];
    expect(passes(disabled(worldOf(), 1, two), 10, 1, two).sent).toHaveLength(1);
    expect(passes(disabled(worldOf(), 2, two), 10, 2, two).sent).toEqual([]);
  });
});

describe("a storm limit that a reload brings into force", () => {
  it("holds at once, though no alert has moved since", () => {
    const shadow = repair({ mode: "shadow" });
    const world = disabled(scriptedWorld({ rules: [rule({ act: shadow })] }), 4);
    expect(world.found("storm")).toEqual([]);
    const rulesBefore = ruleHashes(world.policy.rules);
    world.policy = policyOf([rule({ act: repair({ storm: limit }), hash: "lowered" })]);
    world.tell({ type: "policy_changed", rulesBefore, moved: [] });
    passes(world, 30, 4);
    expect(world.found("storm")).toMatchObject([{ change: "began", rule: "ExchangeDisabled" }]);
    expect(world.sent).toEqual([]);
  });

  it("clears at once a storm that is none by it", () => {
    const world = disabled(worldOf(), 4);
    const rulesBefore = ruleHashes(world.policy.rules);
    world.policy = policyOf([rule({ act: repair(), hash: "raised" })]);
    world.tell({ type: "policy_changed", rulesBefore, moved: [] });
    expect(world.found("storm").map(({ change }) => change)).toEqual(["began", "ends_soon"]);
  });
});
