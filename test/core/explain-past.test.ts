import { describe, expect, it } from "vitest";
import { explainPast, type Past } from "../../src/core/explain-past.ts";
import { exchange, repair, rule } from "./fixtures.ts";
import { scriptedWorld, START, type World } from "./world.ts";

const KEY = "ExchangeDisabled|bsc/exchange/BINANCE";
const SECOND = 1_000;

/** Every finding of a world, with its instant. */
function recorded(): { world: World; told: (afterMs: number) => string } {
  const world = scriptedWorld({ rules: [] });
  const found: Past[] = [];
  world.onStep = (_event, { findings }) => {
    found.unshift(
      ...findings.map((finding) => ({ at: world.now, finding: structuredClone(finding) })),
    );
  };
  world.policy = scriptedWorld({ rules: [rule({ act: repair() })] }).policy;
  const told = (afterMs: number): string =>
    explainPast(
      KEY,
      START + afterMs,
      found.filter(({ at }) => at <= START + afterMs),
    ).join("\n");
  return { world, told };
}

describe("what is told of the past", () => {
  it("is the state of the alert then, what it rested on, why nothing was sent, and what was", () => {
    const { world, told } = recorded();
    world.commands({ name: "kill", source: "operator" }).passes("10s");
    world.sees("exchanges", [exchange("BINANCE", "disabled")]).passes("10s");
    world.commands({ name: "unkill", source: "operator" });
    world.sees("exchanges", [exchange("BINANCE", "disabled")]).passes("2s");
    world.replies("r1", "acknowledged");
    world.sees("exchanges", [exchange("BINANCE", "enabled")], { origin: "probe" }).passes("10s");
    expect(told(5 * SECOND)).toContain("the journal has nothing about it up to then");
    const firing = told(15 * SECOND);
    expect(firing).toMatch(
      /^ExchangeDisabled on bsc\/exchange\/BINANCE at \S+: firing since \S+10\.000Z/,
    );
    expect(firing).toContain('status "disabled"');
    expect(firing).toContain("enable_exchange was not sent");
    expect(firing).toContain("killed");
    expect(firing).not.toContain("r1");
    const after = told(60 * SECOND);
    expect(after).toContain(": resolved since ");
    expect(after).toContain("r1: enable_exchange requested");
    expect(after).toContain("r1: enable_exchange verified");
    expect(after).not.toContain("was not sent");
  });
});
