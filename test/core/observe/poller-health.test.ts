import { describe, expect, it } from "vitest";
import type { Condition } from "../../../src/domain/rule.ts";
import { condition, exchange, factIs, order, planning, rule } from "../fixtures.ts";
import { observed, observedInPieces, partOf } from "../readings.ts";
import { scriptedWorld, START } from "../world.ts";

const down = rule({ alert: "PollDown", kind: "poller", when: factIs("up", false) });
const stale = rule({ alert: "PollStale", kind: "poller", when: factIs("stale", true) });

function world() {
  return scriptedWorld({ rules: [rule(), down, stale] });
}

describe("the entity of a poller", () => {
  it("is there before its first poll, and claims nothing", () => {
    expect(world().entity("poller", "exchanges")?.facts).toStrictEqual({ name: "exchanges" });
  });

  it("says what its polls came to", () => {
    const watched = world().at("10s");
    watched.polls("liquidations", { o1: [order("o1", "STUCK")], o2: "failed" });
    expect(watched.entity("poller", "liquidations")?.facts).toStrictEqual({
      name: "liquidations",
      up: true,
      stale: false,
      surfaces: 2,
      failing_surfaces: 1,
      truncated_surfaces: 0,
      left_out: 0,
      missing_surfaces: 0,
      all_missing: false,
      consecutive_failures: 0,
      last_success: START + 10_000,
      reason: "timeout",
      error: "no answer within 5s",
      undecided: "",
      undecided_ratio: 0,
    });
    watched.at("20s").polls("liquidations", { o1: "failed", o2: "failed" });
    watched.at("30s").polls("liquidations", { o1: "failed", o2: "failed" });
    expect(watched.entity("poller", "liquidations")?.facts).toMatchObject({
      up: false,
      stale: false,
      failing_surfaces: 2,
      consecutive_failures: 2,
      last_success: START + 10_000,
    });
  });

  it("says which of its endpoints failed", () => {
    const failure = { reason: "status", endpoint: "disabled", message: "status 404" } as const;
    const part = { surface: "all", reading: { ok: false, failure } } as const;
    const watched = world();
    watched.tell(observed("exchanges", [{ ...part, askedAt: watched.now }]));
    const { reason, error } = watched.entity("poller", "exchanges")?.facts ?? {};
    expect({ reason, error }).toEqual({ reason: "status", error: "disabled: status 404" });
    expect(watched.found("polled").at(-1)?.detail).toBe("status: disabled: status 404");
  });

  it("is not judged again by a poll that only succeeded once more, unless a rule decides by that", () => {
    let judged = 0;
    const counted = (reads: readonly string[], holds: boolean): Condition => ({
      ...condition("counted", () => holds),
      reads,
      judge: () => {
        judged += 1;
        return { truth: holds ? "bad" : "ok" };
      },
    });
    const judgedAgain = (when: Condition): number => {
      const watched = scriptedWorld({ rules: [rule({ alert: "Own", kind: "poller", when })] });
      watched.sees("exchanges", []).at("10s").sees("exchanges", []);
      judged = 0;
      watched.at("20s").sees("exchanges", []);
      expect(watched.entity("poller", "exchanges")?.facts["last_success"]).toBe(START + 20_000);
      return judged;
    };
    expect(judgedAgain(counted(["up"], false))).toBe(0);
    expect(judgedAgain(counted(["last_success"], false))).toBeGreaterThan(0);
    expect(judgedAgain({ ...counted([], false), readsTime: true })).toBeGreaterThan(0);
    // What an alert shows of it is brought up to date.
    expect(judgedAgain(counted(["up"], true))).toBeGreaterThan(0);
  });

  it("counts listings that were cut", () => {
    const watched = world().sees("exchanges", [], { complete: false });
    expect(watched.entity("poller", "exchanges")?.facts["truncated_surfaces"]).toBe(1);
  });

  const doubt = { reason: "partial_content", detail: "status 206" } as const;
  const contradictions = [{ kind: "liquidation", id: "o1", detail: "open and final" }];
  it.each([
    { evidence: { doubt }, reason: "partial_content", error: "status 206" },
    { evidence: { contradictions }, reason: "contradiction", error: "o1 is open and final" },
    { evidence: {}, reason: "sudden_loss", error: /^2 of 2 entities of the kind liquidation/ },
  ])("says what was doubtful in an earlier piece of a long poll: $reason", (one) => {
    const known = [order("o1", "STUCK"), order("o2", "STUCK")];
    const watched = world();
    watched.policy = planning(watched.policy, ["a", "b"]);
    watched.polls("liquidations", { a: known, b: [] });
    const listed = one.reason === "sudden_loss" ? [] : known;
    const pieces = [
      [partOf("a", watched.now, listed, one.reason !== "partial_content", one.evidence)],
      [partOf("b", watched.now, [])],
    ];
    for (const event of observedInPieces("liquidations", pieces)) watched.tell(event);
    const { reason, error } = watched.entity("poller", "liquidations")?.facts ?? {};
    expect(reason).toBe(one.reason);
    expect(error).toMatch(one.error);
    expect(watched.found("polled").at(-1)).toMatchObject({
      doubt: one.reason,
      detail: `${one.reason}: ${error}`,
    });
  });

  it("counts no surface that has left the plan", () => {
    const watched = world().polls("liquidations", { o1: "failed", o2: [] });
    watched.polls("liquidations", { o2: [] });
    expect(watched.entity("poller", "liquidations")?.facts).toMatchObject({
      surfaces: 1,
      failing_surfaces: 0,
    });
  });

  it("learns nothing from a probe", () => {
    const watched = world().reads("exchanges", "failed", { origin: "probe" });
    expect(watched.entity("poller", "exchanges")?.facts).toStrictEqual({ name: "exchanges" });
    expect(watched.found("polled")).toMatchObject([{ origin: "probe", outcome: "failed" }]);
  });

  it("raises and ends the alert of a poller that is down", () => {
    const watched = world().fails("exchanges");
    expect(watched.alerts()).toStrictEqual(["PollDown exchanges firing"]);
    watched.sees("exchanges", []);
    expect(watched.alerts()).toStrictEqual(["PollDown exchanges resolved"]);
  });

  it("goes with its poller when that is not configured any more", () => {
    const watched = world().sees("exchanges", [exchange("BINANCE", "disabled")]);
    const [aggregator] = watched.policy.aggregators;
    const pollers = (aggregator?.pollers ?? []).filter(({ name }) => name !== "exchanges");
    watched.policy = { ...watched.policy, aggregators: [{ name: "bsc", pollers }] };
    watched.restarts();
    expect(watched.entity("poller", "exchanges")).toBeUndefined();
    expect(watched.entity("exchange", "BINANCE")).toBeUndefined();
    expect(watched.entity("poller", "pools")).toBeDefined();
    expect(watched.alert("ExchangeDisabled", "exchange", "BINANCE")?.resolvedBecause).toBe(
      "unwatched",
    );
  });
});

