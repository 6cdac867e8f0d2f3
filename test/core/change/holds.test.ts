import { describe, expect, it } from "vitest";
import { stepInSlices } from "../../../src/core/step.ts";
import type { Command, Event } from "../../../src/domain/step.ts";
import { countCovered, MOST_OVERRIDES } from "../../../src/core/change/holds.ts";
import { covers, formatScope, type Scope } from "../../../src/domain/hold.ts";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import { exchange, repair, rule } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const PAIR = {
  aggregator: "bsc",
  kind: "pair",
  id: "BINANCE/ORN-USDT",
  parent: { kind: "exchange", id: "BINANCE" },
};

describe("what a scope covers", () => {
  it.each<{ scope: Scope; covered: boolean; words: string }>([
    { scope: {}, covered: true, words: "everything" },
    { scope: { aggregator: "bsc" }, covered: true, words: "everything of bsc" },
    { scope: { aggregator: "eth" }, covered: false, words: "everything of eth" },
    { scope: { kind: "pair" }, covered: true, words: "pair" },
    { scope: { kind: "swap" }, covered: false, words: "swap" },
    {
      scope: { kind: "pair", id: "BINANCE/ORN-USDT" },
      covered: true,
      words: "pair BINANCE/ORN-USDT",
    },
    { scope: { kind: "exchange", id: "BINANCE" }, covered: true, words: "exchange BINANCE" },
    { scope: { kind: "exchange", id: "KUCOIN" }, covered: false, words: "exchange KUCOIN" },
    { scope: { rule: "PairDisabled" }, covered: true, words: "everything by rule PairDisabled" },
    { scope: { rule: "Other", kind: "pair" }, covered: false, words: "pair by rule Other" },
  ])("$words: $covered", ({ scope, covered, words }) => {
    expect(covers(scope, "PairDisabled", PAIR)).toBe(covered);
    expect(formatScope(scope)).toBe(words);
  });
});

it("a scope covers an address, and what belongs to it, also with the capitals of its checksum", () => {
  const parent = { kind: "sender", id: "0x8abc" };
  const swap = { aggregator: "bsc", kind: "swap", id: "0xdef0", parent };
  for (const id of ["0x8aBC", "0x8abc", "0xDEF0"]) expect(covers({ id }, "R", swap), id).toBe(true);
  expect(covers({ id: "0x8aBD" }, "R", swap)).toBe(false);
  // Names are compared as they stand.
  const named = { aggregator: "bsc", kind: "exchange", id: "binance" };
  expect(covers({ id: "BINANCE" }, "R", named)).toBe(false);
});

it("a scope covers an open alert of what belonged to it, though that is gone", () => {
  const { kind, id, parent } = PAIR;
  const rules = [rule({ alert: "PairDisabled", kind: "pair" })];
  const world = scriptedWorld({ rules });
  world.sees("exchanges", [{ kind, id, parent, facts: { name: id, status: "disabled" } }]);
  const { policy, state } = world;
  const known = { rules: policy.rules, entities: new Map(), alerts: state.tables.alert };
  expect(countCovered(known, parent)).toEqual({ entities: 0, alerts: 1 });
  expect(countCovered(known, { ...parent, id: "KUCOIN" })).toEqual({ entities: 0, alerts: 0 });
});

it("what was repaired counts once, not with its repair, unless a scope is of repairs", () => {
  const rules = [rule({ act: repair() }), rule({ alert: "TugOfWar", kind: "repair" })];
  const world = scriptedWorld({ rules })
    .sees("exchanges", [exchange("BINANCE", "disabled")])
    .passes("2s")
    .replies("r1", "rejected")
    .passes("2s");
  const { policy, state } = world;
  expect([...state.tables.entity.keys()]).toContain("bsc/repair/exchange/BINANCE");
  const known = { rules: policy.rules, entities: state.tables.entity, alerts: new Map() };
  const entities = (scope: Scope): number => countCovered(known, scope).entities;
  expect(entities({ kind: "exchange", id: "BINANCE" })).toBe(1);
  expect(entities({ kind: "repair" })).toBe(1);
  expect(entities({ rule: "TugOfWar" })).toBe(1);
});

