import { describe, expect, it } from "vitest";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import { createWork } from "../../src/run/work.ts";
import { AGGREGATOR, exchange, rule } from "../core/fixtures.ts";
import { scriptedWorld } from "../core/world.ts";

const POLLER = "exchanges";

/** A world in which one poller is polled, as a whole or for a unit, and what is said of its work. */
function watched(unit: number | undefined, stuckAfterMs = 0) {
  const world = scriptedWorld({ rules: [rule()] });
  const [aggregator] = world.policy.aggregators;
  const poller = aggregator?.pollers.find(({ name }) => name === POLLER);
  if (poller === undefined) throw new Error("there is none");
  const pollers = [{ ...poller, ...(unit === undefined ? {} : { unit }) }];
  world.policy = { ...world.policy, aggregators: [{ name: AGGREGATOR, pollers }] };
  world.restarts();
  const bug = { defect: undefined as string | undefined };
  const disk = { isWritable: true };
  /** When the schedule fired last; that of another aggregator fires all the time. */
  const schedule = { firedAt: (): number => world.now };
  const loop = {
    defect: () => bug.defect,
    stateSoFar: () => world.state,
    policy: () => world.policy,
    journalWritable: () => disk.isWritable,
  };
  const work = createWork({
    clock: { now: () => world.now },
    loop: () => loop,
    slots: () => [
      { aggregator: "other", poller: POLLER, counts: { firedAt: world.now } as never },
      { aggregator: AGGREGATOR, poller: "other", counts: { firedAt: world.now } as never },
      { aggregator: AGGREGATOR, poller: POLLER, counts: { firedAt: schedule.firedAt() } as never },
    ],
    stuckAfterMs,
  });
  return { world, work, bug, disk, schedule };
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

it.each([
  ["15 s, if it may stand still for ever", 0, 15],
  ["15 s, if the process ends itself later", 20 * SECOND, 15],
  ["as long as the process waits before it ends itself", 5 * SECOND, 5],
])("is not done by a loop that has not turned for %s", (_, stuckAfterMs, seconds) => {
  const { world, work } = watched(undefined, stuckAfterMs);
  const isStill = (): boolean => work.faults().some(({ reason }) => reason === "loop_still");
  work.begin();
  world.now += seconds * SECOND;
  expect(isStill()).toBe(false);
  world.now += 1;
  expect(isStill()).toBe(true);
  work.ticked(world.now);
  expect(isStill()).toBe(false);
});

it("is not done while the journal cannot be written, and the reason is said if it is known", () => {
  const { world, work, disk } = watched(undefined);
  const said = () => work.faults().find(({ reason }) => reason.startsWith("journal"))?.detail;
  disk.isWritable = false;
  expect(said()).toBe("the journal cannot be written, and no action is sent: it is not known why");
  world.tell({ type: "journal", writable: false, detail: "no space is left", unsent: [] });
  expect(said()).toBe("the journal cannot be written, and no action is sent: no space is left");
  disk.isWritable = true;
  expect(said()).toBeUndefined();
});

it("is not done if the schedule of this very poller has not fired for too long", () => {
  const daemon = watched(undefined);
  const { now } = daemon.world;
  daemon.schedule.firedAt = () => now;
  daemon.world.passes("1m");
  expect(reasonsOf(daemon)).toContain("schedule_silent");
});

it("has nothing overdue right after a time in which the process could not run", () => {
  const daemon = watched(undefined);
  const listed = [exchange("BINANCE", "enabled")];
  daemon.world.sees(POLLER, listed).passes("10s");
  const since = daemon.world.now;
  daemon.world.now += 10 * MINUTE;
  expect(reasonsOf(daemon)).toContain("poll_overdue");
  daemon.world.tell({ type: "resumed", since, awayMs: 10 * MINUTE });
  expect(reasonsOf(daemon)).not.toContain("poll_overdue");
});

it("of a poller that a reload adds is judged since then, and of one not known yet since the start", () => {
  const daemon = watched(undefined);
  const { world } = daemon;
  const pollers = world.policy.aggregators.flatMap((one) => one.pollers);
  const configure = (own: typeof pollers): void => {
    world.policy = { ...world.policy, aggregators: [{ name: AGGREGATOR, pollers: own }] };
  };
  const reload = (): void =>
    void world.tell({ type: "policy_changed", rulesBefore: new Map(), moved: [] });
  configure([]);
  reload();
  world.passes("10m");
  configure(pollers);
  expect(reasonsOf(daemon)).toContain("poll_overdue");
  reload();
  expect(reasonsOf(daemon)).toContain("starting");
  expect(reasonsOf(daemon)).not.toContain("poll_overdue");
});
