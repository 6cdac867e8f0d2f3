/** Tests src/core/tell/next-items.ts: what is over before a channel could be asked or told. */
import { expect, it } from "vitest";
import { channelsOf } from "../../../src/core/explain/status-notify.ts";
import { surfaceKey } from "../../../src/domain/observation.ts";
import type { RuleAction } from "../../../src/domain/rule.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/domain/time.ts";
import { channel, levelChannel } from "./channels.ts";
import { AGGREGATOR, exchange, repair, rule } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const disabled = exchange("BINANCE", "disabled");
const enabled = exchange("BINANCE", "enabled");
const EXCHANGES = surfaceKey(AGGREGATOR, "exchanges", "all");
const asks = repair({ mode: "propose" });

/** The events that a channel gets which accepts nothing in the first hour. Each minute the exchanges are read. */
function hears(act: RuleAction, happens: (late: World) => void = () => {}): string[] {
  const acting = { approvalExpiresAfterMs: 50 * MINUTE };
  const late = scriptedWorld({ rules: [rule({ act })], channels: [channel("hook")], acting });
  late.receives = () => (late.now < START + HOUR ? "failed" : "delivered");
  late.sees("exchanges", [disabled]);
  for (let minute = 0; minute < 70; minute += 1) {
    late.passes("1m");
    if (minute === 30) happens(late);
    late.reads("exchanges", late.truth.get(EXCHANGES) ?? []);
  }
  expect(late.state.channels.get("hook")?.waiting.size).toBe(0);
  expect(late.delivered.map(({ behind }) => behind).at(-1)).toBe(0);
  return late.delivered.flatMap(({ items }) =>
    items.flatMap(({ notification: one }) =>
      one.type === "event" ? [[one.word, one.labels["proposal"]].join(" ").trim()] : [],
    ),
  );
}

it("a channel that was away gets no proposal that has expired, but the one in its place", () => {
  expect(hears(asks)).toEqual(["proposed p2"]);
});

it("a channel that was away gets no proposal that was decided, or whose alert has resolved", () => {
  expect(hears(asks, (late) => late.commands({ name: "deny", proposal: "p1" }))).toEqual([]);
  expect(hears(asks, (late) => late.becomes("exchanges", [enabled]))).toEqual([]);
  const sent = hears(asks, (late) => late.approves("p1").passes("1s"));
  expect(sent).toContain("unverified");
  expect(sent).not.toContain("proposed p1");
});

it("a channel that was away does not hear that an action is held back if its alert only keeps firing", () => {
  const kept = rule({ act: repair(), keepFiringForMs: 2 * HOUR });
  const late = scriptedWorld({
    rules: [kept],
    channels: [channel("hook", { topics: ["remediations"] })],
  });
  late.receives = () => (late.now < START + HOUR ? "failed" : "delivered");
  late.commands({ name: "kill", source: "operator" }).sees("exchanges", [disabled]);
  const goesOn = (minutes: number): void => {
    for (let minute = 0; minute < minutes; minute += 1)
      late.passes("1m").reads("exchanges", late.truth.get(EXCHANGES) ?? []);
  };
  goesOn(20);
  expect(late.state.channels.get("hook")?.waiting.size).toBe(1);
  late.becomes("exchanges", [enabled]);
  goesOn(50);
  expect(late.alerts()).toEqual(["ExchangeDisabled BINANCE firing"]);
  expect(late.delivered).toEqual([]);
  // Nor is the time in which it was well a part of that for which it is held back again.
  late.becomes("exchanges", [disabled]);
  goesOn(10);
  expect(late.delivered).toEqual([]);
  goesOn(10);
  expect(late.told()).toEqual(["hook suppressed ExchangeDisabled|bsc/exchange/BINANCE suppressed"]);
});

/** What is said of the repair of BINANCE, `CHANNEL WORD: DETAIL`, and of its alert. */
function said({ delivered }: World): string[] {
  return delivered.flatMap(({ channel: name, items }) =>
    items.map(({ notification: one }) =>
      one.type === "event"
        ? `${name} ${one.word}: ${one.detail.replace(/^(p\d+) .*expires.*/, "$1")}`
        : `${name} ${one.state}`,
    ),
  );
}

const repairs = channel("repairs", { topics: ["remediations"] });

