import { describe, expect, it } from "vitest";
import { createWork } from "../../src/run/work.ts";
import { AGGREGATOR, exchange, rule } from "../core/fixtures.ts";
import { scriptedWorld } from "../core/world.ts";

const POLLER = "exchanges";

/** A world in which one poller is polled, as a whole or for a unit, and what is said of its work. */
function watched(unit: number | undefined) {
  const world = scriptedWorld({ rules: [rule()] });
  const [aggregator] = world.policy.aggregators;
  const poller = aggregator?.pollers.find(({ name }) => name === POLLER);
  if (poller === undefined) throw new Error("there is none");
  const pollers = [{ ...poller, ...(unit === undefined ? {} : { unit }) }];
  world.policy = { ...world.policy, aggregators: [{ name: AGGREGATOR, pollers }] };
  world.restarts();
  const bug = { defect: undefined as string | undefined };
  const loop = {
    defect: () => bug.defect,
    stateSoFar: () => world.state,
    policy: () => world.policy,
    journalWritable: () => true,
  };
  const work = createWork({
    clock: { now: () => world.now },
    loop: () => loop,
    slots: () => [
      { aggregator: AGGREGATOR, poller: POLLER, counts: { firedAt: world.now } as never },
    ],
    stuckAfterMs: 0,
  });
  return { world, work, bug };
}

function reasonsOf({ world, work }: Pick<ReturnType<typeof watched>, "world" | "work">): string[] {
  work.ticked(world.now);
  work.committed();
  return work.faults().map(({ reason }) => reason);
}

describe.each([
  ["as a whole", undefined],
  ["of a unit", 3],
])("the work of a poller %s", (_, unit) => {
  it("is done while it reads, and overdue once it has read nothing for too long", () => {
    const daemon = watched(unit);
    const listed = [exchange("BINANCE", "enabled")];
    for (let poll = 0; poll < 60; poll += 1) daemon.world.sees(POLLER, listed).passes("10s");
    expect(reasonsOf(daemon)).toEqual([]);
    daemon.world.passes("10m");
    expect(reasonsOf(daemon)).toContain("poll_overdue");
  });
});

it("is behind with nothing that there was before it began", () => {
  const { world, work } = watched(undefined);
  world.passes("1m");
  expect(work.faults().map(({ reason }) => reason)).toContain("loop_still");
  work.begin();
  expect(work.faults().map(({ reason }) => reason)).not.toContain("loop_still");
});

it("is not done from the instant on at which a bug in the core ended it, and its message is said", () => {
  const daemon = watched(undefined);
  daemon.work.begin();
  daemon.bug.defect = "no such kind";
  expect(daemon.work.faults()).toContainEqual({
    reason: "loop_still",
    detail: "nothing is decided any more, because of a bug in the core: no such kind",
  });
});
