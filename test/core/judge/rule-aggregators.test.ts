/** Tests src/core/judge: rule aggregators. */
import { describe, expect, it } from "vitest";
import { explain } from "../../../src/core/explain/explain.ts";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import type { Policy } from "../../../src/domain/step.ts";
import { exchange, policyOf, repair, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const everywhere = rule({ alert: "Everywhere" });
const onlyHere = rule({ alert: "OnlyHere", aggregators: ["bsc"] });
const onlyElsewhere = rule({ alert: "OnlyElsewhere", aggregators: ["eth"], act: repair() });

/** The same aggregator twice, under two names. */
function withTwo(policy: Policy): Policy {
  const [bsc] = policy.aggregators;
  if (bsc === undefined) throw new Error("the policy has no aggregator");
  return { ...policy, aggregators: [bsc, { ...bsc, name: "eth" }] };
}

function seesOn(world: World, aggregator: string, id: string): World {
  const reading = { ok: true, complete: true, entities: [exchange(id, "disabled")] } as const;
  const parts = [{ surface: "all", askedAt: world.now, reading }];
  const observation = { aggregator, poller: "exchanges", parts, durationMs: 5 };
  return world.tell({ type: "observed", observation: { ...observation, origin: "poll" } });
}

function watching(): World {
  const world = scriptedWorld({ rules: [everywhere, onlyHere, onlyElsewhere] });
  world.policy = withTwo(world.policy);
  return seesOn(seesOn(world, "bsc", "A"), "eth", "A");
}

const firing = (world: World): string[] =>
  [...world.state.tables.alert.values()]
    .filter(({ state }) => state === "firing")
    .map(({ rule: name, entity }) => `${name} ${entity.aggregator}`)
    .toSorted();

describe("a rule that names its aggregators", () => {
  it("judges what they have, and nothing else", () => {
    expect(firing(watching())).toEqual([
      "Everywhere bsc",
      "Everywhere eth",
      "OnlyElsewhere eth",
      "OnlyHere bsc",
    ]);
  });

  it("acts on them alone", () => {
    const world = watching().passes("2s");
    const attempts = [...world.state.confirming.keys(), ...world.state.unsettled.keys()];
    expect(attempts).not.toEqual([]);
    expect(attempts.filter((key) => key.includes("bsc/"))).toEqual([]);
  });

  it("is not asked of others when they are explained", () => {
    const world = watching();
    const id = { aggregator: "bsc", kind: "exchange", id: "A" };
    expect(explain(world.policy, world.state, "OnlyElsewhere", id, world.now)).toBeUndefined();
    expect(explain(world.policy, world.state, "OnlyHere", id, world.now)).toBeDefined();
  });

  it("ends its alerts on an aggregator that a reload takes off, and judges one that it puts on", () => {
    const world = watching();
    const rulesBefore = ruleHashes(world.policy.rules);
    const moved = rule({ alert: "OnlyHere", aggregators: ["eth"], hash: "moved" });
    world.policy = withTwo(policyOf([everywhere, moved, onlyElsewhere]));
    world.tell({ type: "policy_changed", rulesBefore, moved: [] });
    expect(firing(world)).toEqual([
      "Everywhere bsc",
      "Everywhere eth",
      "OnlyElsewhere eth",
      "OnlyHere eth",
    ]);
    const ended = [...world.state.tables.alert.values()].find(({ state }) => state === "resolved");
    expect(ended).toMatchObject({ rule: "OnlyHere", resolvedBecause: "rule_removed" });
  });
});
