import { describe, expect, it } from "vitest";
import { AGGREGATOR, exchange, factIs, order, pair, rule } from "./fixtures.ts";
import { scriptedWorld, START } from "./world.ts";

const disabledPair = rule({
  alert: "PairDisabled",
  kind: "pair",
  when: factIs("status", "disabled"),
});

function world() {
  return scriptedWorld({ rules: [rule(), disabledPair] });
}

describe("a complete listing", () => {
  it("makes its entities known, with the instant at which they were first seen", () => {
    const seen = world()
      .at("10s")
      .sees("exchanges", [exchange("BINANCE", "enabled")]);
    seen.at("20s").sees("exchanges", [exchange("BINANCE", "enabled")]);
    expect(seen.entity("exchange", "BINANCE")).toMatchObject({
      firstSeen: START + 10_000,
      since: START + 10_000,
      facts: { status: "enabled" },
    });
  });

  it("moves since when the status changes, and only then", () => {
    const seen = world()
      .at("10s")
      .sees("exchanges", [exchange("BINANCE", "enabled")]);
    seen.at("20s").sees("exchanges", [exchange("BINANCE", "disabled")]);
    seen.at("25s").sees("exchanges", [exchange("BINANCE", "disabled")]);
    expect(seen.entity("exchange", "BINANCE")?.since).toBe(START + 20_000);
  });

  it("ends what is absent, where absence means gone", () => {
    const seen = world().sees("exchanges", [pair("BINANCE", "ORN-USDT")]);
    expect(seen.alerts()).toStrictEqual(["PairDisabled BINANCE/ORN-USDT firing"]);
    seen.at("10s").sees("exchanges", []);
    expect(seen.entity("pair", "BINANCE/ORN-USDT")).toBeUndefined();
    expect(seen.alert("PairDisabled", "pair", "BINANCE/ORN-USDT")).toMatchObject({
      state: "resolved",
      resolvedBecause: "gone",
    });
  });

  it("calls an absent exchange missing, and forgets it after seven days", () => {
    const seen = world().sees("exchanges", [exchange("BINANCE", "enabled")]);
    seen.at("10s").sees("exchanges", []);
    expect(seen.entity("exchange", "BINANCE")?.facts).toMatchObject({
      status: "missing",
      listed: false,
      name: "BINANCE",
    });
    seen.leaps("7d").sees("exchanges", []);
    expect(seen.entity("exchange", "BINANCE")).toBeDefined();
    seen.leaps("1s").sees("exchanges", []);
    expect(seen.entity("exchange", "BINANCE")).toBeUndefined();
  });

  it("changes no entity row where nothing has changed", () => {
    const seen = world().sees("exchanges", [exchange("BINANCE", "enabled")]);
    const written: string[] = [];
    seen.onStep = (_, { changes }) => written.push(...changes.map(({ key }) => key));
    seen.at("10s").sees("exchanges", [exchange("BINANCE", "enabled")]);
    expect(written).not.toContain(`${AGGREGATOR}/exchange/BINANCE`);
  });
});

describe("a listing that was cut", () => {
  it("concludes nothing of who is absent: unknown, neither gone nor resolved", () => {
    const seen = world().sees("exchanges", [pair("BINANCE", "ORN-USDT")]);
    seen.at("10s").sees("exchanges", [pair("KRAKEN", "ORN-USDT")], { complete: false });
    expect(seen.entity("pair", "BINANCE/ORN-USDT")?.unknownSince).toBe(START + 10_000);
    expect(seen.entity("pair", "KRAKEN/ORN-USDT")?.unknownSince).toBeUndefined();
    expect(seen.alerts()).toStrictEqual([
      "PairDisabled BINANCE/ORN-USDT firing (unknown)",
      "PairDisabled KRAKEN/ORN-USDT firing",
    ]);
  });
});

