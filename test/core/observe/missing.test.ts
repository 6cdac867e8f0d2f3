/** Tests src/core/observe/observe.ts: a watched id that the aggregator answers with 404. */
import { describe, expect, it } from "vitest";
import { explain, explanationSentences } from "../../../src/core/explain/explain.ts";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { AGGREGATOR, factIs, order, rule } from "../fixtures.ts";
import { observed, partOf } from "../readings.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const RULES = [
  rule({ alert: "Stuck", kind: "liquidation", when: factIs("final", false), annotations: {} }),
  rule({ alert: "Missing", kind: "liquidation", when: factIs("missing", true), annotations: {} }),
];

const found = (): SeenEntity => {
  const { facts, ...rest } = order("o1", "STUCK");
  return { ...rest, facts: { ...facts, missing: false } };
};
const child: SeenEntity = { kind: "pool", id: "p1", facts: { name: "p1" } };

/** The aggregator answers 404 for one of two watched ids. */
function answers404(world: World): World {
  const entities = [{ kind: "liquidation", id: "o1", facts: { order_id: "o1", missing: true } }];
  const reading = { ok: true, complete: false, missing: true, entities } as const;
  const parts = [
    { surface: "o1", askedAt: world.now, reading },
    partOf("o2", world.now, [order("o2", "CANCELED")]),
  ];
  return world.tell(observed("liquidations", parts));
}

function findsBoth(world: World): World {
  return world.polls("liquidations", { o1: [found(), child], o2: [order("o2", "CANCELED")] });
}

describe("a watched id that the aggregator answers with 404", () => {
  it("is missing, the others of the poll are known, and the poller is well", () => {
    const world = answers404(findsBoth(scriptedWorld({ rules: RULES }).at("10s")).at("20s"));
    expect(world.alerts()).toContain("Missing o1 firing");
    expect(world.entity("liquidation", "o1")?.unknownSince).toBeUndefined();
    expect(world.entity("liquidation", "o2")?.unknownSince).toBeUndefined();
    expect(world.entity("poller", "liquidations")?.facts).toMatchObject({
      up: true,
      failing_surfaces: 0,
      truncated_surfaces: 0,
      missing_surfaces: 1,
      all_missing: false,
    });
  });

  it("is not said to be doubted, as only what else it had is unknown", () => {
    const world = answers404(findsBoth(scriptedWorld({ rules: RULES }).at("10s")).at("20s"));
    const id = { aggregator: AGGREGATOR, kind: "liquidation", id: "o1" };
    const it = explain(world.policy, world.state, "Missing", id, world.now);
    expect(it?.judgement?.condition.reading).toMatchObject({ doubt: undefined });
    expect(it && explanationSentences(world.policy.kinds, it)).toContain(
      "It was last read 0s ago, by the poller liquidations at 2026-01-01T00:00:20.000Z.",
    );
  });

  it("resolves no alert about what is not shown any more, and what belongs to it is unknown", () => {
    const world = answers404(findsBoth(scriptedWorld({ rules: RULES }).at("10s")).at("20s"));
    expect(world.alerts()).toContain("Stuck o1 firing (unknown)");
    expect(world.entity("pool", "p1")?.unknownSince).toBe(START + 20_000);
  });

  it("has had its status all along if it comes back with it", () => {
    const world = findsBoth(scriptedWorld({ rules: RULES }).at("10s"));
    findsBoth(answers404(world.at("20s")).at("30s"));
    expect(world.entity("liquidation", "o1")).toMatchObject({ since: START + 10_000 });
    expect(world.alerts()).toContain("Missing o1 resolved");
    answers404(world.at("40s")).restarts().at("60s");
    world.polls("liquidations", { o1: [order("o1", "CANCELED")], o2: [] });
    expect(world.entity("liquidation", "o1")?.since).toBe(world.now);
  });
});