function proposed(channels = [channel("hook"), repairs]): World {
  const acting = { approvalExpiresAfterMs: 50 * MINUTE };
  const world = scriptedWorld({ rules: [rule({ act: asks })], channels, acting });
  return world.sees("exchanges", [disabled]).passes("2s");
}

/** What is said after it was proposed. */
function saidLater(world: World): string[] {
  const before = /(hook firing|proposed: p1|suppressed: .*)$/;
  return said(world).filter((line) => !before.test(line));
}

it("who was asked hears that a proposal was denied, by whom and why", () => {
  const channels = [channel("hook"), repairs, channel("kills", { topics: ["kill"] })];
  const asked = proposed(channels);
  asked.commands({ name: "deny", proposal: "p1" }).passes("2s");
  expect(saidLater(asked)).toEqual([
    "hook denied: p1 was denied by alice: she said so",
    "repairs denied: p1 was denied by alice: she said so",
  ]);
  const items = asked.delivered.flatMap((sent) => sent.items).map((one) => one.notification);
  const denied = items.find((one) => one.type === "event" && one.word === "denied");
  expect(denied?.labels).toMatchObject({ proposal: "p1" });
});

it("who was asked hears that a proposal has expired, or only of the one in its place", () => {
  const asked = proposed().passes("52m");
  expect(saidLater(asked)).toEqual([
    "hook expired: p1 has expired, and nothing was sent",
    "repairs expired: p1 has expired, and nothing was sent",
  ]);
  const again = proposed();
  for (let minute = 0; minute < 50; minute += 1) again.passes("1m").sees("exchanges", [disabled]);
  expect(said(again.passes("2s"))).toContain("repairs proposed: p2");
  expect(said(again.passes("2m")).join()).not.toContain("expired");
  expect(again.delivered.flatMap(({ items }) => items.map((one) => one.superseded))).not.toContain(
    1,
  );
});

it("who hears nothing of alerts hears that a proposal ended with its alert", () => {
  const asked = proposed().sees("exchanges", [enabled]).passes("2s");
  expect(saidLater(asked)).toEqual([
    "hook resolved",
    "repairs withdrawn: p1 was withdrawn: its alert no longer fires",
  ]);
});

it("who hears only of the proposals of an alert hears that one ended with it", () => {
  const warned = channel("warned", { leastSeverity: "warning" });
  const world = scriptedWorld({
    rules: [rule({ act: asks, severity: "info" })],
    channels: [warned],
  });
  world.sees("exchanges", [disabled]).passes("2s").sees("exchanges", [enabled]).passes("2s");
  expect(said(world).map((line) => line.split(":")[0])).toEqual([
    "warned proposed",
    "warned withdrawn",
  ]);
});

it("who was asked, and then was away, hears of the end of the proposal in its place", () => {
  const world = proposed([repairs]);
  world.receives = () => "failed";
  for (let minute = 0; minute < 52; minute += 1) world.passes("1m").sees("exchanges", [disabled]);
  world.commands({ name: "deny", proposal: "p2" }).passes("2s");
  world.receives = () => "delivered";
  expect(saidLater(world.passes("2m"))).toEqual([
    "repairs denied: p2 was denied by alice: she said so",
  ]);
});

it("the end of a proposal that was sent, or that a silence held back, is not notified", () => {
  const sent = proposed().approves("p1").passes("2s").sees("exchanges", [enabled]).passes("2s");
  expect(saidLater(sent).join()).not.toMatch(/denied|expired|withdrawn/);
  const silenced = scriptedWorld({ rules: [rule({ act: asks })], channels: [repairs] })
    .commands({ name: "silence", scope: { id: "BINANCE" }, until: START + HOUR })
    .sees("exchanges", [disabled])
    .passes("2s");
  expect(said(silenced.commands({ name: "deny", proposal: "p1" }).passes("2s"))).toEqual([]);
});

it("who was asked, and does not get what was sent, hears that the proposal was sent", () => {
  const world = proposed([channel("hook"), channel("warned", { leastSeverity: "warning" })]);
  world.approves("p1").passes("2s");
  expect(saidLater(world).slice(-2).toSorted()).toEqual([
    expect.stringMatching(/^hook sent: r1: .*; approved by alice$/),
    "warned sent: p1 was sent as r1; approved by alice",
  ]);
  const silenced = proposed([repairs])
    .commands({ name: "silence", scope: { id: "BINANCE" }, until: START + HOUR })
    .approves("p1")
    .passes("2s");
  expect(saidLater(silenced)).toEqual(["repairs sent: p1 was sent as r1; approved by alice"]);
  const unasked = proposed([channel("others", { match: { aggregator: "other" } })]);
  expect(said(unasked.approves("p1").passes("2s"))).toEqual([]);
});

