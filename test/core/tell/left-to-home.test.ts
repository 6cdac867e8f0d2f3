/** Tests src/core/tell/mute.ts: what a unit of senders leaves to `home`, and what it notifies of itself. */
import { expect, it } from "vitest";
import { SECOND } from "../../../src/domain/time.ts";
import { factIs, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";
import { channel } from "./channels.ts";

const down = rule({
  alert: "AggregatorDown",
  kind: "aggregator",
  when: factIs("failing_pollers", 2),
});
const failing = rule({
  alert: "PollFailing",
  kind: "poller",
  when: factIs("up", false),
  forMs: 10 * SECOND,
  inhibitedBy: ["AggregatorDown"],
});
const KEY = "AggregatorDown|bsc/aggregator/bsc";
const POLLER = "hook alert PollFailing|bsc/poller/pools firing";

/** A unit of senders: it is `home` that notifies of aggregators. */
function unit(): World {
  const world = scriptedWorld({ rules: [down, failing], channels: [channel("hook")] });
  const { notify } = world.policy;
  world.policy = {
    ...world.policy,
    notify: { ...notify, unit: "senders/1", leftToHome: new Set(["aggregator"]) },
  };
  return world;
}

function hears(world: World, state?: "pending" | "firing"): World {
  const entity = { aggregator: "bsc", kind: "aggregator", id: "bsc" };
  const alerts = state === undefined ? [] : [[KEY, { rule: down.alert, entity, state }] as const];
  return world.tell({ type: "home_alerts", alerts: new Map(alerts) });
}

it("a unit that alone calls the aggregator down notifies of its pollers after a minute", () => {
  const world = hears(unit()).at("10s").fails("exchanges").fails("pools").at("65s");
  expect(world.told()).toEqual([]);
  expect(world.found("muted")).toMatchObject([{ reason: "inhibited" }, { reason: "inhibited" }]);
  expect(world.at("75s").told()).toEqual([
    "hook alert PollFailing|bsc/poller/exchanges firing",
    POLLER,
  ]);
});

it("a unit notifies of nothing while home calls the aggregator down too, or is about to", () => {
  for (const state of ["pending", "firing"] as const) {
    const world = hears(unit()).at("10s").fails("exchanges").fails("pools");
    hears(world.at("30s"), state).at("20m");
    expect(world.told()).toEqual([]);
    // Home reads again, and this unit does not.
    expect(hears(world).passes("2s").told()).toContain(POLLER);
  }
});

it("what home calls down holds back the one poller of a unit that fails", () => {
  const world = hears(unit(), "firing").at("10s").fails("pools").at("5m");
  expect(world.told()).toEqual([]);
  expect(hears(world).passes("2s").told()).toEqual([POLLER]);
});

it("a unit that begins while the aggregator is down waits until it has heard of home", () => {
  const world = unit().at("10s").fails("exchanges").fails("pools").passes("5m");
  expect(world.told()).toEqual([]);
  const { notify } = world.policy;
  world.restarts("10s").fails("exchanges").fails("pools").passes("5m");
  expect([world.told(), world.policy.notify]).toEqual([[], notify]);
  expect(hears(world).passes("2s").told()).toContain(POLLER);
});

it("an aggregator that is down is not notified of by a unit, whatever home says", () => {
  const world = hears(unit()).at("10s").fails("exchanges").fails("pools").at("30m");
  expect(world.told().filter((line) => line.includes("AggregatorDown"))).toEqual([]);
});
