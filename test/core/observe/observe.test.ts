import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newDraft } from "../../../src/core/draft.ts";
import { observe } from "../../../src/core/observe/observe.ts";
import { emptyState } from "../../../src/core/state.ts";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import type { WindowSpec } from "../../../src/domain/rule.ts";
import { toEnd, type Slices } from "../../../src/domain/slices.ts";
import { createSourceWriter } from "../../../src/record/source-writer.ts";
import {
  AGGREGATOR,
  condition,
  exchange,
  factIs,
  order,
  pair,
  policyOf,
  repair,
  rule,
} from "../fixtures.ts";
import { observed, partOf } from "../readings.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const disabledPair = rule({
  alert: "PairDisabled",
  kind: "pair",
  when: factIs("status", "disabled"),
});

/** A rule on a fact's fall by half within ten minutes. */
function windowed(spec: Pick<WindowSpec, "name" | "fact" | "function">) {
  const when = condition(`${spec.name} < -0.5`, (facts) => {
    const value = facts[spec.name];
    return typeof value === "number" ? value < -0.5 : undefined;
  });
  return { when, windows: [{ ...spec, lengthMs: 600_000 }] };
}

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

  it("ends what is absent, if absence means gone", () => {
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

  it("knows nothing more of what the entry of an absent one said, so no alert on that resolves", () => {
    const when = windowed({ name: "change", fact: "price", function: "change_ratio" });
    const seen = scriptedWorld({ rules: [rule({ alert: "PriceFell", kind: "market", ...when })] });
    const market = (price: number): SeenEntity => {
      return { kind: "market", id: "A-B", facts: { pair: "A-B", status: "listed", price } };
    };
    seen
      .sees("exchanges", [market(10)])
      .at("10m")
      .sees("exchanges", [market(1)]);
    expect(seen.alerts()).toStrictEqual(["PriceFell A-B firing"]);
    for (let minute = 11; minute < 30; minute += 1) seen.at(`${minute}m`).sees("exchanges", []);
    expect(seen.alerts()).toStrictEqual(["PriceFell A-B firing (unknown)"]);
    expect(seen.entity("market", "A-B")?.facts).toStrictEqual({
      pair: "A-B",
      status: "missing",
      listed: false,
    });
  });

  it("changes no entity row if nothing has changed", () => {
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
  it("says nothing if a newer one is known already", () => {
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

describe("a listing that suddenly lacks most of what it had", () => {
  const many = ["A", "B", "C", "D", "E"].map((name) => exchange(name, "enabled"));
  const missing = (seen: World): string[] =>
    [...seen.state.tables.entity.values()]
      .filter(({ kind, facts }) => kind === "exchange" && facts["status"] === "missing")
      .map(({ id }) => id);

  it("is not believed at once: what it lacks is unknown, and nothing acts", () => {
    const seen = world().sees("exchanges", many);
    seen.at("10s").sees("exchanges", many.slice(0, 2));
    expect(missing(seen)).toStrictEqual([]);
    expect(seen.entity("exchange", "E")?.unknownSince).toBeDefined();
    expect([...(seen.state.surfaces.get("bsc/exchanges/all")?.losses.keys() ?? [])]).toStrictEqual([
      "exchange",
    ]);
    expect(seen.entity("poller", "exchanges")?.facts).toMatchObject({
      truncated_surfaces: 1,
      error:
        "3 of 5 entities of the kind exchange are absent at once: the next poll is to confirm it",
    });
  });

  it("is believed the second time, and not if the next one is whole", () => {
    const seen = world().sees("exchanges", many);
    seen.at("10s").sees("exchanges", []).at("20s").sees("exchanges", []);
    expect(missing(seen)).toStrictEqual(["A", "B", "C", "D", "E"]);
    const well = world().sees("exchanges", many);
    well.at("10s").sees("exchanges", []).at("20s").sees("exchanges", many);
    well.at("30s").sees("exchanges", []);
    expect(missing(well)).toStrictEqual([]);
  });

  it("is confirmed by the poll that follows it, and not by a later one: a listing that was cut came between", () => {
    const seen = world().sees("exchanges", many);
    seen.at("10s").sees("exchanges", []);
    seen.at("20s").sees("exchanges", many, { complete: false });
    expect(missing(seen.at("30s").sees("exchanges", []))).toStrictEqual([]);
    expect(missing(seen.at("40s").sees("exchanges", []))).toStrictEqual(["A", "B", "C", "D", "E"]);
  });

  it("is believed at once if it lacks half or less, or the only one", () => {
    const seen = world().sees("exchanges", many.slice(0, 4));
    expect(missing(seen.at("10s").sees("exchanges", many.slice(0, 2)))).toStrictEqual(["C", "D"]);
    const one = world().sees("exchanges", many.slice(0, 1));
    expect(missing(one.at("10s").sees("exchanges", []))).toStrictEqual(["A"]);
  });

  it("does not count what was missing already", () => {
    const seen = world().sees("exchanges", many);
    for (const [at, left] of [4, 3, 2, 2].entries()) {
      seen.at(`${10 * (at + 1)}s`).sees("exchanges", many.slice(0, left));
    }
    expect(missing(seen)).toStrictEqual(["C", "D", "E"]);
    expect(seen.entity("poller", "exchanges")?.facts["error"]).toBe("");
  });

  it("is doubted of one kind alone: pairs that change at every reading keep no exchange disabled", () => {
    const seen = scriptedWorld({ rules: [rule({ act: repair() }), disabledPair] });
    const listed = (round: number) => [
      exchange("BINANCE", "disabled"),
      ...["X", "Y", "Z"].map((name) => pair("KRAKEN", `${name}-${round}`)),
    ];
    seen.becomes("exchanges", listed(0));
    for (const round of [1, 2, 3, 4]) {
      seen.at(`${round}s`).reads("exchanges", listed(2 * round));
      seen.reads("exchanges", listed(2 * round + 1), { origin: "probe" });
    }
    const doubted = seen.found("polled").filter(({ detail }) => detail.includes("kind pair"));
    expect(doubted.length).toBeGreaterThan(3);
    expect(seen.remediations()).toStrictEqual(["r1 requested"]);
  });

  it("is doubted of each kind at its own poll: a second kind that vanishes is doubted as the first was", () => {
    const pairs = ["X", "Y", "Z"].map((name) => pair("KRAKEN", name));
    const seen = world().sees("exchanges", [...many, ...pairs]);
    seen.at("10s").sees("exchanges", many);
    seen.at("20s").sees("exchanges", []);
    expect(seen.entity("pair", "KRAKEN/X")).toBeUndefined();
    expect(missing(seen)).toStrictEqual([]);
    expect(missing(seen.at("30s").sees("exchanges", []))).toHaveLength(5);
  });

  it("is doubted of every kind if all are gone at once, even of one with a single entity", () => {
    const seen = world().sees("exchanges", [...many.slice(0, 2), pair("KRAKEN", "X")]);
    seen.at("10s").sees("exchanges", []);
    expect(seen.entity("pair", "KRAKEN/X")?.unknownSince).toBeDefined();
    expect(seen.at("20s").sees("exchanges", []).entity("pair", "KRAKEN/X")).toBeUndefined();
    const other = world().sees("exchanges", [...many.slice(0, 2), pair("KRAKEN", "X")]);
    other.at("10s").sees("exchanges", many.slice(0, 2));
    expect(other.entity("pair", "KRAKEN/X")).toBeUndefined();
  });

  it("is doubted by a probe's reading too: no repair of pairs is verified by an empty list", () => {
    const pairs = [pair("A", "X-Y"), pair("B", "X-Y")];
    const act = repair({ action: "enable_pair", verifyWithinMs: 60_000 });
    const seen = scriptedWorld({
      rules: [rule({ kind: "pair", act })],
    });
    seen.sees("exchanges", pairs).passes("2s").becomes("exchanges", []);
    seen.replies("r1", "acknowledged").passes("8s");
    expect(seen.remediation("r1")?.state).toBe("acknowledged");
    seen.reads("exchanges", pairs);
    expect(seen.remediation("r1")?.state).toBe("acknowledged");
    seen.at("20s").sees("exchanges", []).at("30s").sees("exchanges", []);
    expect(seen.remediation("r1")?.state).toBe("verified");
  });

  it("never delays what is truly gone by more than one reading, whatever the listings were", () => {
    const listing = fc.subarray(many, { minLength: 0 });
    fc.assert(
      fc.property(fc.array(listing, { minLength: 2, maxLength: 20 }), (listings) => {
        const seen = world().sees("exchanges", many);
        for (const [at, listed] of listings.entries()) {
          seen.at(`${10 * (at + 1)}s`).sees("exchanges", listed);
          const last = listings[at - 1];
          if (last === undefined) continue;
          const absentTwice = many
            .map(({ id }) => id)
            .filter((id) => ![...listed, ...last].some((one) => one.id === id));
          expect(missing(seen)).toEqual(expect.arrayContaining(absentTwice));
          const listedNow = new Set(listed.map(({ id }) => id));
          expect(missing(seen).filter((id) => listedNow.has(id))).toEqual([]);
        }
      }),
      { numRuns: 200, seed: 42 },
    );
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

describe("many short listings at once", () => {
  const parts = Array.from({ length: 300 }, (_, index) =>
    partOf(`s${index}`, START, [exchange(`E${index}`, "enabled")]),
  );
  const event = observed("exchanges", parts);
  if (event.type !== "observed") throw new Error("it was made as one");
  const { observation } = event;
  const yields = (slices: Slices<unknown>): number => {
    let count = 0;
    while (slices.next().done !== true) count += 1;
    return count;
  };

  it("are decided in slices", () => {
    const draft = newDraft(policyOf([rule()]), emptyState(), START);
    expect(yields(observe(draft, observation))).toBeGreaterThan(8);
  });

  it("stay as they were, end and fail in slices", () => {
    const draft = newDraft(policyOf([rule()]), emptyState(), START);
    toEnd(observe(draft, observation));
    expect(yields(observe(draft, observation))).toBeGreaterThan(8);
    const gone = parts.map(({ surface }) => partOf(surface, START, []));
    // As many as to see them, to find them absent, and to remember that.
    expect(yields(observe(draft, { ...observation, parts: gone }))).toBeGreaterThan(24);
    const failed = parts.map(({ surface }) => partOf(surface, START, "failed"));
    expect(yields(observe(draft, { ...observation, parts: failed }))).toBeGreaterThan(8);
  });

  it("are recorded in slices", () => {
    const writer = createSourceWriter(1_000);
    expect(yields(writer.write(observation, START, undefined))).toBeGreaterThan(8);
  });
});
