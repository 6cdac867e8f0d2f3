/** Tests src/core/tell/dispatch.ts: what a receiver refuses. */
import { describe, expect, it } from "vitest";
import { silentSince } from "../../../src/core/explain/status-notify.ts";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import { channel, levelChannel } from "./channels.ts";
import { exchange, rule } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const disabled = exchange("BINANCE", "disabled");
const enabled = exchange("BINANCE", "enabled");
const ALERT = "alert ExchangeDisabled|bsc/exchange/BINANCE";
const KILL = { name: "kill", source: "operator" } as const;

function world(): World {
  return scriptedWorld({ rules: [rule()], channels: [channel("hook")] });
}

/** Exchanges that are disabled, by their names. */
function seesDisabled(seen: World, ...ids: readonly string[]): World {
  const all = ids.map((id) => exchange(id, "disabled"));
  return seen.sees("exchanges", all);
}

function outcomes(seen: World): string[] {
  return seen.found("notified").map(({ outcome }) => outcome);
}

/** The names of the exchanges whose alerts have come. */
function come(seen: World): string[] {
  return seen.told().map((line) => line.replace(/.*exchange\/(\w+) .*/, "$1"));
}

describe("a receiver that answers every message as if it were invalid", () => {
  it("is offered its only alert every five minutes until it accepts it", () => {
    const wrong = world();
    wrong.receives = () => (wrong.now < START + HOUR ? "refused" : "delivered");
    wrong.sees("exchanges", [disabled]).passes("59m");
    expect(wrong.batches).toHaveLength(12);
    expect(new Set(outcomes(wrong))).toEqual(new Set(["failed"]));
    expect(wrong.found("notified").filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(silentSince(wrong.state, ["hook"])).toBe(START);
    wrong.passes("6m");
    expect(wrong.told()).toEqual([`hook ${ALERT} firing`]);
  });

  it("loses none of many, alerts and events, and is sent two every five minutes at most", () => {
    const wrong = world();
    wrong.receives = () => (wrong.now < START + 5 * HOUR ? "refused" : "delivered");
    const ids = Array.from({ length: 30 }, (_, index) => `E${index}`);
    seesDisabled(wrong, ...ids)
      .commands(KILL)
      .passes("5h");
    expect(wrong.batches.length).toBeLessThan(5 * 12 * 2 + 5);
    wrong.passes("10m");
    expect(wrong.told()).toHaveLength(31);
    expect(come(wrong)).toEqual(expect.arrayContaining(ids));
    expect(wrong.told()).toContain("hook kill operator kill_on");
  });

  it("is sent it at once after a reload, and after a restart", () => {
    for (const change of ["reload", "restart"]) {
      const wrong = world();
      wrong.receives = () => "refused";
      wrong.sees("exchanges", [disabled]).passes("1m");
      wrong.receives = () => "delivered";
      const rulesBefore = new Map([["ExchangeDisabled", ""]]);
      if (change === "restart") wrong.restarts();
      else wrong.tell({ type: "policy_changed", rulesBefore, moved: [] });
      wrong.passes("100ms");
      expect(wrong.told()).toEqual([`hook ${ALERT} firing`]);
    }
  });

  it("gets the end of what it refused once it accepts something", () => {
    const wrong = world();
    wrong.receives = () => (wrong.now < START + HOUR ? "refused" : "delivered");
    wrong.sees("exchanges", [disabled]).passes("10m");
    wrong.sees("exchanges", [enabled]).passes("65m");
    expect(wrong.told()).toEqual([`hook ${ALERT} resolved`]);
  });
});

describe("an Alertmanager that refuses a message with more than one alert", () => {
  it("gets each of them alone, and every minute the Watchdog too", () => {
    const channels = [levelChannel("am", { watchdog: true })];
    const small = scriptedWorld({ rules: [rule()], channels });
    small.receives = ({ items }) => (items.length > 1 ? "refused" : "delivered");
    seesDisabled(small, "A", "B").passes("5m");
    const watchdogs = small.delivered.filter(({ items }) => items[0]?.subject === "Watchdog");
    const minutes = watchdogs.map(({ at }) => Math.floor((at - START) / MINUTE));
    expect(new Set(minutes)).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(new Set(come(small).slice(-3))).toEqual(new Set(["A", "B", "am Watchdog firing"]));
  });
});

describe("a receiver that refuses some messages and accepts others", () => {
  it("is offered an alert every hour while it fires", () => {
    const picky = world();
    picky.receives = ({ items, at }) =>
      at < START + 3 * HOUR && items.some(({ subject }) => subject.endsWith("/B"))
        ? "refused"
        : "delivered";
    seesDisabled(picky, "A", "B", "C").passes("170m");
    expect(come(picky)).toEqual(["A", "C"]);
    expect(outcomes(picky).filter((outcome) => outcome === "refused")).toHaveLength(3);
    picky.passes("70m");
    expect(come(picky)).toEqual(["A", "C", "B"]);
  });

  it("gets the others, however many it refuses before them", () => {
    const picky = world();
    const poison = Array.from({ length: 8 }, (_, index) => `P${index}`);
    picky.receives = ({ items }) =>
      items.some(({ subject }) => /\/P\d$/.test(subject)) ? "refused" : "delivered";
    seesDisabled(picky, ...poison, "GOOD").passes("45m");
    expect(come(picky)).toEqual(["GOOD"]);
    seesDisabled(picky, ...poison, "GOOD", "BETTER").passes("45m");
    expect(come(picky)).toEqual(["GOOD", "BETTER"]);
  });

  it("is not delayed by a single one that it refuses", () => {
    const picky = world();
    picky.receives = ({ items }) =>
      items.some(({ subject }) => subject.endsWith("/A")) ? "refused" : "delivered";
    seesDisabled(picky, "A", "B", "C").passes("1s");
    expect(come(picky)).toEqual(["B", "C"]);
  });

  it("does not get an event again that it refused while it accepted others", () => {
    const picky = world();
    picky.receives = ({ items }) =>
      items.some(({ subject }) => subject.startsWith("kill")) ? "refused" : "delivered";
    picky.commands(KILL).sees("exchanges", [disabled]).passes("6m");
    const sent = picky.batches.length;
    picky.passes("3h");
    expect(picky.told()).toEqual([`hook ${ALERT} firing`]);
    expect(outcomes(picky).filter((outcome) => outcome === "refused")).toHaveLength(1);
    expect(picky.batches).toHaveLength(sent);
    expect(picky.now - START).toBeGreaterThan(3 * HOUR + 5 * MINUTE);
  });
});

it("what aggwatch itself cannot write says nothing of the receiver, and holds up nothing else", () => {
  const seen = world();
  seen.receives = ({ items }) =>
    items.some(({ subject }) => !subject.endsWith("/E3")) ? "unwritten" : "delivered";
  seesDisabled(seen, "E0", "E1", "E2", "E3").passes("2s");
  expect(come(seen)).toEqual(["E3"]);
  seen.passes("6m");
  expect(outcomes(seen).filter((outcome) => outcome === "refused")).toHaveLength(3);
});

it("what aggwatch itself cannot write is logged once, though nothing else is accepted meanwhile", () => {
  const seen = world();
  seen.receives = () => "unwritten";
  seesDisabled(seen, "E0", "E1").passes("1h");
  const logged = seen.found("notified").filter(({ repeated }) => !repeated);
  expect(logged.map(({ outcome }) => outcome)).toEqual(["failed", "failed"]);
});