describe("a poller that says nothing for too long", () => {
  it("is stale, and its entities are unknown", () => {
    const watched = world().sees("exchanges", [exchange("BINANCE", "disabled")]);
    watched.at("30s");
    expect(watched.entity("exchange", "BINANCE")?.unknownSince).toBeUndefined();
    watched.at("31s");
    expect(watched.entity("exchange", "BINANCE")?.unknownSince).toBe(START + 31_000);
    expect(watched.alerts()).toContain("PollStale exchanges firing");
    expect(watched.alerts()).toContain("ExchangeDisabled BINANCE firing (unknown)");
  });

  it("is stale also when it never polled since the start", () => {
    expect(world().at("31s").alerts()).toContain("PollStale exchanges firing");
  });

  it("keeps its alert through a restart, until it has really polled", () => {
    const watched = world().at("31s").restarts("5s").passes("5s");
    expect(watched.alerts()).toContain("PollStale exchanges firing (unknown)");
    watched.fails("exchanges");
    expect(watched.alerts()).toContain("PollStale exchanges firing (unknown)");
    watched.sees("exchanges", []);
    expect(watched.alerts()).toContain("PollStale exchanges resolved");
  });

  it("is not stale right after a restart, however long nobody watched", () => {
    const watched = world().sees("exchanges", []).restarts("2h").passes("20s");
    expect(watched.alerts()).toStrictEqual([]);
  });

  it("makes unknown again what only a probe has read meanwhile", () => {
    const watched = world().at("31s");
    watched.reads("exchanges", [exchange("BINANCE", "disabled")], { origin: "probe" });
    watched.passes("30s");
    expect(watched.entity("exchange", "BINANCE")?.unknownSince).toBeUndefined();
    watched.passes("1s");
    expect(watched.entity("exchange", "BINANCE")?.unknownSince).toBe(START + 62_000);
  });
});
