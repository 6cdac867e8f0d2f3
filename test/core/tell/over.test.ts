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

it("a channel that was away hears that an action is held back only if it still is", () => {
  const held = repair({ budget: { max: 0, perMs: HOUR } });
  expect(hears(held)).toEqual(["suppressed"]);
  expect(hears(held, (late) => late.becomes("exchanges", [enabled]))).toEqual([]);
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
