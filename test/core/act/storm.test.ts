import { describe, expect, it } from "vitest";
import { mostBad } from "../../../src/core/act/storm-count.ts";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import type { Rule } from "../../../src/domain/rule.ts";
import { exchange, factIs, pair, policyOf, repair, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const NAMES = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"];
const limit = { max: 3, maxRatio: 0.3, withinMs: 0 };

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

  it("begins when so many others vanish that what is bad is too large a part of the rest", () => {
    const world = passes(disabled(worldOf(), 3), 10, 3);
    expect(world.found("storm")).toEqual([]);
    // Half of them are absent at once, which the next poll confirms.
    for (let poll = 0; poll < 2; poll += 1) disabled(world.passes("10s"), 3, NAMES.slice(0, 4));
    expect(world.found("storm")).toMatchObject([
      { change: "began", detail: "3 of 4 are bad at once, and no more than 1 are repaired" },
    ]);
  });

  it("is of what is there: names that came once and went make the fleet no larger", () => {
    const world = passes(worldOf(), 10, 0, ["A", "B", "C", "D"]);
    passes(world, 10, 0, ["A", "B", "C", "D", ...NAMES.slice(4)]);
    passes(world, 30, 0, ["A", "B", "C", "D"]);
    passes(world, 10, 2, ["A", "B", "C", "D"]);
    expect(world.found("storm")).toMatchObject([
      { change: "began", detail: "2 of 4 are bad at once, and no more than 1 are repaired" },
    ]);
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

  it("counts nothing that was pending when its rule was taken out, once the rule is back", () => {
    const slow = rule({ act: repair({ storm: limit, cooldownMs: 0 }), forMs: 20_000 });
    const world = disabled(scriptedWorld({ rules: [slow] }), 3);
    const reload = (rules: readonly Rule[]): void => {
      const rulesBefore = ruleHashes(world.policy.rules);
      world.policy = policyOf(rules);
      world.tell({ type: "policy_changed", rulesBefore, moved: [] });
    };
    reload([]);
    passes(world, 10, 0);
    reload([slow]);
    passes(world, 40, 1, NAMES.toReversed());
    expect(world.found("storm")).toEqual([]);
    expect(world.sent.map(({ call }) => call.args["exchange"])).toEqual(["J"]);
  });
});

describe("a storm by rate", () => {
  const rate = { max: 3, maxRatio: 0.3, withinMs: 600_000 };

  /** One exchange of ten is disabled, and then enabled by the repair, or by itself. */
  function breaks(world: World, name: string, of = NAMES): World {
    const seen = (bad: boolean) =>
      of.map((one) => exchange(one, bad && one === name ? "disabled" : "enabled"));
    const sent = world.sent.length;
    world.sees("exchanges", seen(true)).passes("1s");
    const [made] = world.sent.slice(sent);
    world.becomes("exchanges", seen(false));
    if (made !== undefined) world.replies(made.remediation, "acknowledged");
    return world.sees("exchanges", seen(false)).passes("29s").sees("exchanges", seen(false));
  }

  const enabled = (world: World): unknown[] => world.sent.map(({ call }) => call.args["exchange"]);

  it("counts those that were repaired meanwhile, and says how many became bad within the window", () => {
    const world = worldOf(rate);
    for (const name of NAMES) breaks(world, name);
    expect(enabled(world)).toEqual(["A", "B", "C"]);
    expect(world.found("suppressed")[0]).toMatchObject({
      reason: "storm",
      detail:
        "4 of 10 are bad or became bad within 10m (bad now: 1), and no more than 3 are repaired",
    });
    expect(world.found("storm")).toMatchObject([{ change: "began" }]);
  });

  it("takes one that flaps for one", () => {
    const world = worldOf(rate);
    for (let round = 0; round < 6; round += 1) breaks(world, "A");
    expect(world.found("storm")).toEqual([]);
  });

  it("clears at the instant at which enough have left the window, and then acting grows", () => {
    const world = worldOf(rate);
    for (const name of ["A", "B", "C", "D"]) breaks(world, name);
    // A became bad at 0, so that three are left after ten minutes.
    world.at("9m59s");
    expect(world.found("storm").map(({ change }) => change)).toEqual(["began"]);
    world.at("10m");
    expect(world.found("storm").map(({ change }) => change)).toEqual(["began", "ends_soon"]);
    breaks(world.at("13m"), "E");
    expect(enabled(world).at(-1)).toBe("E");
  });

  it("is counted on over a restart", () => {
    const world = worldOf(rate);
    for (const name of ["A", "B", "C"]) breaks(world, name);
    world.restarts("10s").passes("1s");
    for (const name of ["D", "E"]) breaks(world, name);
    expect(enabled(world)).toEqual(["A", "B", "C"]);
    expect(world.suppressions()).toContain("storm");
  });

  it("is counted on over a restart in which they are bad", () => {
    const world = worldOf({ ...rate, max: 2 });
    disabled(world, 2);
    world.restarts("10s");
    disabled(world, 0).passes("10s");
    breaks(world, "J");
    expect(world.sent.map(({ call }) => call.args["exchange"])).not.toContain("J");
    expect(world.suppressions()).toContain("storm");
  });

  it("counts pairs, which are gone from the listing when they are enabled", () => {
    const act = repair({ action: "enable_pair", storm: { ...rate, max: 1 }, cooldownMs: 0 });
    const when = factIs("status", "disabled");
    const world = scriptedWorld({
      rules: [rule({ alert: "PairDisabled", kind: "pair", when, act })],
    });
    world.sees("exchanges", [exchange("A", "enabled"), pair("A", "X")]);
    world
      .passes("1s")
      .sees("exchanges", [exchange("A", "enabled")])
      .passes("10s");
    world.sees("exchanges", [exchange("A", "enabled")]).passes("10s");
    expect(world.entity("pair", "A/X")).toBeUndefined();
    world.sees("exchanges", [exchange("A", "enabled"), pair("A", "Y")]).passes("10s");
    expect(world.sent).toHaveLength(1);
    expect(world.suppressions()).toContain("storm");
  });

  it("remembers no more than it needs, and still sees that too many became bad", () => {
    const names = Array.from({ length: 400 }, (_, index) => `X${index}`);
    const world = worldOf({ max: 3, maxRatio: 1, withinMs: 3_600_000 });
    disabled(world, 400, names).passes("1s");
    disabled(world, 0, names).passes("1s");
    const [kept] = world.state.tables.became_bad.values();
    expect(Object.keys(kept ?? {})).toHaveLength(100);
    expect(world.found("storm").map(({ change }) => change)).toEqual(["began"]);
    disabled(world.passes("59m57s"), 0, names);
    expect(world.found("storm").map(({ change }) => change)).toEqual(["began"]);
    world.passes("1s");
    expect(world.found("storm").map(({ change }) => change)).toEqual(["began", "ends_soon"]);
  });

  it("is forgotten if its rule does not act any more", () => {
    const world = worldOf(rate);
    breaks(world, "A");
    expect(world.state.tables.became_bad.size).toBe(1);
    const rulesBefore = ruleHashes(world.policy.rules);
    world.policy = policyOf([rule({ hash: "only tells" })]);
    world.tell({ type: "policy_changed", rulesBefore, moved: [] });
    expect(world.state.tables.became_bad.size).toBe(0);
  });
});