describe("a reading that failed", () => {
  it("makes the entities of its surface unknown, and no others", () => {
    const seen = world().sees("exchanges", [exchange("BINANCE", "disabled")]);
    seen.polls("liquidations", { o1: [order("o1", "STUCK")], o2: [order("o2", "STUCK")] });
    seen.at("10s").polls("liquidations", { o1: "failed", o2: [order("o2", "STUCK")] });
    expect(seen.entity("liquidation", "o1")?.unknownSince).toBe(START + 10_000);
    expect(seen.entity("liquidation", "o2")?.unknownSince).toBeUndefined();
    expect(seen.entity("exchange", "BINANCE")?.unknownSince).toBeUndefined();
  });

  it("keeps the first instant of not knowing, and ends it when the entity is read again", () => {
    const seen = world().sees("exchanges", [exchange("BINANCE", "disabled")]);
    seen.at("10s").fails("exchanges").at("20s").fails("exchanges");
    expect(seen.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing (unknown)"]);
    expect(seen.entity("exchange", "BINANCE")?.unknownSince).toBe(START + 10_000);
    seen.at("21s").sees("exchanges", [exchange("BINANCE", "disabled")]);
    expect(seen.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing"]);
  });
});

describe("a reading that comes late", () => {
  it("says nothing where a newer one is known already", () => {
    const seen = world()
      .at("10s")
      .sees("exchanges", [exchange("BINANCE", "enabled")]);
    seen.at("11s").reads("exchanges", [exchange("BINANCE", "disabled")], { askedAgo: "2s" });
    seen.reads("exchanges", "failed", { askedAgo: "2s" });
    expect(seen.alerts()).toStrictEqual([]);
    expect(seen.entity("exchange", "BINANCE")).toMatchObject({ facts: { status: "enabled" } });
    expect(seen.entity("exchange", "BINANCE")?.unknownSince).toBeUndefined();
  });
});

describe("a surface that leaves the plan of its poller", () => {
  it("ends its entities with the next poll", () => {
    const seen = world();
    seen.polls("liquidations", { o1: [order("o1", "STUCK")], o2: [order("o2", "STUCK")] });
    seen.at("10s").polls("liquidations", { o2: [order("o2", "STUCK")] });
    expect(seen.entity("liquidation", "o1")).toBeUndefined();
    expect(seen.entity("liquidation", "o2")).toBeDefined();
  });

  it("is not ended by a probe, which reads one surface only", () => {
    const seen = world();
    seen.polls("liquidations", { o1: [order("o1", "STUCK")], o2: [order("o2", "STUCK")] });
    seen.reads("liquidations", [order("o2", "STUCK")], { surface: "o2", origin: "probe" });
    expect(seen.entity("liquidation", "o1")).toBeDefined();
  });

  it("never takes the poller's own entity with it", () => {
    const seen = world().sees("exchanges", []);
    expect(seen.entity("poller", "exchanges")?.facts).toMatchObject({ up: true, stale: false });
  });
});

describe("an entity that moves from one surface to another", () => {
  it("is still there, and so is its alert, whichever surface is read first", () => {
    const stuck = rule({ alert: "Stuck", kind: "liquidation", when: factIs("final", false) });
    for (const [from, to] of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      const seen = scriptedWorld({ rules: [stuck] });
      const order1 = order("o1", "STUCK");
      seen.polls("liquidations", { a: [], b: [], [from]: [order1] });
      seen.at("10s").polls("liquidations", { a: [], b: [], [to]: [order1] });
      expect(seen.alerts()).toStrictEqual(["Stuck o1 firing"]);
      seen.restarts();
      expect(seen.entity("liquidation", "o1")?.surface).toBe(`${AGGREGATOR}/liquidations/${to}`);
    }
  });
});

it("refuses an entity of a kind that is not declared, as that is a bug of a poller", () => {
  const unheard = { kind: "unheard_of", id: "x", facts: {} };
  expect(() => world().sees("exchanges", [unheard])).toThrow(/undeclared kind "unheard_of"/);
});