/** The proposal is under way to a channel, or has arrived, and the answer has not. */
function beingAsked(): World {
  const world = scriptedWorld({ rules: [rule({ act: asks })], channels: [repairs] });
  world.sees("exchanges", [disabled]);
  while (said(world).length === 0) world.passes("10ms");
  expect(world.state.channels.get("repairs")?.sendingSince).toBeDefined();
  return world;
}

it("who gets a proposal while it is denied hears that too", () => {
  const world = beingAsked();
  world.commands({ name: "deny", proposal: "p1" }).passes("2s");
  expect(said(world)).toEqual([
    "repairs proposed: p1",
    "repairs denied: p1 was denied by alice: she said so",
  ]);
});

it("who got a proposal right before a crash hears that it has expired", () => {
  const world = beingAsked().restarts("2h").passes("2m");
  expect(said(world)).toEqual([
    "repairs proposed: p1",
    "repairs expired: p1 has expired, and nothing was sent",
  ]);
});

it("who hears nothing of that alert hears that its proposal ended with it", () => {
  const others = channel("others", { match: { team: "desk" } });
  const asked = proposed([others]).sees("exchanges", [enabled]).passes("2s");
  expect(said(asked)).toEqual([
    "others proposed: p1",
    "others withdrawn: p1 was withdrawn: its alert no longer fires",
  ]);
});

it("a channel that was away hears that an action is held back only if it still is", () => {
  const held = repair({ budget: { max: 0, perMs: HOUR } });
  expect(hears(held)).toEqual(["suppressed"]);
  expect(hears(held, (late) => late.becomes("exchanges", [enabled]))).toEqual([]);
});

it("a channel that was away does not hear of what held an action back that waits for a person now, or is not to act", () => {
  const held = repair({ budget: { max: 0, perMs: HOUR } });
  const becomes = (act: RuleAction) => (late: World) => {
    const { policy } = scriptedWorld({ rules: [rule({ act, hash: "new" })] });
    late.policy = { ...late.policy, rules: policy.rules };
    const rulesBefore = new Map([["ExchangeDisabled", ""]]);
    late.tell({ type: "policy_changed", rulesBefore, moved: [] });
  };
  expect(hears(held, becomes(asks))).toEqual(["proposed p1"]);
  expect(hears(held, becomes(repair({ mode: "shadow" })))).toEqual([]);
});

it("a channel for which nothing waits any more is not said to be tried again", () => {
  const channels = [channel("hook", { topics: ["remediations"] }), levelChannel("am")];
  const down = scriptedWorld({ rules: [rule({ act: asks })], channels });
  const retries = () => channelsOf(down.policy, down.state).map(({ retryAt }) => retryAt);
  down.receives = () => "failed";
  down.sees("exchanges", [disabled]).passes("2s");
  expect(retries()).toEqual([expect.any(Number), expect.any(Number)]);
  down.commands({ name: "deny", proposal: "p1" }).passes("20s");
  expect(retries()).toEqual([undefined, expect.any(Number)]);
});

it("a notification that is refused alone is said to be tried again when it is, and not at a retry of before", () => {
  const world = scriptedWorld({ rules: [rule()], channels: [channel("hook")] });
  world.receives = () => "failed";
  world.sees("exchanges", [disabled]).passes("2s");
  world.receives = () => "delivered";
  world.passes("20s");
  world.receives = () => "refused";
  world.sees("exchanges", [disabled, exchange("OKX", "disabled")]).passes("1h");
  const [refused] = channelsOf(world.policy, world.state);
  const saidAt = world.now;
  let triedAt = 0;
  world.receives = () => {
    triedAt ||= world.now;
    return "delivered";
  };
  world.passes("2h");
  expect(triedAt).toBeGreaterThan(saidAt);
  // It is tried at the first tick after what was said.
  expect(triedAt).toBeGreaterThanOrEqual(refused?.retryAt ?? Infinity);
  expect(triedAt - (refused?.retryAt ?? 0)).toBeLessThan(SECOND);
});
