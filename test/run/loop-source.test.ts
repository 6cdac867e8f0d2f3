import { describe, expect, it } from "vitest";
import { ruleHashes } from "../../src/core/change/reload.ts";
import { restore } from "../../src/core/start.ts";
import type { State } from "../../src/core/state.ts";
import type { Policy } from "../../src/domain/step.ts";
import type { Explained, LoopSource } from "../../src/io/api/server-source.ts";
import type { Past } from "../../src/core/explain/explain-past.ts";
import type { JournalReading } from "../../src/io/journal/past.ts";
import type { StoredFinding } from "../../src/io/journal/rows.ts";
import { DatabaseAway } from "../../src/io/postgres/database.ts";
import { createLoopSource } from "../../src/run/loop-source.ts";
import { AGGREGATOR, exchange, pair, policyOf, repair, rule } from "../core/fixtures.ts";
import { watchKinds } from "../../src/pollers/watch-kinds.ts";
import { observed, partOf } from "../core/readings.ts";
import { actingPolicy, slicedTest } from "./loop-world.ts";
import { scriptedWorld, START, type World } from "../core/world.ts";

const OF_ALERT = new Set<string>(["alert", "suppressed", "unconfirmed", "remediation"]);
const RULES = [rule({ forMs: 5_000, keepFiringForMs: 600_000, act: repair() })];

/** A world with an alert whose repair is held back, and that is ok again; with what was found in it. */
function okAgain(): { readonly world: World; readonly found: StoredFinding[] } {
  const world = scriptedWorld({ rules: RULES });
  const found: StoredFinding[] = [];
  world.onStep = (_, { findings }) => {
    for (const finding of findings)
      found.unshift({ at: world.now, finding: structuredClone(finding) });
  };
  world.commands({ name: "kill", source: "operator" });
  const polls = (status: "enabled" | "disabled"): void => {
    for (let poll = 0; poll < 6; poll += 1)
      world.sees("exchanges", [exchange("BINANCE", status)]).passes("10s");
  };
  polls("disabled");
  polls("enabled");
  return { world, found };
}

/** What is there to be asked about in this world, with this state. */
function sourceOf(
  { policy, now }: World,
  state: State,
  historyOf: JournalReading["historyOf"],
  orders: JournalReading["orders"] = () => [],
): LoopSource {
  const loop = {
    askInSlices: () => Promise.resolve(undefined),
    idle: async () => {},
    isAbandoned: () => false,
    defect: () => undefined,
    policy: () => policy,
    state: () => state,
    stateSoFar: () => state,
  };
  const reading = {
    historyOf,
    reachesBackTo: () => START,
    orders,
  } as Partial<JournalReading>;
  return createLoopSource({
    loop,
    clock: { now: () => now },
    journal: reading as JournalReading,
    lists: { sync: () => {}, reading: () => [] },
  });
}

/** What a replica says that has only the rows of this world, and the journal. */
async function explainedBy(
  world: World,
  historyOf: JournalReading["historyOf"],
): Promise<Explained> {
  const source = sourceOf(world, restore(world.journal.reopen()), historyOf);
  const entity = { aggregator: AGGREGATOR, kind: "exchange", id: "BINANCE" };
  const answer = await source.explain("ExchangeDisabled", entity, undefined);
  if (!answer.ok) throw new Error(answer.problem);
  return answer.value;
}

it("applies commands in their order, the first before all else that waits, and syncs watch lists between events", async () => {
  const watch = { kinds: watchKinds, given: new Map([[AGGREGATOR, []]]) };
  const test = slicedTest({ ...actingPolicy(), watch });
  const { loop } = test;
  await loop.caughtUp();
  const listed = Array.from({ length: 100 }, (_, index) => exchange(`E${index}`, "enabled"));
  for (let waiting = 0; waiting < 3; waiting += 1)
    loop.push(observed("exchanges", [partOf("all", START, listed)]));
  const busyAtSync: boolean[] = [];
  const source = createLoopSource({
    loop,
    clock: { now: () => START },
    journal: {} as JournalReading,
    lists: { sync: () => void busyAtSync.push(loop.isBusy()), reading: () => [] },
  });
  const names = ["kill", "unkill", "kill", "unkill"] as const;
  const entry = { kind: "liquidation", target: "0x1" } as const;
  const outcomes = await Promise.all([
    ...names.map((name) => source.command("ann", "", { name, source: "operator" })),
    source.command("ann", "", { name: "watch", aggregator: AGGREGATOR, entry }),
  ]);
  expect(outcomes).toMatchObject(outcomes.map(() => ({ accepted: true, durable: true })));
  expect(outcomes[1]?.detail).not.toContain("it was not on");
  expect(busyAtSync).toEqual([false]);
  await loop.caughtUp();
  const order = test.log.filter((line) => line.startsWith("publish"));
  expect(order.indexOf("publish command")).toBeLessThan(order.lastIndexOf("publish observed"));
});

describe("why, as a replica says that has the rows alone", () => {
  it("has the alert and its condition as they are now, and the guards as they were recorded", async () => {
    const { world, found } = okAgain();
    const { explanation, sentences } = await explainedBy(world, (_, until) =>
      found.filter(({ at, finding }) => at <= until && OF_ALERT.has(finding.type)),
    );
    expect(explanation.judgement?.condition.verdict.truth).toBe("ok");
    expect(explanation.alert?.keepFiringSince).toBeDefined();
    expect(explanation.judgement?.action?.guards.find(({ objects }) => objects)?.reason).toBe(
      "killed",
    );
    const text = sentences.join("\n");
    expect(text).toMatch(/ok again since .* kept by `keep_firing_for`/);
    expect(text).toMatch(/The condition .* is ok.*\nAs recorded at .* before:\nIt was last read/);
    expect(text).not.toMatch(/is bad/);
  });

  it("has the alert and its condition also if the database is away", async () => {
    const { world } = okAgain();
    const { explanation, sentences } = await explainedBy(world, () => {
      throw new DatabaseAway("no answer");
    });
    expect(explanation.judgement?.condition.verdict.truth).toBe("ok");
    expect(sentences.join("\n")).toMatch(/is known to the replica that owns it/);
  });
});

