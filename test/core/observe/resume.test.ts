import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/domain/time.ts";
import { AGGREGATOR, exchange, factIs, repair, rule } from "../fixtures.ts";
import { partOf } from "../readings.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const disabled = [exchange("BINANCE", "disabled")];
const enabled = [exchange("BINANCE", "enabled")];
const down = rule({ alert: "PollDown", kind: "poller", when: factIs("up", false) });
const stale = rule({ alert: "PollStale", kind: "poller", when: factIs("stale", true) });

/** Nothing could be handled for so long, and then it goes on. */
function away(world: World, lengthMs: number): World {
  const since = world.now;
  world.now += lengthMs;
  return world.tell({ type: "resumed", since, awayMs: lengthMs });
}

describe("after a time in which nothing could be done", () => {
  it("no poller is stale for that time, and what it had read is unknown", () => {
    const world = scriptedWorld({ rules: [rule(), stale] })
      .at("10s")
      .sees("exchanges", enabled);
    away(world, 3 * DAY).passes("1s");
    expect(world.entity("poller", "exchanges")?.facts).toMatchObject({ stale: false });
    expect(world.entity("exchange", "BINANCE")?.unknownSince).toBe(START + 10 * SECOND);
    world.passes("30s");
    expect(world.alerts()).toContain("PollStale exchanges firing");
  });

  it("what waited for its time waits on: the gap is not time in which it was seen to be bad", () => {
    const waits = rule({ forMs: 10 * MINUTE });
    const world = scriptedWorld({ rules: [waits] })
      .at("10s")
      .sees("exchanges", disabled);
    away(world.passes("5s"), HOUR);
    expect(world.alerts()).toEqual(["ExchangeDisabled BINANCE pending (unknown)"]);
    world.passes("1s").sees("exchanges", disabled);
    expect(world.alerts()).toEqual(["ExchangeDisabled BINANCE pending"]);
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")?.activeAt).toBe(
      START + 10 * SECOND + HOUR + SECOND,
    );
  });

  it("a poller that was down before is not known to be so", () => {
    const waits = { ...down, forMs: MINUTE };
    const world = scriptedWorld({ rules: [waits] })
      .at("10s")
      .fails("exchanges");
    away(world, HOUR).passes("1s");
    expect(world.alerts()).toEqual(["PollDown exchanges pending (unknown)"]);
  });

  it("a gap that is shorter than stale_after makes nothing unknown", () => {
    const world = scriptedWorld({ rules: [rule()] })
      .at("10s")
      .sees("exchanges", disabled);
    away(world, 4 * SECOND);
    expect(world.alerts()).toEqual(["ExchangeDisabled BINANCE firing"]);
  });

  it("a reading that was asked before confirms no action: it is read again", () => {
    const acts = rule({ act: repair() });
    const world = scriptedWorld({ rules: [acts], probes: "silent" });
    world.at("10s").sees("exchanges", disabled);
    away(world, 4 * SECOND);
    expect(world.probes).toHaveLength(2);
    world.reads("exchanges", disabled, { origin: "probe", askedAgo: "4s" });
    expect(world.sent).toEqual([]);
    world.passes("1s").reads("exchanges", disabled, { origin: "probe", askedAgo: "500ms" });
    expect(world.sent).toHaveLength(1);
  });

  it("what waits to be verified gets its time", () => {
    const world = scriptedWorld({ rules: [rule({ act: repair() })] });
    world.at("10s").sees("exchanges", disabled).passes("1s").replies("r1", "acknowledged");
    away(world, HOUR).passes("1s");
    expect(world.remediations()).toEqual(["r1 acknowledged"]);
    world.sees("exchanges", enabled).passes("1s");
    expect(world.remediations()).toEqual(["r1 verified"]);
  });
});

/** Passes time in seconds, each with a poll, until so many actions are to be sent, or for two hours. */
function passUntilSent(world: World, count: number): void {
  const until = world.now + 2 * HOUR;
  while (world.sent.length < count && world.now < until)
    world.passes("1s").sees("exchanges", disabled);
}

/** The seconds between so many actions that are all held back at the last moment. */
function secondsBetweenUnsent(world: World, count: number): number[] {
  const before = world.sent.length;
  for (let made = before + 1; made <= before + count; made += 1) {
    passUntilSent(world, made);
    world.replies(`r${made}`, "unsent");
  }
  world.passes("1s").sees("exchanges", disabled);
  const times = world.sent.slice(before).map(({ at }) => at);
  return times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / 1000));
}

