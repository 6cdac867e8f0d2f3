import { describe, expect, it } from "vitest";
import { SECOND } from "../../../src/domain/time.ts";
import { factIs, rule } from "../fixtures.ts";
import { channel } from "../tell/channels.ts";
import { scriptedWorld, type World } from "../world.ts";

const down = rule({
  alert: "AggregatorDown",
  kind: "aggregator",
  when: factIs("failing_pollers", 2),
  keepFiringForMs: 90 * SECOND,
});
const failing = rule({
  alert: "PollFailing",
  kind: "poller",
  when: factIs("up", false),
  forMs: 10 * SECOND,
  inhibitedBy: ["AggregatorDown"],
});

function world(): World {
  return scriptedWorld({ rules: [down, failing], channels: [channel("hook")] });
}

const facts = (watched: World) => watched.entity("aggregator", "bsc")?.facts;

describe("the entity of an aggregator", () => {
  it("is there before the first poll, and claims nothing", () => {
    expect(facts(world())).toStrictEqual({ name: "bsc" });
  });

  it("counts the polls in a row, of all pollers, that read nothing", () => {
    const watched = world().at("10s").fails("exchanges").fails("pools").fails("exchanges");
    expect(facts(watched)).toMatchObject({
      failing_pollers: 2,
      consecutive_failures: 3,
      error: "no answer within 5s",
    });
    watched.at("20s").sees("pools", []);
    expect(facts(watched)).toMatchObject({
      failing_pollers: 1,
      consecutive_failures: 0,
      error: "",
    });
  });

  it("claims nothing after a restart either", () => {
    const watched = world().at("10s").fails("exchanges").restarts();
    expect(facts(watched)).toStrictEqual({ name: "bsc" });
  });

  it("is not written again by a poll that is as the one before", () => {
    const watched = world().at("10s").sees("exchanges", []).passes("10s");
    const before = facts(watched);
    expect(facts(watched.sees("exchanges", []))).toBe(before);
  });
});

describe("an aggregator that is down", () => {
  it("is one message, which says what else is not sent, and one when all is read again", () => {
    const watched = world().at("10s").fails("exchanges").fails("pools");
    watched.at("2m").sees("exchanges", []).at("3m").sees("pools", []).at("20m");
    const told = watched.batches.flatMap(({ items }) =>
      items.map(({ notification }) =>
        notification.type === "alert"
          ? [notification.rule, notification.state, notification.mutes]
          : [],
      ),
    );
    expect(told).toEqual([
      ["AggregatorDown", "firing", { PollFailing: 2 }],
      ["AggregatorDown", "resolved", undefined],
    ]);
  });

  it("lets through the alert of a poller that still fails once it is back", () => {
    const watched = world().at("10s").fails("exchanges").fails("pools");
    watched.at("2m").sees("exchanges", []).at("5m").fails("pools").at("20m");
    expect(watched.told().at(-1)).toBe("hook alert PollFailing|bsc/poller/pools firing");
  });

  it("is over if its pollers are taken away", () => {
    const watched = world().at("10s").fails("exchanges").fails("pools");
    const aggregators = watched.policy.aggregators.map((one) => ({ ...one, pollers: [] }));
    watched.policy = { ...watched.policy, aggregators };
    const { rules } = watched.policy;
    const rulesBefore = new Map([...rules.values()].map(({ alert, hash }) => [alert, hash]));
    watched.tell({ type: "policy_changed", rulesBefore, moved: [] }).passes("2m");
    expect(watched.told().at(-1)).toBe("hook alert AggregatorDown|bsc/aggregator/bsc resolved");
  });
});