it("says of a pair that is enabled again that it is not listed, and at which instant to ask", async () => {
  const world = scriptedWorld({ rules: [rule({ alert: "PairDisabled", kind: "pair" })] });
  const found: Past[] = [];
  world.onStep = (_, { findings }) =>
    found.unshift(...findings.map((finding) => ({ at: world.now, finding })));
  world.at("10s").sees("exchanges", [pair("KUCOIN", "ORN-USDT")]);
  world.at("20s").sees("exchanges", []);
  const source = sourceOf(world, world.state, (_, until) =>
    found.filter(({ at, finding }) => at <= until && OF_ALERT.has(finding.type)),
  );
  const entity = { aggregator: AGGREGATOR, kind: "pair", id: "KUCOIN/ORN-USDT" };
  expect(await source.explain("PairDisabled", entity, undefined)).toEqual({
    ok: false,
    problem:
      "bsc/pair/KUCOIN/ORN-USDT: it is not listed any more; --at 2026-01-01T00:00:20.000Z, or at= in the API, shows how it was",
  });
  const then = await source.explain("PairDisabled", entity, START + 20_000);
  expect(then.ok && then.value.sentences[0]).toBe(
    "PairDisabled on bsc/pair/KUCOIN/ORN-USDT: resolved at 2026-01-01T00:00:20.000Z, as it is not listed any more.",
  );
  expect(await source.explain("PairDisable", entity, undefined)).toEqual({
    ok: false,
    problem: 'there is no rule "PairDisable" (did you mean "PairDisabled"?)',
  });
  const other = await source.explain("PairDisabled", { ...entity, id: "OKX/ORN-USDT" }, undefined);
  expect(other).toMatchObject({ problem: expect.stringContaining("was never seen") });
});

it("explains the past of a pair that is enabled again with the hold of its exchange", async () => {
  const rules = [
    rule({ alert: "PairDisabled", kind: "pair", act: repair({ action: "enable_pair" }) }),
  ];
  const world = scriptedWorld({ rules });
  const found: Past[] = [];
  world.onStep = (_, { findings }) =>
    found.unshift(...findings.map((finding) => ({ at: world.now, finding })));
  world.at("10s").sees("exchanges", [pair("KUCOIN", "ORN-USDT")]);
  const scope = { kind: "exchange", id: "KUCOIN" };
  world
    .at("11s")
    .commands({ name: "hold", scope, until: START + 3_600_000 })
    .at("20s");
  const source = sourceOf(
    world,
    world.state,
    (_, until) => found.filter(({ at, finding }) => at <= until && OF_ALERT.has(finding.type)),
    () => found.filter(({ finding }) => finding.type === "hold"),
  );
  const entity = { aggregator: AGGREGATOR, kind: "pair", id: "KUCOIN/ORN-USDT" };
  const sentences = async (): Promise<string> => {
    const explained = await source.explain("PairDisabled", entity, START + 15_000);
    return explained.ok ? explained.value.sentences.join("\n") : explained.problem;
  };
  const before = await sentences();
  expect(before).toContain("hold h1 of");
  world.at("30s").sees("exchanges", []);
  expect(await sentences()).toBe(before);
});

/** Puts this policy in force, as a reload does. */
function adopts(world: World, policy: Policy): void {
  const rulesBefore = ruleHashes(world.policy.rules);
  world.policy = policy;
  world.tell({ type: "policy_changed", rulesBefore, moved: [] });
}

describe("the explanation after a reload", () => {
  const entity = { aggregator: AGGREGATOR, kind: "pair", id: "KUCOIN/ORN-USDT" };
  const disabled = (): World => {
    const world = scriptedWorld({ rules: [rule({ alert: "PairDisabled", kind: "pair" })] });
    world
      .at("10s")
      .sees("exchanges", [pair("KUCOIN", "ORN-USDT")])
      .at("20s");
    expect(world.alerts()).toEqual(["PairDisabled KUCOIN/ORN-USDT firing"]);
    return world;
  };
  const problemOf = async (world: World): Promise<string> => {
    const source = sourceOf(world, world.state, () => []);
    const explained = await source.explain("PairDisabled", entity, undefined);
    return explained.ok ? "" : explained.problem;
  };

  it("says that a rule does not judge the aggregator, and not that the pair is gone", async () => {
    const world = disabled();
    const narrowed = rule({ alert: "PairDisabled", kind: "pair", aggregators: ["other"] });
    adopts(world, policyOf([narrowed]));
    expect(world.entity("pair", "KUCOIN/ORN-USDT")).toBeDefined();
    expect(await problemOf(world)).toBe("the rule PairDisabled does not judge bsc");
  });

  it("says of what a removed aggregator lists that it is not watched, and not that it is not listed", async () => {
    const world = disabled();
    adopts(world, { ...world.policy, aggregators: [] });
    expect(world.found("alert").at(-1)).toMatchObject({
      change: "resolved",
      detail: "it is not watched any more",
    });
    expect(await problemOf(world)).toMatch(
      /^bsc\/pair\/KUCOIN\/ORN-USDT: it is not watched any more;/,
    );
  });
});
