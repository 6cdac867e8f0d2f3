/** Tests src/io/api/past/moment.ts: which views of the past are kept. */
import { expect, it } from "vitest";
import { createMoments } from "../../../../src/io/api/past/moment.ts";
import { viewOf } from "../../../../src/io/api/lists/view.ts";
import { exchange, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../../core/world.ts";

/** A world, views of its past, and how often one was made. */
function lookedAt() {
  const world: World = scriptedWorld({ rules: [rule()] });
  const made: number[] = [];
  const found: Array<{ readonly at: number; readonly finding: World["findings"][number] }> = [];
  world.onStep = (_event, { findings }) => {
    for (const finding of findings) found.push({ at: world.now, finding });
  };
  const { viewAt } = createMoments({
    view: () => viewOf(world.policy, world.state),
    now: () => world.now,
    past: {
      reachesBackTo: () => 0,
      between: () => ({ found: [], next: undefined }),
      alertsAfter: (_key, until) => {
        made.push(until);
        const moves = found.filter(({ at, finding }) => at <= until && finding.type === "alert");
        const last = moves.at(-1);
        return { found: last === undefined ? [] : [{ moved: last, last }], next: undefined };
      },
    },
    polls: { of: () => ({ recent: [], minutes: [] }) },
    names: () => ({ aggregator: [] }),
    entitiesAt: async () => await Promise.resolve({ ok: false, problem: "not kept" }),
  });
  const states = async (at: number): Promise<string[]> => {
    const view = await viewAt(new Date(at).toISOString());
    return view.ok ? [...view.value.alerts.values()].map(({ state }) => state) : [];
  };
  return { world, made, states };
}

it("a view that was made before its instant was over is made again", async () => {
  const { world, states } = lookedAt();
  world.at("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
  const at = world.now;
  expect(await states(at)).toEqual(["firing"]);
  // In the same millisecond, but after somebody looked.
  world.sees("exchanges", [exchange("BINANCE", "enabled")]);
  expect(world.now).toBe(at);
  expect(await states(at)).toEqual(["resolved"]);
});

it("a view of what is long over is kept", async () => {
  const { world, made, states } = lookedAt();
  world.at("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
  const at = world.now;
  world.passes("30s");
  expect([await states(at), await states(at)]).toEqual([["firing"], ["firing"]]);
  expect(made).toHaveLength(1);
});
