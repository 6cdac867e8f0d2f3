import { expect, it } from "vitest";
import { firstPolls } from "../../../src/run/service/first-polls.ts";
import { AGGREGATOR, policyOf } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import { loopTest, START } from "../loop-world.ts";

it("names the pollers whose first poll has not ended, and says how far a long first poll is", () => {
  const policy = policyOf([]);
  const aggregators = policy.aggregators.map((aggregator) => ({
    ...aggregator,
    pollers: aggregator.pollers.map((poller) =>
      poller.name === "pools" ? { ...poller, surfaces: new Set(["a", "b", "c"]) } : poller,
    ),
  }));
  const { loop } = loopTest({ ...policy, aggregators });
  loop.push({ type: "started" });
  const silent = firstPolls(loop);
  expect(silent.map(({ poller }) => poller)).toContain("pools");
  expect(silent.filter(({ progress }) => progress !== undefined)).toEqual([]);
  const before = {
    aggregator: AGGREGATOR,
    poller: "pools",
    durationMs: 5,
    origin: "poll",
  } as const;
  const asked = [partOf("a", START - 1, [])];
  loop.push({ type: "observed", observation: { ...before, parts: asked, ongoing: true } });
  expect(firstPolls(loop)).toContainEqual({ poller: "pools" });
  const parts = [partOf("a", START, [])];
  const observation = { aggregator: AGGREGATOR, poller: "pools", parts, durationMs: 5 };
  loop.push({ type: "observed", observation: { ...observation, origin: "poll", ongoing: true } });
  expect(firstPolls(loop)).toContainEqual({
    poller: "pools",
    progress: "the first poll of pools goes on: 1 of 3 surfaces are read",
  });
  loop.push(
    observed(
      "pools",
      ["a", "b", "c"].map((surface) => partOf(surface, START, [])),
    ),
  );
  expect(firstPolls(loop).map(({ poller }) => poller)).not.toContain("pools");
  // One that has failed has ended, too.
  loop.push(observed("exchanges", [partOf("all", START, "failed")]));
  expect(firstPolls(loop).map(({ poller }) => poller)).not.toContain("exchanges");
});
