import { describe, expect, it } from "vitest";
import { explain, explanationSentences } from "../../../src/core/explain/explain.ts";
import { SUPPRESSION_REASONS } from "../../../src/core/act/guards/index.ts";
import { AGGREGATOR, exchange, factIs, repair, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const BINANCE = { aggregator: AGGREGATOR, kind: "exchange", id: "BINANCE" };

function tell(world: World, id = BINANCE): string[] | undefined {
  const it = explain(world.policy, world.state, "ExchangeDisabled", id, world.now);
  return it && explanationSentences(world.policy.kinds, it);
}

function worldOf(mode: "shadow" | "act" = "shadow"): World {
  const world = scriptedWorld({ rules: [rule({ forMs: 20_000, act: repair({ mode }) })] });
  return world.passes("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
}

describe("an explanation", () => {
  it("says how far `for` is, and that no action is considered yet", () => {
    const world = worldOf().passes("5s");
    expect(tell(world)).toEqual([
      "ExchangeDisabled on bsc/exchange/BINANCE: pending, 5s of 20s (`for`) have passed.",
      "The condition status == disabled is bad.",
      "It was last read 5s ago, by the poller exchanges at 2026-01-01T00:00:10.000Z.",
      "enable_exchange is not considered: the alert does not fire.",
    ]);
  });

  it("names the first guard that objects, and then what each of them says", () => {
    const world = worldOf()
      .passes("21s")
      .sees("exchanges", [exchange("BINANCE", "disabled")]);
    const told = tell(world)?.slice(3) ?? [];
    expect(told[0]).toBe(
      "enable_exchange is not sent (shadow): mode is shadow: decided and recorded, not sent.",
    );
    expect(told.slice(1).map((line) => line.replace(/:.*/, ""))).toEqual(
      // No other replica shares the journal.
      SUPPRESSION_REASONS.filter((reason) => reason !== "standby").map(
        (reason) => `  ${reason === "shadow" ? "✗" : "✓"} ${reason}`,
      ),
    );
    expect(told).toContain(
      "  ✓ budget: 0 of 5 per 1h spent (rule budget), 0 of 20 per 1h spent (global budget)",
    );
  });

  it("tells the story of what was sent", () => {
    const world = worldOf("act")
      .passes("21s")
      .sees("exchanges", [exchange("BINANCE", "disabled")]);
    world
      .passes("1s")
      .replies("r1", "acknowledged")
      .becomes("exchanges", [exchange("BINANCE", "enabled")]);
    world.passes("5s");
    const told = tell(world) ?? [];
    expect(told[0]).toMatch(
      /^ExchangeDisabled on bsc\/exchange\/BINANCE: resolved at .*, as it is ok again\.$/,
    );
    expect(told.at(-1)).toMatch(
      /^r1: enable_exchange verified, requested .*, settled .*: seen to be done after /,
    );
  });

  it("says that the clocks of an alert are stopped while nothing sure is known", () => {
    const world = worldOf().passes("5s").fails("exchanges").passes("5s");
    const told = tell(world) ?? [];
    expect(told[0]).toContain("pending, 5s of 20s (`for`) have passed, and its clocks are stopped");
    expect(told[2]).toMatch(
      /^It was last read 10s ago, by the poller exchanges at \S+, and is unknown since /,
    );
  });

  it("of a repair lists what was sent to repair its entity, and says that no poll reads it", () => {
    const failed = rule({
      alert: "RemediationFailed",
      kind: "repair",
      when: factIs("exhausted", true),
      annotations: {},
    });
    const act = repair({ attempts: 1, verifyWithinMs: 20_000 });
    const world = scriptedWorld({ rules: [rule({ act }), failed] });
    for (let poll = 0; poll < 9; poll += 1)
      world.passes("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
    const id = { aggregator: AGGREGATOR, kind: "repair", id: "exchange/BINANCE" };
    const it_ = explain(world.policy, world.state, "RemediationFailed", id, world.now);
    const told = it_ === undefined ? [] : explanationSentences(world.policy.kinds, it_);
    expect(told).toEqual([
      expect.stringMatching(/^RemediationFailed on bsc\/repair\/exchange\/BINANCE: firing since /),
      "The condition exhausted == true is bad.",
      "No poll reads it: aggwatch makes it of what it saw and did itself.",
      "The rule does not act.",
      expect.stringMatching(/^r1: enable_exchange unverified, requested /),
    ]);
  });

  it("is none of what is not there", () => {
    expect(tell(worldOf(), { ...BINANCE, id: "KUCOIN" })).toBeUndefined();
    const world = worldOf();
    expect(explain(world.policy, world.state, "Nope", BINANCE, world.now)).toBeUndefined();
  });
});
