import { describe, expect, it } from "vitest";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import { MOST_WAITING, MOST_WAITING_EVENTS } from "../../../src/core/tell/outbox.ts";
import type { ChannelPolicy } from "../../../src/domain/notification.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/domain/time.ts";
import { channel, levelChannel } from "./channels.ts";
import { exchange, pair, repair, rule, template } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const disabled = exchange("BINANCE", "disabled");
const enabled = exchange("BINANCE", "enabled");
const KEY = "ExchangeDisabled|bsc/exchange/BINANCE";
const ALERT = `alert ${KEY}`;

function world(...channels: readonly ChannelPolicy[]): World {
  const all = channels.length === 0 ? [channel("hook")] : channels;
  return scriptedWorld({ rules: [rule()], channels: all });
}

describe("a batch", () => {
  it("names the unit of senders that sends it", () => {
    const ofUnit = world();
    ofUnit.policy = { ...ofUnit.policy, notify: { ...ofUnit.policy.notify, unit: "senders/3" } };
    ofUnit.sees("exchanges", [disabled]).passes("1s");
    expect(ofUnit.batches.map(({ unit }) => unit)).toEqual(["senders/3"]);
    const whole = world().sees("exchanges", [disabled]).passes("1s");
    expect(whole.batches.map(({ unit }) => unit)).toEqual([undefined]);
  });
});

it("says of when the numbers are that hold an action back, if that is past", () => {
  const act = repair({ budget: { max: 0, perMs: 60 * MINUTE } });
  const late = scriptedWorld({ rules: [rule({ act })], channels: [channel("hook")] });
  late.receives = () => (late.now < START + 10 * SECOND ? "failed" : "delivered");
  late.sees("exchanges", [disabled]).passes("1m");
  const told = late.batches.flatMap(({ items }) =>
    items.map(({ notification: one }) => one.type === "alert" && one.suppressed),
  );
  expect(told[0]).toBe("budget: 0 of 0 per 1h spent (rule budget)");
  expect(told.at(-1)).toBe(
    "budget, as of 2026-01-01T00:00:00.000Z: 0 of 0 per 1h spent (rule budget)",
  );
});

describe("a proposal", () => {
  const EIGHT = Array.from({ length: 8 }, (_, index) => `E${index}`);
  const wordsIn = ({ batches }: World): string[][] =>
    batches.map(({ items }) =>
      items.map(({ notification: one }) => (one.type === "alert" ? one.state : one.word)),
    );

  it("is a request of its own, in its turn, so that many at once do not shorten it", () => {
    const rules = [rule({ act: repair({ mode: "propose" }) })];
    const asking = scriptedWorld({ rules, channels: [channel("hook")] });
    asking.receives = () => (asking.now < START + 10 * SECOND ? "failed" : "delivered");
    const seen = EIGHT.map((id, index) => exchange(id, index < 3 ? "disabled" : "enabled"));
    asking.sees("exchanges", seen).passes("10s");
    const before = asking.batches.length;
    asking.commands({ name: "kill", source: "operator" }).passes("10s");
    expect(wordsIn(asking).flat()).toContain("proposed");
    for (const words of wordsIn(asking)) {
      if (words.includes("proposed")) expect(words).toEqual(["proposed"]);
    }
    expect(wordsIn(asking).slice(before)).toEqual([
      ["firing", "firing", "firing"],
      ["proposed"],
      ["proposed"],
      ["proposed"],
      ["kill_on"],
    ]);
  });
});