describe("an action that was held back at the last moment", () => {
  it("counts as if it had not been tried, also after a restart, and is wanted again", () => {
    const acts = rule({ act: repair({ attempts: 1, budget: { max: 1, perMs: HOUR } }) });
    const world = scriptedWorld({ rules: [acts] })
      .at("10s")
      .sees("exchanges", disabled);
    world.passes("1s").replies("r1", "unsent");
    expect(world.remediations()).toEqual(["r1 rejected"]);
    expect(world.state.ledger).toEqual([]);
    world.restarts().sees("exchanges", disabled).passes("31s").sees("exchanges", disabled);
    world.passes("1s");
    expect(world.remediations()).toEqual(["r1 rejected", "r2 requested"]);
  });

  it("counts as if it had not been tried if base_url was changed before it was sent", () => {
    const rules = [
      rule({ act: repair({ cooldownMs: HOUR, attempts: 1 }) }),
      rule({ alert: "RemediationFailed", kind: "repair", when: factIs("exhausted", true) }),
    ];
    const world = scriptedWorld({ rules }).at("10s").sees("exchanges", disabled).passes("1s");
    expect(world.remediations()).toEqual(["r1 requested"]);
    world.tell({ type: "policy_changed", rulesBefore: new Map(), moved: [AGGREGATOR] });
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE firing");
    world.replies("r1", "unsent");
    expect(world.alerts()).toContain("RemediationFailed exchange/BINANCE resolved");
    expect(world.remediation("r1")).toMatchObject({
      state: "unverified",
      detail: "base_url was changed before it was answered: see at the old address",
      unsent: true,
    });
    const found = world.found("remediation").at(-1);
    expect(found).toMatchObject({ corrected: true, detail: "unsent" });
    expect(found?.remediation).toEqual(world.remediation("r1"));
    expect(world.state.ledger).toEqual([]);
    expect(world.state.tables.attempt.size).toBe(0);
    world.passes("10s").sees("exchanges", disabled).passes("1s");
    expect(world.remediations()).toEqual(["r1 unverified", "r2 requested"]);
  });

  it("counts as if it had not been tried for the next run of its alert, which had begun before that was known", () => {
    const world = scriptedWorld({ rules: [rule({ act: repair({ attempts: 1 }) })] });
    world.at("10s").sees("exchanges", disabled).passes("1s").becomes("exchanges", []);
    // It is missing for a moment, which ends the run.
    world.sees("exchanges", [exchange("KRAKEN", "enabled")]).sees("exchanges", disabled);
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")?.attempts).toBe(1);
    world.replies("r1", "unsent").passes("1s");
    expect(world.remediations()).toEqual(["r1 rejected", "r2 requested"]);
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")?.attempts).toBe(1);
  });

  it.each([
    ["probe", "r2 verified"],
    ["poll", "r2 requested"],
  ] as const)("is no repair that was undone if a %s showed that others did it", (origin, state) => {
    const world = scriptedWorld({ rules: [rule({ act: repair({ cooldownMs: 0 }) })] });
    world.at("10s").sees("exchanges", disabled).passes("1s").replies("r1", "acknowledged");
    world.sees("exchanges", enabled).passes("10s").sees("exchanges", disabled).passes("1s");
    const before = world.state.tables.attempt.values().next().value?.undone;
    world.sees("exchanges", enabled, { origin });
    expect(world.remediations()).toEqual(["r1 verified", state]);
    world.replies("r2", "unsent").passes("10s").sees("exchanges", disabled);
    expect(world.state.tables.attempt.values().next().value?.undone).toBe(before);
  });

  it("again and again is wanted again after a pause that doubles, up to the rule's cooldown", () => {
    const world = scriptedWorld({ rules: [rule({ act: repair({ cooldownMs: 10 * MINUTE }) })] });
    expect(secondsBetweenUnsent(world.at("10s"), 7)).toEqual([1, 61, 121, 241, 481, 601]);
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed).toMatchObject({
      reason: "cooldown",
      detail: "900ms of 10m since the last request, which was not sent (7 in a row)",
    });
  });

  it("again and again begins with no pause once another one was sent", () => {
    const act = repair({ cooldownMs: 10 * MINUTE, attempts: 5 });
    const world = scriptedWorld({ rules: [rule({ act })] });
    secondsBetweenUnsent(world.at("10s"), 4);
    passUntilSent(world, 5);
    world.replies("r5", "rejected");
    expect(secondsBetweenUnsent(world, 2)).toEqual([1]);
  });

  it("is found to be settled and not sent, as it is kept", () => {
    const world = scriptedWorld({ rules: [rule({ act: repair() })] })
      .at("10s")
      .sees("exchanges", disabled);
    world.passes("1s").replies("r1", "unsent");
    const found = world.found("remediation").at(-1)?.remediation;
    expect(found).toMatchObject({ state: "rejected", unsent: true, settledAt: START + 11_000 });
    expect(found).toEqual(world.remediation("r1"));
  });

  it("leaves the attempts of another rule used up, though what was sent for it is forgotten", () => {
    const act = repair({ cooldownMs: MINUTE, attempts: 1 });
    const later = rule({
      alert: "StillDisabled",
      forMs: 70 * MINUTE,
      act: repair({ cooldownMs: MINUTE }),
    });
    const world = scriptedWorld({ rules: [rule({ act }), later] });
    passUntilSent(world, 1);
    world.replies("r1", "rejected");
    passUntilSent(world, 2);
    expect(world.remediations()).toEqual(["r2 requested"]);
    world.replies("r2", "unsent").becomes("exchanges", []);
    // It is missing for a moment, which ends the run.
    world.sees("exchanges", [exchange("KRAKEN", "enabled")]).sees("exchanges", disabled);
    world.passes("10s").sees("exchanges", disabled).passes("1s");
    expect(world.remediations()).toEqual(["r2 rejected"]);
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")).toMatchObject({ attempts: 1 });
  });

  it("uses no budget of its own aggregator, and leaves those of others as they are", () => {
    const world = scriptedWorld({ rules: [rule({ act: repair() })], probes: "silent" });
    const { aggregators } = world.policy;
    const others = aggregators.map((one) => ({ ...one, name: "other" }));
    world.policy = { ...world.policy, aggregators: [...aggregators, ...others] };
    const bothSeeItDisabled = (origin: "poll" | "probe"): void => {
      const parts = [partOf("all", world.now, disabled)];
      for (const aggregator of [AGGREGATOR, "other"]) {
        const observation = { aggregator, poller: "exchanges", parts, durationMs: 5 };
        world.tell({ type: "observed", observation: { ...observation, origin } });
      }
    };
    world.at("10s");
    bothSeeItDisabled("poll");
    world.passes("1s");
    bothSeeItDisabled("probe");
    expect(world.sent.map(({ aggregator }) => aggregator)).toEqual([AGGREGATOR, "other"]);
    world.replies("r1", "unsent");
    expect(world.state.ledger.map(({ aggregator }) => aggregator)).toEqual(["other"]);
  });
});
