import { describe, expect, it } from "vitest";
import { HOUR, SECOND } from "../../../src/domain/time.ts";
import { condition, exchange, factIs, pair, repair, rule } from "../fixtures.ts";
import type { GuardContext } from "../../../src/core/act/guards/guard.ts";
import { MOST_UNDER_WAY, underWay } from "../../../src/core/act/guards/under-way.ts";
import { lengthOf } from "../readings.ts";
import { scriptedWorld, START, type World, type WorldOptions } from "../world.ts";

const KEY = "ExchangeDisabled|bsc/exchange/BINANCE";
const acts = rule({ act: repair() });
const disabled = [exchange("BINANCE", "disabled")];
const enabled = [exchange("BINANCE", "enabled")];

function world(options: Partial<WorldOptions> = {}) {
  return scriptedWorld({ rules: [acts], ...options });
}

const late = { why: "late", detail: "no reading came within confirm_within" };

describe("what is said of an alert that is held back after the start", () => {
  it("is what it waits for now, and not a pause that is over", () => {
    const settling = { settleAfterStartMs: 30 * SECOND };
    const acting = world({ acting: settling, probes: "silent" });
    acting.at("10s").sees("exchanges", disabled, { complete: false });
    const shown = () => acting.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed;
    expect(shown()).toMatchObject({ reason: "starting", detail: expect.stringContaining("30s") });
    const since = shown()?.since;
    acting.at("40s").sees("exchanges", disabled, { complete: false });
    expect(shown()).toStrictEqual({
      reason: "starting",
      detail: "no complete reading of its surface since the start: its listing is doubted (cut)",
      since,
    });
    expect(acting.suppressions()).toStrictEqual(["starting"]);
  });
});

it("says of a cooldown what was true since it began, also after a poll that failed", () => {
  const acting = world({ rules: [rule({ act: repair({ cooldownMs: HOUR }) })] });
  const attempt = { lastAt: START, failures: 0, undone: 0 };
  acting.state.tables.attempt.set("bsc/exchange/BINANCE", attempt);
  acting.at("3m").sees("exchanges", disabled);
  const shown = () => acting.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed;
  const first = shown();
  expect(first?.reason).toBe("cooldown");
  acting.fails("exchanges").passes("2m");
  expect(shown()?.reason).toBe("stale");
  acting.sees("exchanges", disabled);
  expect(shown()).toStrictEqual(first);
});

describe("what is said of an alert that is held back by one after another under the same reason", () => {
  const shown = (acting: World) =>
    acting.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed;

  it("is the hold that stands, and not one that is over", () => {
    const acting = world();
    for (const [owner, until] of [
      ["alice", "1m"],
      ["bob", "1h"],
    ] as const) {
      const command = { name: "hold", scope: {}, until: START + lengthOf(until) } as const;
      acting.tell({ type: "command", by: owner, reason: "theirs", command });
    }
    acting.sees("exchanges", disabled);
    const first = shown(acting);
    expect(first?.detail).toContain("alice holds everything (h1)");
    acting.passes("2m");
    expect(shown(acting)).toStrictEqual({ ...first, detail: expect.stringContaining("(h2)") });
    expect(acting.suppressions()).toStrictEqual(["held"]);
    expect(acting.journal.rows.get(`alert ${KEY}`)?.value).toMatchObject({
      suppressed: { detail: expect.stringContaining("bob holds everything (h2)") },
    });
  });

  it("is the source of the kill switch that is on, and not one that was released", () => {
    const acting = world().commands({ name: "kill", source: "operator" });
    acting.commands({ name: "kill", source: "file" }).sees("exchanges", disabled);
    expect(shown(acting)?.detail).toContain("operator");
    acting.commands({ name: "unkill", source: "operator" });
    expect(shown(acting)?.detail).toContain("file");
    expect(acting.suppressions()).toStrictEqual(["killed"]);
  });
});