describe("a channel that does not answer", () => {
  it("is told when it comes back, and others meanwhile", () => {
    const down = world(channel("hook"), channel("up"));
    down.receives = ({ channel: name }) =>
      name === "hook" && down.now < START + HOUR ? "failed" : "delivered";
    down.sees("exchanges", [disabled]).passes("2m");
    expect(down.told()).toEqual([`up ${ALERT} firing`]);
    down.passes("1h");
    expect(down.told()).toEqual([`up ${ALERT} firing`, `hook ${ALERT} firing`]);
  });

  it("holds the last word on each alert, and says how much it took the place of", () => {
    const down = world();
    down.receives = () => (down.now < START + 24 * HOUR ? "failed" : "delivered");
    for (let turn = 0; turn < 20; turn += 1) {
      down.sees("exchanges", [turn % 2 === 0 ? disabled : enabled]).leaps("1h");
    }
    expect(down.state.tables.notification.size).toBe(1);
    down.sees("exchanges", [enabled]).leaps("5h").passes("2m");
    expect(down.told()).toEqual([`hook ${ALERT} resolved`]);
    expect(down.delivered[0]?.items[0]).toMatchObject({ since: START, superseded: 19 });
  });

  it("does not count as undelivered what was under way when the next was decided, and came", () => {
    const busy = world();
    busy.receives = () => (busy.now < START + HOUR ? "failed" : "delivered");
    busy.sees("exchanges", [disabled]).passes("2m");
    while (busy.delivered.length === 0) busy.leaps("1h");
    // It is resolved before the receiver has answered.
    busy.sees("exchanges", [enabled]).passes("2m");
    expect(busy.told()).toEqual([`hook ${ALERT} firing`, `hook ${ALERT} resolved`]);
    const [begun, ended] = busy.delivered;
    expect(ended?.items[0]).toMatchObject({ superseded: 0, since: begun?.at });
  });

  it("is tried less and less often, and never less than once a minute", () => {
    const down = world();
    down.receives = () => "failed";
    down.sees("exchanges", [disabled]).passes("10m");
    const waits = down.batches.map(({ at }, index) => at - (down.batches[index - 1]?.at ?? at));
    expect(waits.slice(1, 5).map((wait) => Math.round(wait / SECOND))).toEqual([6, 11, 21, 41]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(MINUTE + 2 * SECOND);
  });

  it("waits as long as the receiver asks", () => {
    const down = world();
    down.receives = () => "failed";
    down.retryAfter = { retryAfterMs: 5 * MINUTE };
    down.sees("exchanges", [disabled]).passes("4m");
    expect(down.batches).toHaveLength(1);
    down.passes("2m");
    expect(down.batches).toHaveLength(2);
  });

  it("waits as long as the receiver asks, though the policy is reloaded meanwhile", () => {
    const down = world();
    down.receives = () => "failed";
    down.retryAfter = { retryAfterMs: 5 * MINUTE };
    down.sees("exchanges", [disabled]).passes("1m");
    const rulesBefore = new Map([["ExchangeDisabled", ""]]);
    down.tell({ type: "policy_changed", rulesBefore, moved: [] }).passes("3m");
    expect(down.batches).toHaveLength(1);
    down.receives = () => "delivered";
    down.passes("2m");
    expect(down.told()).toEqual([`hook ${ALERT} firing`]);
  });

  it("is not hammered if it denies us, and is tried at once after a reload", () => {
    const denied = world();
    denied.receives = () => "denied";
    denied.sees("exchanges", [disabled]).passes("11m");
    expect(denied.batches).toHaveLength(3);
    denied.receives = () => "delivered";
    const rulesBefore = new Map([["ExchangeDisabled", ""]]);
    denied.tell({ type: "policy_changed", rulesBefore, moved: [] }).passes("100ms");
    expect(denied.told()).toEqual([`hook ${ALERT} firing`]);
  });

  it("keeps the order of what it is told, whatever happens meanwhile", () => {
    const down = world(channel("hook", { most: 1 }));
    down.receives = () => (down.now < START + 5 * MINUTE ? "failed" : "delivered");
    for (const id of ["C", "A", "B"]) {
      down.sees("exchanges", [exchange(id, "disabled")], { complete: false }).passes("1m");
    }
    down.passes("10m");
    const ids = down.told().map((line) => line.replace(/.*exchange\/(\w).*/, "$1"));
    expect(ids).toEqual(["C", "A", "B"]);
  });
});

describe("a receiver that refuses", () => {
  it("gets the rest, and what it refuses is put off with a finding", () => {
    const picky = world();
    picky.receives = ({ items }) =>
      items.some(({ subject }) => subject.endsWith("/B")) ? "refused" : "delivered";
    picky.sees(
      "exchanges",
      ["A", "B", "C"].map((id) => exchange(id, "disabled")),
    );
    picky.passes("2m");
    expect(picky.told().map((line) => line.replace(/.*exchange\/(\w).*/, "$1"))).toEqual([
      "A",
      "C",
    ]);
    const refused = picky.found("notified").filter(({ outcome }) => outcome === "refused");
    expect(refused).toHaveLength(1);
    expect(picky.batches.length).toBeLessThan(6);
  });

  it("is offered an end again and again, as it knows the beginning", () => {
    const picky = world();
    picky.sees("exchanges", [disabled]).passes("1s");
    picky.receives = () => "refused";
    picky.sees("exchanges", [enabled]).passes("150m");
    expect(picky.batches).toHaveLength(4);
    picky.receives = () => "delivered";
    picky.passes("61m");
    expect(picky.told()).toEqual([`hook ${ALERT} firing`, `hook ${ALERT} resolved`]);
  });
});

describe("an Alertmanager", () => {
  it("is told again each minute of what fires, and for a while of what has resolved", () => {
    const level = world(levelChannel("am"));
    level.sees("exchanges", [disabled]).passes("5m");
    const firing = level.told().length;
    expect(firing).toBeGreaterThanOrEqual(5);
    expect(firing).toBeLessThanOrEqual(7);
    level.sees("exchanges", [enabled]).passes("5m");
    expect(level.told().filter((line) => line.endsWith("resolved")).length).toBeGreaterThan(4);
    level.passes("30m");
    const over = level.told().length;
    level.passes("30m");
    expect(level.told()).toHaveLength(over);
  });

  it("is told again at once after a restart", () => {
    const level = world(levelChannel("am")).sees("exchanges", [disabled]).passes("10s");
    const before = level.told().length;
    level.restarts("1s").passes("100ms");
    expect(level.told().slice(before)).toEqual([`am ${ALERT} firing`]);
  });

  it("is told again at once after a reload, as it may be another one, and then as often as that says", () => {
    const level = world(levelChannel("am", { watchdog: true, resendMs: HOUR }));
    level.sees("exchanges", [disabled]).passes("10s");
    const before = level.told().length;
    const channels = [levelChannel("am", { watchdog: true, resendMs: MINUTE })];
    const rulesBefore = ruleHashes(level.policy.rules);
    level.policy = { ...level.policy, notify: { ...level.policy.notify, channels } };
    level.tell({ type: "policy_changed", rulesBefore, moved: [] }).passes("1s");
    const round = [`am ${ALERT} firing`, "am Watchdog firing"];
    expect(level.told().slice(before).toSorted()).toEqual(round.toSorted());
    level.passes("60s");
    expect(level.told().slice(before).toSorted()).toEqual([...round, ...round].toSorted());
  });

  it("says in its findings and in the journal only what is new", () => {
    const level = world(levelChannel("am")).sees("exchanges", [disabled]).passes("10m");
    const fresh = level.found("notified").filter(({ repeated }) => !repeated);
    expect(fresh).toHaveLength(1);
  });

  it("gets a storm in batches, each alert once in a round", () => {
    const level = world(levelChannel("am", { most: 10 }));
    const many = Array.from({ length: 35 }, (_, index) => exchange(`E${index}`, "disabled"));
    level.sees("exchanges", many).passes("1s");
    expect(new Set(level.told()).size).toBe(35);
    expect(level.batches.map(({ items }) => items.length).slice(0, 4)).toEqual([10, 10, 10, 5]);
  });

  it("is told again of what fires, and that aggwatch runs, while more waits than a batch holds", () => {
    const own = { most: 2, watchdog: true, resendMs: 10 * SECOND };
    const level = world(levelChannel("am", own));
    level.sees("exchanges", [disabled]).passes("1s");
    const many = Array.from({ length: 2_500 }, (_, index) => exchange(`E${index}`, "disabled"));
    level.sees("exchanges", [disabled, ...many]).passes("1m");
    const during = level.batches.filter(({ behind }) => behind > 0);
    const sentAt = (subject: string): number[] =>
      during
        .filter(({ items }) => items.some((item) => item.subject === subject))
        .map(({ at }) => Math.round((at - START) / SECOND));
    expect(sentAt("Watchdog").slice(0, 3)).toEqual([10, 20, 30]);
    expect(sentAt(ALERT)[0]).toBe(10);
  });
});

describe("storms", () => {
  it("are one message", () => {
    const many = Array.from({ length: 60 }, (_, index) => exchange(`E${index}`, "disabled"));
    const storm = world().sees("exchanges", many).passes("1s");
    expect(storm.batches).toHaveLength(1);
    expect(storm.told()).toHaveLength(60);
  });

  it("are one message for each rule if the receiver takes no more, with what fires beside", () => {
    const rules = [rule(), rule({ alert: "PairDisabled", kind: "pair" })];
    const channels = [channel("pd", { grouping: "rule", topics: ["alerts"] })];
    const storm = scriptedWorld({ rules, channels });
    storm.sees("exchanges", [disabled, exchange("OKX", "disabled"), pair("OKX", "A-B")]);
    storm.passes("1s");
    expect(storm.batches.map(({ items, firing }) => [items.length, firing.total])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    storm
      .sees("exchanges", [enabled, exchange("OKX", "disabled"), pair("OKX", "A-B")])
      .passes("1s");
    expect(storm.batches.at(-1)?.firing).toMatchObject({ total: 1, some: [{ state: "firing" }] });
    storm.sees("exchanges", [enabled, exchange("OKX", "enabled"), pair("OKX", "A-B")]).passes("1s");
    expect(storm.batches.at(-1)?.firing.total).toBe(0);
  });
});

it("what fires beside is named as it is now, not as it was when it began", () => {
  const rules = [rule({ annotations: { summary: template("desk") } })];
  const channels = [channel("pd", { grouping: "rule", topics: ["alerts"] })];
  const of = (desk: string) => ({ ...disabled, facts: { ...disabled.facts, desk } });
  const lasting = scriptedWorld({ rules, channels })
    .sees("exchanges", [of("one")])
    .passes("1m");
  lasting.sees("exchanges", [of("two"), exchange("OKX", "disabled")]).passes("1s");
  expect(lasting.batches.at(-1)?.items).toHaveLength(1);
  expect(lasting.batches.at(-1)?.firing).toMatchObject({
    total: 2,
    some: [{ entity: { id: "BINANCE" }, annotations: { summary: "two" } }, {}],
  });
});

describe("the bounds of the outbox", () => {
  it("lets the oldest of what happened once go, and says so", () => {
    const down = world();
    down.receives = () => "failed";
    for (let turn = 0; turn < MOST_WAITING_EVENTS + 5; turn += 1) {
      const hold = { name: "hold", scope: {}, until: down.now + 20 * MINUTE } as const;
      down.commands(hold).leaps("11m");
    }
    expect(down.state.channels.get("hook")?.waiting.size).toBe(MOST_WAITING_EVENTS);
    expect(down.found("notified").filter(({ outcome }) => outcome === "dropped")).toHaveLength(5);
  });

  it("never lets the end of what the receiver knows go", () => {
    const down = world();
    down.sees("exchanges", [disabled]).passes("1s");
    down.receives = () => "failed";
    down.sees("exchanges", [enabled], { complete: false });
    const many = Array.from({ length: MOST_WAITING + 50 }, (_, index) => `E${index}`);
    down.leaps("10s");
    down.sees("exchanges", [enabled, ...many.map((id) => exchange(id, "disabled"))]);
    down.leaps("10s");
    down.sees("exchanges", [enabled, ...many.map((id) => exchange(id, "enabled"))]);
    expect(down.state.channels.get("hook")?.waiting.size).toBeLessThanOrEqual(MOST_WAITING + 1);
    down.receives = () => "delivered";
    down.leaps("2m").passes("1m");
    expect(down.told()).toContain(`hook ${ALERT} resolved`);
  });
});

it("sends again what was under delivery when the process died", () => {
  const dying = world();
  dying.sees("exchanges", [disabled]);
  expect(dying.told()).toHaveLength(1);
  dying.restarts("5s").passes("1s");
  expect(dying.told()).toEqual([`hook ${ALERT} firing`, `hook ${ALERT} firing`]);
});

it("sends nothing of what could not be committed, but tells it after the restart", () => {
  const dying = world();
  dying.crashNext = "before_commit";
  dying.sees("exchanges", [disabled]);
  expect(dying.told()).toEqual([]);
  dying.restarts("5s").sees("exchanges", [disabled]).passes("1s");
  expect(dying.told()).toEqual([`hook ${ALERT} firing`]);
});
