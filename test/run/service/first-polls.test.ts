import { expect, it } from "vitest";
import type { Part } from "../../../src/domain/observation.ts";
import type { Event, Policy } from "../../../src/domain/step.ts";
import type { Loop } from "../../../src/run/loop.ts";
import { firstPolls } from "../../../src/run/service/first-polls.ts";
import { AGGREGATOR, policyOf } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import { loopTest, START } from "../loop-world.ts";

type Poller = Policy["aggregators"][number]["pollers"][number];

/** A loop that has started, with this of the poller of pools. */
function startedLoop(ofPools: Partial<Poller>): Loop {
  const policy = policyOf([]);
  const aggregators = policy.aggregators.map((aggregator) => ({
    ...aggregator,
    pollers: aggregator.pollers.map((poller) =>
      poller.name === "pools" ? { ...poller, ...ofPools } : poller,
    ),
  }));
  const { loop } = loopTest({ ...policy, aggregators });
  loop.push({ type: "started" });
  return loop;
}

/** A part of a long poll of pools. */
function piece(part: Part): Event {
  const parts = [part];
  const observation = { aggregator: AGGREGATOR, poller: "pools", parts, durationMs: 5 };
  return { type: "observed", observation: { ...observation, origin: "poll", ongoing: true } };
}

it("names the pollers whose first poll has not ended, and says how far a long first poll is", () => {
  const loop = startedLoop({ surfaces: new Set(["a", "b", "c"]) });
  const silent = firstPolls(loop);
  expect(silent.map(({ poller }) => poller)).toContain("pools");
  expect(silent.filter(({ progress }) => progress !== undefined)).toEqual([]);
  // Neither what was asked before the start nor what failed has been read.
  for (const unread of [partOf("a", START - 1, []), partOf("b", START, "failed")]) {
    loop.push(piece(unread));
    expect(firstPolls(loop)).toContainEqual({ poller: "pools" });
  }
  loop.push(piece(partOf("a", START, [])));
  expect(firstPolls(loop)).toContainEqual({
    poller: "pools",
    progress: "the first poll of pools goes on: 1 of 3 surfaces are read",
  });
  const all = ["a", "b", "c"].map((surface) => partOf(surface, START, []));
  loop.push(observed("pools", all));
  expect(firstPolls(loop).map(({ poller }) => poller)).not.toContain("pools");
  // One that has failed has ended, too.
  loop.push(observed("exchanges", [partOf("all", START, "failed")]));
  expect(firstPolls(loop).map(({ poller }) => poller)).not.toContain("exchanges");
});

it("says how much is read, though it is not known how much there is", () => {
  const loop = startedLoop({});
  for (const surface of ["a", "b"]) loop.push(piece(partOf(surface, START, [])));
  expect(firstPolls(loop)).toContainEqual({
    poller: "pools",
    progress: "the first poll of pools goes on: 2 surfaces are read",
  });
});

it("names the poller of a unit of senders", () => {
  expect(firstPolls(startedLoop({ unit: 2 }))).toContainEqual({ poller: "pools" });
});