it("what a hold or a silence covers is counted in slices, as there may be much", () => {
  const world = scriptedWorld({ rules: [rule()] });
  const names = Array.from({ length: 500 }, (_, index) => exchange(`E${index}`, "enabled"));
  world.sees("exchanges", names);
  const slicesOf = (command: Command): number => {
    const event: Event = { type: "command", by: "ann", reason: "", command };
    const slices = stepInSlices(world.policy, world.state, event, world.now);
    let count = 0;
    while (slices.next().done !== true) count += 1;
    return count;
  };
  const kill = slicesOf({ name: "kill", source: "operator" });
  const until = world.now + 60_000;
  for (const name of ["hold", "silence"] as const)
    expect(slicesOf({ name, scope: {}, until }), name).toBeGreaterThan(kill + names.length / 50);
});

const act = repair({ cooldownMs: 0, attempts: 10 });

function bad(): World {
  return scriptedWorld({ rules: [rule({ act })] });
}

function passes(world: World, minutes: number): World {
  for (let passed = 0; passed < minutes * 6; passed += 1) {
    world.passes("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
  }
  return world;
}

const MISSPELT = "it COVERS NOTHING NOW: nothing that is watched fits, so check how it is spelt";

function holds(world: World, scope: Scope, untilMs: number): World {
  return world.commands({ name: "hold", scope, until: START + untilMs });
}

describe("a hold", () => {
  it("stops actions and not alerts, and says whose it is and why", () => {
    const world = passes(holds(bad(), { kind: "exchange", id: "BINANCE" }, HOUR), 1);
    expect(world.sent).toEqual([]);
    expect(world.alerts()).toEqual(["ExchangeDisabled BINANCE firing"]);
    expect(world.found("suppressed")).toMatchObject([
      {
        reason: "held",
        detail: "alice holds exchange BINANCE (h1) until 2026-01-01T01:00:00.000Z: she said so",
      },
    ]);
  });

  it.each<{ scope: Scope; instead: string }>([
    {
      scope: { aggregator: "bsc", kind: "repair", id: "exchange/OKX" },
      instead: "bsc/exchange/OKX",
    },
    { scope: { kind: "repair", id: "pair/OKX/ORN-USDT" }, instead: "pair/OKX/ORN-USDT" },
    { scope: { kind: "repair", rule: "TugOfWar" }, instead: "what is repaired" },
  ])("of a repair is refused, and says to hold $instead", ({ scope, instead }) => {
    const world = holds(bad(), scope, HOUR);
    expect(world.state.tables.hold.size).toBe(0);
    const [refused] = world.found("command");
    expect(refused).toMatchObject({
      accepted: false,
      detail: expect.stringContaining(`hold ${instead}`),
    });
    world.commands({ name: "silence", scope, until: START + HOUR });
    expect(world.state.tables.silence.size).toBe(1);
  });

  it.each<{ what: string; scope: Scope; said: string }>([
    {
      what: "a rule that judges nothing yet of what is known",
      scope: { kind: "exchange", id: "BINANCE", rule: "PairDisabled" },
      said: "it covers nothing now: PairDisabled judges nothing yet of what it names, which is known",
    },
    {
      what: "a rule that judges nothing yet",
      scope: { rule: "PairDisabled" },
      said: "it covers nothing now: PairDisabled judges nothing yet",
    },
    {
      what: "a rule that is not known",
      scope: { rule: "PairDisabeld" },
      said: MISSPELT,
    },
    {
      what: "a pair, which is listed only while it is disabled",
      scope: { kind: "pair", id: "BINANCE/ORN-USDT" },
      said: "it covers nothing now: a pair is known only while it is listed",
    },
    {
      what: "a pair of an exchange that is not known",
      scope: { kind: "pair", id: "BINANC/ORN-USDT" },
      said: MISSPELT,
    },
    {
      what: "what is no id of a pair",
      scope: { kind: "pair", id: "BINANCE-ORN-USDT" },
      said: MISSPELT,
    },
    {
      what: "a kind that the rule never judges",
      scope: { kind: "pair", rule: "ExchangeDisabled" },
      said: MISSPELT,
    },
    {
      what: "an aggregator that the rule does not judge",
      scope: { aggregator: "bsc", kind: "exchange", id: "BINANCE", rule: "Elsewhere" },
      said: MISSPELT,
    },
    {
      what: "of an aggregator all that a rule of the same kind does not judge there",
      scope: { aggregator: "bsc", rule: "AsDisabledElsewhere" },
      said: MISSPELT,
    },
    {
      what: "a name that is not known",
      scope: { kind: "exchange", id: "BINANC", rule: "PairDisabled" },
      said: MISSPELT,
    },
  ])(
    "that covers nothing now is not said to be misspelt without cause: $what",
    ({ scope, said }) => {
      const world = scriptedWorld({
        rules: [
          rule({ alert: "PairDisabled", kind: "pair" }),
          rule(),
          rule({ alert: "Elsewhere", kind: "pair", aggregators: ["other"] }),
          rule({ alert: "AsDisabledElsewhere", aggregators: ["other"] }),
        ],
      });
      world.sees("exchanges", [exchange("BINANCE", "enabled")]);
      const [held] = holds(world, scope, HOUR).found("command");
      expect(held).toMatchObject({ accepted: true, detail: expect.stringMatching(`; ${said}$`) });
    },
  );

  it("does not stop what it does not cover", () => {
    const world = passes(holds(bad(), { kind: "exchange", id: "KUCOIN" }, HOUR), 1);
    expect(world.sent).not.toEqual([]);
  });

  it("ends by itself, says so before, and what waited then begins with one", () => {
    const world = passes(holds(bad(), {}, HOUR), 49);
    expect(world.found("hold").map(({ change }) => change)).toEqual(["began"]);
    passes(world, 2);
    expect(world.found("hold").map(({ change }) => change)).toEqual(["began", "ends_soon"]);
    // No command extends one.
    expect(world.found("hold").at(-1)?.detail).toMatch(
      /^ends at .*; add another hold before, or actions begin again$/,
    );
    expect(world.sent).toEqual([]);
    passes(world, 9);
    expect(world.found("hold").at(-1)).toMatchObject({ change: "ended", detail: "it has run out" });
    expect(world.passes("1s").sent).toHaveLength(1);
  });

  it("that runs out between two ticks is over before what it held can act: one, not all", () => {
    const four = ["A", "B", "C", "D"].map((name) => exchange(name, "disabled"));
    const world = holds(bad(), {}, 20_500).at("20s").sees("exchanges", four);
    expect(world.suppressions()).toEqual(["held", "held", "held", "held"]);
    // Two readings, and their probes' answers, come before the tick at 21 s.
    world.at("20600ms").sees("exchanges", four).at("20900ms").sees("exchanges", four);
    expect(world.found("hold").at(-1)).toMatchObject({ change: "ended" });
    world.passes("30s");
    expect(world.sent).toHaveLength(1);
  });

  /** How many are sent after the hold `m1` of everything, which held four, is made again. */
  const sentAfter = (scope: Scope): number => {
    const four = ["A", "B", "C", "D"].map((name) => exchange(name, "disabled"));
    const world = bad().commands({ name: "hold", id: "m1", scope: {}, until: START + HOUR });
    world.at("20s").sees("exchanges", four);
    world.commands({ name: "hold", id: "m1", scope, until: START + HOUR });
    return world.sees("exchanges", four).passes("20s").sent.length;
  };

  it("that is made narrower releases what it held before one by one", () => {
    expect(sentAfter({ kind: "pair" })).toBe(1);
    expect(sentAfter({ rule: "Other" })).toBe(1);
  });

  it("that is made again as it was releases nothing", () => {
    expect(sentAfter({})).toBe(0);
  });

  it("ends when it is released, and only one that stands can be", () => {
    const world = holds(bad(), {}, HOUR);
    world.commands({ name: "release", hold: "h1" }).commands({ name: "release", hold: "h1" });
    expect(world.found("command").map(({ accepted, detail }) => [accepted, detail])).toEqual([
      [
        true,
        "h1: everything until 2026-01-01T01:00:00.000Z; it covers 4 entities now, with 0 alerts pending or firing",
      ],
      [
        true,
        "h1: everything; so that what waited is not sent all at once, acting of all rules grows from one action for the next 6m",
      ],
      [false, "no hold h1 stands"],
    ]);
  });

  it("must end later than now", () => {
    const world = holds(bad(), {}, 0);
    expect(world.found("command")).toMatchObject([{ accepted: false }]);
    expect(world.state.tables.hold.size).toBe(0);
  });

  it.each(["hold", "silence"] as const)("is one of a thousand %ss at most", (name) => {
    const world = bad();
    for (let count = 0; count <= MOST_OVERRIDES; count += 1)
      world.commands({ name, scope: {}, until: START + HOUR });
    const answers = world.found("command").map(({ accepted }) => accepted);
    expect(answers.filter(Boolean)).toHaveLength(MOST_OVERRIDES);
    expect(world.found("command").at(-1)?.detail).toBe("there are 1000 already: end some first");
    expect(world.state.tables[name].size).toBe(MOST_OVERRIDES);
    // That of a maintenance window, or a copy, is none of theirs.
    world.commands({ name, id: "maintenance-1", scope: {}, until: START + HOUR });
    expect(world.state.tables[name].has("maintenance-1")).toBe(true);
  });

  it("survives a restart", () => {
    const world = holds(bad(), {}, HOUR);
    passes(world.restarts("1m"), 2);
    expect(world.sent).toEqual([]);
  });
});

describe("a silence", () => {
  it("stops no action, and ends by itself", () => {
    const world = bad().commands({ name: "silence", scope: {}, until: START + 5 * MINUTE });
    expect(world.state.tables.silence.size).toBe(1);
    passes(world, 1);
    expect(world.sent).not.toEqual([]);
    passes(world, 5);
    expect(world.state.tables.silence.size).toBe(0);
  });
});

it("what is held by its parent's name is no mistake, though nothing of it is there", () => {
  const world = scriptedWorld({ rules: [rule({ alert: "SwapStuck", kind: "swap" })] });
  world.sees("exchanges", [{ kind: "sender", id: "0xa", facts: { address: "0xa" } }]);
  const said = (kind: string, id: string): string | undefined => {
    world.commands({ name: "hold", scope: { kind, id, rule: "SwapStuck" }, until: START + HOUR });
    return world.found("command").at(-1)?.detail;
  };
  expect(said("sender", "0xa")).toContain("SwapStuck judges nothing yet of what it names");
  for (const [kind, id] of [
    ["sender", "0xb"],
    ["exchange", "0xa"],
  ] as const)
    expect(said(kind, id)).toContain("COVERS NOTHING NOW");
});

it.each(["hold", "silence"] as const)(
  "a %s that is to last so long does from when it is done, whatever the clock said of who was asked",
  (name) => {
    const until = START - HOUR;
    const world = scriptedWorld({ rules: [] }).commands({ name, scope: {}, until, forMs: MINUTE });
    const [made] = world.state.tables[name].values();
    expect(made).toMatchObject({ from: START, until: START + MINUTE });
  },
);