describe("before an action", () => {
  it("the surface is read again, and only that reading lets it go out", () => {
    const acting = world().at("10s").sees("exchanges", disabled);
    expect(acting.probes).toMatchObject([{ poller: "exchanges", surface: "all", why: "confirm" }]);
    expect(acting.sent).toStrictEqual([]);
    acting.passes("1s");
    expect(acting.sent).toMatchObject([
      {
        remediation: "r1",
        action: "enable_exchange",
        aggregator: "bsc",
        call: { endpoint: "enableExchange", args: { exchange: "BINANCE" } },
        at: START + 10_100,
      },
    ]);
    expect(acting.remediation("r1")).toMatchObject({
      state: "requested",
      alert: "ExchangeDisabled|bsc/exchange/BINANCE",
      justifiedBy: { askedAt: START + 10_001, facts: { status: "disabled" } },
      settleBy: START + 70_100,
    });
  });

  it("a reading that does not confirm it keeps it from going out", () => {
    const acting = world().sees("exchanges", disabled).becomes("exchanges", enabled).passes("1s");
    expect(acting.sent).toStrictEqual([]);
    expect(acting.found("unconfirmed")).toMatchObject([{ action: "enable_exchange", why: "well" }]);
  });

  it("a reading that fails keeps it from going out", () => {
    const acting = world({ probes: "silent" }).sees("exchanges", disabled);
    acting.reads("exchanges", "failed", { origin: "probe" });
    expect(acting.sent).toStrictEqual([]);
    const [finding] = acting.found("unconfirmed");
    expect([finding?.why, finding?.detail]).toStrictEqual([
      "failed",
      "the reading before the action did not confirm it: no answer within 5s",
    ]);
    expect(acting.suppressions()).toStrictEqual(["stale"]);
  });

  it("a listing that is cut keeps it from going out", () => {
    const acting = world({ probes: "silent" }).sees("exchanges", disabled);
    acting.reads("exchanges", disabled, { origin: "probe", complete: false });
    expect(acting.sent).toStrictEqual([]);
    expect(acting.suppressions()).toStrictEqual(["stale"]);
  });

  it("a reading that was asked before it was wanted does not confirm it", () => {
    const acting = world({ probes: "silent" }).at("10s").sees("exchanges", disabled);
    acting.at("11s").reads("exchanges", disabled, { origin: "probe", askedAgo: "1001ms" });
    expect(acting.sent).toStrictEqual([]);
    acting.reads("exchanges", disabled, { origin: "probe", askedAgo: "1s" });
    expect(acting.sent).toHaveLength(1);
  });

  it("a poll does not confirm it, as it may have been answered with 304", () => {
    const acting = world({ probes: "silent" }).sees("exchanges", disabled).passes("1s");
    acting.reads("exchanges", disabled, { origin: "poll" });
    expect(acting.sent).toStrictEqual([]);
    acting.reads("exchanges", disabled, { origin: "probe" });
    expect(acting.sent).toHaveLength(1);
  });

  it("a probe that comes after a poll that was asked later is asked again", () => {
    const acting = world({ probes: "silent" }).sees("exchanges", disabled).passes("2s");
    acting.reads("exchanges", disabled, { origin: "poll" });
    expect(acting.probes).toHaveLength(1);
    acting.reads("exchanges", disabled, { origin: "probe", askedAgo: "1s" });
    expect(acting.sent).toStrictEqual([]);
    expect(acting.probes).toHaveLength(2);
    acting.reads("exchanges", disabled, { origin: "probe" });
    expect(acting.sent).toHaveLength(1);
  });

  it("a reading that never comes is asked for again after confirm_within", () => {
    const acting = world({ probes: "silent" }).sees("exchanges", disabled).passes("9s");
    expect(acting.probes).toHaveLength(1);
    acting.passes("1s");
    expect(acting.found("unconfirmed")).toMatchObject([late]);
    expect(acting.probes).toHaveLength(2);
    acting.reads("exchanges", disabled, { origin: "probe", askedAgo: "5s" });
    expect(acting.sent).toStrictEqual([]);
  });

  it("a reading that comes after confirm_within confirms nothing, though no tick came in between", () => {
    const acting = world({ probes: "silent" }).sees("exchanges", disabled);
    acting.now += 10 * SECOND;
    acting.reads("exchanges", disabled, { origin: "probe", askedAgo: "10s" });
    expect(acting.sent).toStrictEqual([]);
    expect(acting.found("unconfirmed")).toMatchObject([late]);
  });

  it("the guards are asked again when the reading has come", () => {
    const acting = world().sees("exchanges", disabled);
    acting.commands({ name: "kill", source: "operator" }).passes("1s");
    expect(acting.sent).toStrictEqual([]);
    expect(acting.suppressions()).toStrictEqual(["killed"]);
  });

  it("a reading that took longer than max_age does not justify it", () => {
    const acting = world({ probes: "silent", acting: { maxAgeMs: 2 * SECOND } });
    acting.sees("exchanges", disabled).at("3s");
    acting.reads("exchanges", disabled, { origin: "probe", askedAgo: "3s" });
    expect(acting.sent).toStrictEqual([]);
    expect(acting.suppressions()).toStrictEqual(["stale"]);
  });
});

