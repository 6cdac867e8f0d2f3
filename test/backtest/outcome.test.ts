import { describe, expect, it } from "vitest";
import { gatherOutcome, type AlertRun } from "../../src/backtest/outcome.ts";
import { ruleHashes } from "../../src/core/change/reload.ts";
import type { Rule } from "../../src/domain/rule.ts";
import { HOUR, SECOND } from "../../src/domain/time.ts";
import { exchange, policyOf, rule } from "../core/fixtures.ts";
import { scriptedWorld, START, type World } from "../core/world.ts";

const DISABLED = [exchange("BINANCE", "disabled")];
const ENABLED = [exchange("BINANCE", "enabled")];
const RULE = rule({ forMs: 10 * SECOND, keepFiringForMs: 20 * SECOND });

/** The runs of alerts in a world in which an exchange is disabled at second 10, and fires at second 20. */
function runsOf(happens: (world: World) => void): readonly AlertRun[] {
  const world = scriptedWorld({ rules: [RULE] }).at("9s");
  const { onFinding, outcome } = gatherOutcome(world.policy.rules, START);
  world.onStep = (_event, { findings }) => {
    for (const finding of findings) onFinding(world.now, structuredClone(finding));
  };
  world.at("10s").sees("exchanges", DISABLED).passes("10s").sees("exchanges", DISABLED);
  happens(world);
  return outcome(world.now, world.state.tables.alert).alerts;
}

function reload(world: World, rules: readonly Rule[]): void {
  const rulesBefore = ruleHashes(world.policy.rules);
  world.policy = { ...world.policy, ...policyOf(rules) };
  world.tell({ type: "policy_changed", rulesBefore, moved: [] });
}

describe("how long an alert was bad", () => {
  it("excludes the time for which it only kept firing, if it has resolved", () => {
    const [run] = runsOf((world) => world.at("30s").sees("exchanges", ENABLED).passes("25s"));
    expect(run).toMatchObject({ badMs: 20 * SECOND, because: "ok" });
  });

  it("excludes that time too if it still fires at the end", () => {
    const [run] = runsOf((world) => world.at("30s").sees("exchanges", ENABLED).passes("15s"));
    expect(run?.resolvedAt).toBeUndefined();
    expect(run?.badMs).toBe(20 * SECOND);
  });

  it("is all its time if its rule was removed while it was bad", () => {
    const [run] = runsOf((world) => reload(world.at("40s"), []));
    expect(run).toMatchObject({ badMs: 30 * SECOND, because: "rule_removed" });
  });
});

describe("an alert that is pending again, as its `for` was raised", () => {
  it("fires no more", () => {
    const raised = { ...RULE, forMs: HOUR, hash: "raised" };
    const [run] = runsOf((world) => reload(world.at("40s"), [raised]));
    expect(run).toMatchObject({ badMs: 30 * SECOND, resolvedAt: START + 40 * SECOND });
  });
});
