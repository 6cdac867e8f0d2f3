import { describe, expect, it } from "vitest";
import { START } from "../../core/world.ts";
import { exchange, rule } from "../../core/fixtures.ts";
import { inspected } from "./tampered-run.ts";

const bad = [exchange("A", "disabled"), exchange("Z", "enabled")];
const good = [exchange("A", "enabled"), exchange("Z", "enabled")];

/** What is said of a run in which A fires ten seconds after the start, and is well twenty seconds later. */
function said(told: ReadonlyArray<"firing" | "resolved">, isMended = true, firedAfter = 10_000) {
  const { world, violations, show } = inspected(undefined, { rules: [rule()] });
  world.at("10s").sees("exchanges", bad).passes("20s");
  if (isMended) world.sees("exchanges", good);
  for (const state of told) {
    const key = "alert ExchangeDisabled|bsc/exchange/A";
    show({
      type: "delivered",
      at: world.now,
      alerts: [{ key, state, firedAt: START + firedAfter }],
    });
  }
  world.passes("10m");
  show({ type: "ended", at: world.now, policy: world.policy, state: world.state, truth: [] });
  return violations.filter((one) => one.startsWith("5 deliveries"));
}

describe("What people are told is caught where", () => {
  it("nobody hears of what fired", () => {
    expect(said([])).toEqual([expect.stringMatching(/A fired at .*, and nobody was told/)]);
    expect(said([], false)).toContainEqual(
      expect.stringMatching(/A fires since .* was told nothing/),
    );
  });

  it("nobody hears that it is over", () => {
    expect(said(["firing"])).toEqual([expect.stringMatching(/A does not fire, .* by nobody/)]);
  });

  it("it is said to be over, or of another time, and fires", () => {
    expect(said(["firing", "resolved"], false)).toEqual([
      expect.stringMatching(/A fires since .* was told resolved since/),
    ]);
    expect(said(["firing"], false, 5_000)).toEqual([
      expect.stringMatching(/A fires since .* was told firing since/),
    ]);
  });

  it("and that all was told is no violation, nor that only the end was", () => {
    expect(said(["firing", "resolved"])).toEqual([]);
    expect(said(["resolved"])).toEqual([]);
    expect(said(["firing"], false)).toEqual([]);
  });
});