describe("wanting an action", () => {
  it("takes a firing alert: a pending one waits", () => {
    const acting = world({ rules: [rule({ forMs: 10 * SECOND, act: repair() })] });
    acting.sees("exchanges", disabled).passes("9s");
    expect(acting.probes).toStrictEqual([]);
    acting.passes("1s");
    expect(acting.probes).toHaveLength(1);
  });

  it("takes a condition that is bad now: an alert that only keeps firing wants nothing", () => {
    const acting = world({
      rules: [rule({ keepFiringForMs: HOUR, act: repair() })],
      acting: { settleAfterStartMs: 20 * SECOND },
    });
    acting.sees("exchanges", disabled).at("10s").sees("exchanges", enabled).at("30s");
    expect(acting.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing"]);
    expect(acting.probes).toStrictEqual([]);
  });

  it("says why it is not done once, not at every step", () => {
    const acting = world({ acting: { mode: "shadow" } }).sees("exchanges", disabled);
    acting.passes("5s").sees("exchanges", disabled).passes("5s");
    expect(acting.suppressions()).toStrictEqual(["shadow"]);
    expect(acting.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed).toMatchObject({
      reason: "shadow",
      since: START,
    });
    expect(acting.probes).toStrictEqual([]);
  });

  it("does not ask over and over for an action whose call lacks a fact", () => {
    const wrong = rule({ act: repair({ action: "enable_pair" }) });
    const acting = world({ rules: [wrong] })
      .sees("exchanges", disabled)
      .passes("10s");
    expect(acting.probes).toStrictEqual([]);
    expect(acting.suppressions()).toStrictEqual(["stale"]);
  });

  it("waits for act.if", () => {
    const sparing = repair({
      condition: condition("name != KRAKEN", (f) => f["name"] !== "KRAKEN"),
    });
    const acting = world({ rules: [rule({ act: sparing })] });
    acting.sees("exchanges", [exchange("KRAKEN", "disabled"), ...disabled]).passes("1s");
    expect(acting.sent.map(({ call }) => call.args)).toStrictEqual([{ exchange: "BINANCE" }]);
    expect(acting.suppressions()).toStrictEqual(["condition"]);
  });
});

describe("many at once", () => {
  const names = Array.from({ length: 20 }, (_, index) => `X${index}`);
  const many = names.map((name) => exchange(name, "disabled"));

  it("never pass the budget, though each alone would have", () => {
    const limited = rule({ act: repair({ budget: { max: 3, perMs: HOUR } }) });
    const acting = world({ rules: [limited] })
      .sees("exchanges", many)
      .passes("1s");
    expect(acting.sent).toHaveLength(3);
    expect(acting.suppressions()).toStrictEqual(Array.from({ length: 17 }, () => "budget"));
  });

  it("ask for one reading of the surface that they share", () => {
    const acting = world().sees("exchanges", many);
    expect(acting.probes).toHaveLength(1);
    expect(acting.passes("1s").sent).toHaveLength(5);
  });

  it("go out oldest alert first", () => {
    const acting = world({ acting: { settleAfterStartMs: 20 * SECOND } });
    acting.at("5s").sees("exchanges", many.slice(10)).at("6s").sees("exchanges", many);
    acting.at("21s");
    expect(acting.sent.map(({ call }) => call.args["exchange"])).toStrictEqual(names.slice(10, 15));
  });
});

describe("two rules on one entity", () => {
  it("never have two remediations of it in flight", () => {
    const other = rule({ alert: "NotListed", when: factIs("listed", false), act: repair() });
    const acting = world({ rules: [acts, other] })
      .sees("exchanges", disabled)
      .passes("5s");
    expect(acting.sent).toHaveLength(1);
    expect(acting.alert("NotListed", "exchange", "BINANCE")?.suppressed?.reason).toBe("in_flight");
    acting.replies("r1", "rejected");
    expect(acting.alert("NotListed", "exchange", "BINANCE")?.suppressed?.reason).toBe("cooldown");
  });
});

it("repairs a pair that is disabled by the facts that its listing gives", () => {
  const pairs = rule({
    alert: "PairDisabled",
    kind: "pair",
    when: factIs("status", "disabled"),
    act: repair({ action: "enable_pair" }),
  });
  const acting = world({ rules: [pairs] });
  acting.sees("exchanges", [pair("BINANCE", "ORN-USDT")]).passes("1s");
  expect(acting.sent.map(({ call }) => call)).toStrictEqual([
    { endpoint: "enablePair", args: { exchange: "BINANCE", assetPair: "ORN-USDT" } },
  ]);
});

it("has at most a hundred actions under way, and says so once of each of the others", () => {
  const most = { max: 1_000, maxRatio: 1, withinMs: 0 };
  const budget = { max: 1_000, perMs: HOUR };
  const acting = world({
    rules: [rule({ act: repair({ storm: most, budget }) })],
    acting: { budget },
  });
  const many = Array.from({ length: 150 }, (_, index) => exchange(`E${index}`, "disabled"));
  acting.at("10s").sees("exchanges", many).passes("5s");
  expect(acting.sent).toHaveLength(MOST_UNDER_WAY);
  const held = [...acting.state.tables.alert.values()].filter(
    (one) => one.suppressed !== undefined,
  );
  expect(held).toHaveLength(50);
  expect(new Set(held.map((one) => one.suppressed?.reason))).toEqual(new Set(["under_way"]));
  for (const id of [1, 2, 3]) acting.replies(`r${id}`, "acknowledged");
  acting.passes("5s");
  expect(acting.sent).toHaveLength(MOST_UNDER_WAY + 3);
  expect(acting.found("suppressed")).toHaveLength(50);
});

it("counts those of another aggregator apart, and not the action itself", () => {
  const one = scriptedWorld({ rules: [acts] });
  const { confirming, unanswered } = one.state;
  const entity = one.sees("exchanges", disabled).entity("exchange", "BINANCE");
  const asks = (aggregator: string, key = ""): boolean =>
    underWay.ask({
      state: one.state,
      alert: { key },
      entity: { ...entity, aggregator },
    } as GuardContext).objects;
  for (let index = 0; index < MOST_UNDER_WAY; index += 1) {
    if (index % 2 === 0) unanswered.set(`other/exchange/E${index}`, `r${index}`);
    else confirming.set(`R|other/exchange/E${index}`, { requestedAt: START, surface: "" });
  }
  expect([asks("other"), asks("bsc")]).toEqual([true, false]);
  // Nor does the one that is asked about count.
  expect(asks("other", "R|other/exchange/E1")).toBe(false);
});

it("leaves a place among them to others if their readings do not come", () => {
  const most = { max: 1_000, maxRatio: 1, withinMs: 0 };
  const budget = { max: 1_000, perMs: HOUR };
  const act = repair({ storm: most, budget });
  const acting = world({
    rules: [rule({ act }), rule({ alert: "PairDisabled", kind: "pair", act })],
    acting: { budget },
    probes: "silent",
  });
  const many = Array.from({ length: 150 }, (_, index) => exchange(`E${index}`, "disabled"));
  const seesAll = (): void => {
    acting.sees("exchanges", many).sees("pools", [pair("E0", "ORN-USDT")]);
    acting.passes("5s");
  };
  acting.at("10s");
  for (let polls = 0; polls < 6; polls += 1) seesAll();
  const tried = new Set(acting.found("unconfirmed").map(({ alert }) => alert));
  expect(tried.size).toBe(151);
  // Each waits now for its reading and now for a place, and is held back all along.
  for (let polls = 0; polls < 6; polls += 1) seesAll();
  const since = [...acting.state.tables.alert.values()].map(({ suppressed }) => suppressed?.since);
  expect(since.filter((at) => at !== undefined && at <= START + 30 * SECOND)).toHaveLength(151);
});

it("asks at a reply only about what was repaired, and about all others at the next tick", () => {
  const asked: string[] = [];
  const counted = condition("counted", ({ name }) => {
    asked.push(String(name));
    return true;
  });
  const acting = world({
    rules: [rule({ when: counted, act: repair({ budget: { max: 1, perMs: HOUR } }) })],
    probes: "silent",
  });
  const three = ["A", "B", "C"].map((id) => exchange(id, "disabled"));
  acting
    .at("10s")
    .sees("exchanges", three)
    .passes("1s")
    .sees("exchanges", three, { origin: "probe" });
  expect(acting.sent).toHaveLength(1);
  asked.length = 0;
  acting.replies("r1", "rejected");
  expect([...new Set(asked)]).toEqual(["A"]);
  asked.length = 0;
  acting.passes("1s");
  expect([...new Set(asked)]).toEqual(["A", "B", "C"]);
});
