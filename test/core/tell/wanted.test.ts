/** Tests src/core/tell/wanted.ts: what a channel does not want any more after a reload. */
import { describe, expect, it } from "vitest";
import type { ChannelPolicy } from "../../../src/domain/notification.ts";
import type { Rule } from "../../../src/domain/rule.ts";
import { channel, levelChannel } from "./channels.ts";
import { exchange, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const disabled = exchange("BINANCE", "disabled");
const enabled = exchange("BINANCE", "enabled");
const pager = channel("pager", { leastSeverity: "critical" });
const alertmanager = levelChannel("am", { leastSeverity: "critical" });

function world(one: ChannelPolicy): World {
  return scriptedWorld({ rules: [rule({ severity: "critical" })], channels: [one] });
}

/** The rule and the channel are others by a reload. */
function reloads(before: World, change: Partial<Rule>, channels = before.policy.notify.channels) {
  const { policy } = scriptedWorld({ rules: [rule({ hash: "new", ...change })] });
  before.policy = { ...policy, notify: { ...before.policy.notify, channels } };
  const rulesBefore = new Map([["ExchangeDisabled", ""]]);
  return before.tell({ type: "policy_changed", rulesBefore, moved: [] });
}

/** What was delivered, as `state severity`. */
function sent({ delivered }: World): string[] {
  return delivered.flatMap(({ items }) =>
    items.map(({ notification: one }) =>
      one.type === "alert" ? `${one.state} ${one.severity}` : one.word,
    ),
  );
}

describe("an alert that a reload makes less severe than the channel wants", () => {
  it("ends for an Alertmanager, which would go on with the old severity, and may come back", () => {
    const known = world(alertmanager).sees("exchanges", [disabled]).passes("90s");
    const before = sent(known).length;
    reloads(known, { severity: "info" }).passes("5m");
    expect([...new Set(sent(known).slice(before))]).toEqual(["resolved critical"]);
    reloads(known, { severity: "critical", hash: "newer" }).passes("1s");
    expect(sent(known).at(-1)).toBe("firing critical");
    known.sees("exchanges", [enabled]).passes("1s");
    expect(sent(known).at(-1)).toBe("resolved critical");
  });

  it("stays with another receiver that knows it until it has resolved", () => {
    const known = world(pager).sees("exchanges", [disabled]).passes("90s");
    reloads(known, { severity: "info" }).passes("5m");
    expect(sent(known)).toEqual(["firing critical"]);
    known.sees("exchanges", [enabled]).passes("1s");
    expect(sent(known)[1]).toMatch(/^resolved /);
  });
});

describe("an alert that waits, and that its channel does not want any more", () => {
  /** Nothing of it has been sent, as the channel must wait after the alert of another exchange. */
  function waits(): World {
    const down = world(pager);
    const other = exchange("OKX", "disabled");
    down.receives = () => "failed";
    down.sees("exchanges", [other]).passes("90s");
    down.sees("exchanges", [other, disabled]);
    down.receives = () => "delivered";
    return down;
  }

  const entities = ({ delivered }: World) =>
    delivered.flatMap(({ items }) =>
      items.map(({ notification: one }) => (one.type === "alert" ? one.entity.id : one.word)),
    );

  it("is not sent if a reload made it less severe, nor is its end", () => {
    const down = reloads(waits(), { severity: "info" }).passes("2m");
    expect(entities(down)).toEqual(["OKX"]);
    down.sees("exchanges", [exchange("OKX", "enabled"), enabled]).passes("2m");
    expect(entities(down)).toEqual(["OKX", "OKX"]);
  });

  it("is not sent if a reload made the channel want others", () => {
    const want = (entity: string) => [{ ...pager, match: { entity } }];
    expect(entities(reloads(waits(), {}, want("OKX")).passes("2m"))).toEqual(["OKX"]);
    // Its receiver may know of the first one, which was sent without an answer.
    expect(entities(reloads(waits(), {}, want("BINANCE")).passes("2m"))).toEqual([
      "OKX",
      "BINANCE",
    ]);
  });
});
