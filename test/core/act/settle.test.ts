import { describe, expect, it } from "vitest";
import type { RuleAction } from "../../../src/domain/rule.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/domain/time.ts";
import { exchange, factIs, order, pair, repair, rule } from "../fixtures.ts";
import { scriptedWorld, START, type World, type WorldOptions } from "../world.ts";

const disabled = [exchange("BINANCE", "disabled")];
const enabled = [exchange("BINANCE", "enabled")];

/** A world in which `r1` was sent 100 ms ago. */
function acted(change: Partial<RuleAction> = {}, actions?: WorldOptions["actions"]): World {
  const world = scriptedWorld({
    rules: [rule({ act: repair(change) })],
    ...(actions && { actions }),
  });
  return world.sees("exchanges", disabled).passes("100ms");
}

/** Keeps polling what is so, as the schedule would. */
function polling(world: World, seconds: number): World {
  for (let passed = 0; passed < seconds; passed += 10) {
    const said = world.truth.get("bsc/exchanges/all") ?? [];
    world.passes("10s").sees("exchanges", said);
  }
  return world;
}

describe("a remediation", () => {
  it("is verified by a reading that was asked after the answer", () => {
    const world = acted().replies("r1", "acknowledged").becomes("exchanges", enabled);
    expect(world.remediations()).toStrictEqual(["r1 acknowledged"]);
    world.passes("1s");
    expect(world.remediations()).toStrictEqual(["r1 verified"]);
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE resolved"]);
  });

  it("is not verified by a reading that was asked before the answer", () => {
    const world = acted();
    world.probing = "silent";
    world
      .at("5s")
      .replies("r1", "acknowledged")
      .at("6s")
      .reads("exchanges", enabled, { origin: "probe", askedAgo: "1s" });
    expect(world.entity("exchange", "BINANCE")?.facts["status"]).toBe("enabled");
    expect(world.remediations()).toStrictEqual(["r1 acknowledged"]);
    world.reads("exchanges", enabled, { origin: "probe", askedAgo: "999ms" });
    expect(world.remediations()).toStrictEqual(["r1 verified"]);
  });

  it("is not verified by a poll, as it may have been answered with 304", () => {
    const world = acted().replies("r1", "acknowledged");
    world.probing = "silent";
    world.at("6s").reads("exchanges", enabled, { origin: "poll" });
    expect(world.remediations()).toStrictEqual(["r1 acknowledged"]);
    world.reads("exchanges", enabled, { origin: "probe" });
    expect(world.remediations()).toStrictEqual(["r1 verified"]);
  });

  it("is read again at once if a poll that was asked later came before the reading that would verify it", () => {
    const world = acted().replies("r1", "acknowledged");
    world.probing = "silent";
    world.at("7s").reads("exchanges", enabled, { askedAgo: "50ms" });
    const before = world.probes.length;
    world.reads("exchanges", enabled, { origin: "probe", askedAgo: "100ms" });
    expect(world.remediations()).toStrictEqual(["r1 acknowledged"]);
    expect(world.probes.slice(before)).toMatchObject([{ why: "verify" }]);
    world.passes("50ms").reads("exchanges", enabled, { origin: "probe" });
    expect(world.remediations()).toStrictEqual(["r1 verified"]);
  });

  it("ends unverified if a success has no effect", () => {
    const world = acted().replies("r1", "acknowledged");
    polling(world, 50);
    expect(world.remediations()).toStrictEqual(["r1 acknowledged"]);
    polling(world, 20);
    expect(world.remediations()).toStrictEqual(["r1 unverified"]);
    expect(world.remediation("r1")?.settledAt).toBe(START + 61_000);
  });

  it("is verified though the answer never came, when it is seen to be done", () => {
    const world = acted().at("5s").replies("r1", "in_doubt").becomes("exchanges", enabled);
    expect(world.remediations()).toStrictEqual(["r1 in_doubt"]);
    expect(world.passes("1s").remediations()).toStrictEqual(["r1 verified"]);
  });

  it("is verified also while its answer is still awaited, and the answer changes nothing then", () => {
    const world = acted().at("5s").sees("exchanges", enabled, { origin: "probe" });
    expect(world.remediations()).toStrictEqual(["r1 verified"]);
    expect(world.replies("r1", "rejected").remediations()).toStrictEqual(["r1 verified"]);
  });

  it("is rejected when the aggregator refuses, and not looked at any more", () => {
    const world = acted().replies("r1", "rejected");
    expect(world.remediations()).toStrictEqual(["r1 rejected"]);
    const probes = world.probes.length;
    expect(polling(world, 60).probes).toHaveLength(probes);
  });

  it("is not settled by a listing that failed or was cut", () => {
    const pairs = rule({
      alert: "PairDisabled",
      kind: "pair",
      when: factIs("status", "disabled"),
      act: repair({ action: "enable_pair" }),
    });
    const world = scriptedWorld({ rules: [pairs] });
    world.sees("exchanges", [pair("BINANCE", "ORN-USDT")]).passes("100ms");
    world.probing = "silent";
    world.replies("r1", "acknowledged").at("5s").fails("exchanges", { origin: "probe" });
    world.sees("exchanges", [], { origin: "probe", complete: false });
    expect(world.remediations()).toStrictEqual(["r1 acknowledged"]);
    world.sees("exchanges", [], { origin: "probe" });
    expect(world.remediations()).toStrictEqual(["r1 verified"]);
  });

  it("is not verified by what was known of its entity before a listing that lacks it", () => {
    const world = acted();
    world.probing = "silent";
    world.at("5s").replies("r1", "acknowledged");
    world.at("6s").reads("exchanges", enabled, { askedAgo: "2s" });
    world.reads("exchanges", [], { origin: "probe", complete: false });
    expect(world.remediations()).toStrictEqual(["r1 acknowledged"]);
  });

  it("of an order is verified by its final status, not by its absence", () => {
    const stuck = rule({
      alert: "Stuck",
      kind: "liquidation",
      when: factIs("final", false),
      act: repair({ action: "force_cancel_order", attempts: 1 }),
    });
    const cancels = (): World => {
      const world = scriptedWorld({ rules: [stuck] });
      world.sees("liquidations", [order("o1", "STUCK")], { surface: "o1" }).passes("100ms");
      return world.replies("r1", "acknowledged").passes("1s");
    };
    const gone = cancels().sees("liquidations", [], { surface: "o1", origin: "probe" });
    expect(gone.remediations()).toStrictEqual(["r1 acknowledged"]);
    expect(gone.passes("1m").remediations()).toStrictEqual(["r1 unverified"]);
    const canceled = [order("o1", "CANCELED")];
    const final = cancels().sees("liquidations", canceled, { surface: "o1", origin: "probe" });
    expect(final.remediations()).toStrictEqual(["r1 verified"]);
  });
});

describe("the deadline of a remediation", () => {
  it("runs from the request, and from the answer when that comes", () => {
    expect(acted().remediation("r1")?.settleBy).toBe(START + 100 + MINUTE);
    const world = acted().at("40s").replies("r1", "acknowledged");
    expect(world.remediation("r1")?.settleBy).toBe(START + 40 * SECOND + MINUTE);
  });

  it("settles also if no answer and no reading ever came", () => {
    const world = acted();
    world.probing = "silent";
    expect(world.at("1m").remediations()).toStrictEqual(["r1 requested"]);
    expect(world.at("61s").remediations()).toStrictEqual(["r1 unverified"]);
  });

  it("keeps what the aggregator answered, if that left it in doubt", () => {
    const detailAfter = (outcome: "acknowledged" | "in_doubt", detail: string): string => {
      const world = acted();
      world.tell({ type: "acted", remediation: "r1", reply: { outcome, detail } }).at("2m");
      expect(world.remediations()[0]).toBe("r1 unverified");
      const last = world.found("remediation").find(({ remediation: one }) => one.settledAt);
      expect(last?.detail).toBe(world.remediation("r1")?.detail);
      return last?.detail ?? "";
    };
    const unseen = "not seen to be done within 1m";
    expect(detailAfter("acknowledged", "status 200")).toBe(unseen);
    for (const answer of ["status 302 points elsewhere (/login)", "timeout: no answer"])
      expect(detailAfter("in_doubt", answer)).toBe(`${unseen}; it was in doubt: ${answer}`);
    const long = `status 503: ${"x".repeat(400)}`;
    expect(detailAfter("in_doubt", long)).toBe(
      `${unseen}; it was in doubt: ${long.slice(0, 200)}…`,
    );
  });

  it("settles also if the aggregator has left the config, and leaves no repair of it behind", () => {
    const world = acted();
    world.policy = { ...world.policy, aggregators: [] };
    world.tell({ type: "policy_changed", rulesBefore: new Map(), moved: [] });
    expect(world.at("61s").remediations()).toStrictEqual(["r1 unverified"]);
    expect(world.entity("repair", "exchange/BINANCE")).toBeUndefined();
  });

  it("is not waited for after a restart with another base_url, where nothing of it can be seen", () => {
    const world = acted().restartsAt(1);
    expect(world.remediations()).toStrictEqual(["r1 in_doubt"]);
    expect(world.restartsAt(2).remediation("r1")).toMatchObject({
      state: "unverified",
      detail:
        "base_url was changed before it was seen to be done: see at the old address; " +
        "it was in doubt: the process ended before the answer was recorded",
    });
  });

  it("is not put off by a second answer", () => {
    const world = acted().at("10s").replies("r1", "acknowledged");
    world.at("50s").replies("r1", "in_doubt");
    expect(world.remediation("r1")).toMatchObject({
      state: "acknowledged",
      settleBy: START + 70_000,
    });
  });

  it("is filled with about ten looks, none closer than a second", () => {
    const world = acted({ verifyWithinMs: 10 * MINUTE, attempts: 1 }).replies("r1", "acknowledged");
    const before = world.probes.length;
    polling(world, 60);
    expect(world.probes.length - before).toBe(5);
    const quick = acted({ verifyWithinMs: 5 * SECOND, attempts: 1 }).replies("r1", "acknowledged");
    quick.passes("10s");
    expect(quick.probes.filter(({ why }) => why === "verify")).toHaveLength(5);
  });
});

describe("a request that is still under way", () => {
  /** Tries again as soon as it may. */
  const eager = { cooldownMs: SECOND, verifyWithinMs: 2 * SECOND, attempts: 9 };

  it("keeps another one back, though its remediation was given up before its answer came", () => {
    const world = polling(acted(eager), 20);
    expect(world.remediations()).toStrictEqual(["r1 unverified"]);
    expect(world.sent).toHaveLength(1);
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed).toMatchObject({
      reason: "in_flight",
      detail: "the request of r1 is not answered",
    });
    polling(world.replies("r1", "in_doubt"), 10);
    expect(world.sent.map(({ remediation }) => remediation)).toStrictEqual(["r1", "r2"]);
  });

  it("keeps another one back, though it was seen to be done and undone before its answer came", () => {
    const world = acted(eager).at("1s").sees("exchanges", enabled, { origin: "probe" });
    expect(world.remediations()).toStrictEqual(["r1 verified"]);
    polling(world.becomes("exchanges", disabled), 20);
    expect(world.sent).toHaveLength(1);
    polling(world.replies("r1", "acknowledged"), 10);
    expect(world.sent).toHaveLength(2);
  });

  it("keeps nothing back once it is known not to have left", () => {
    const journal = { type: "journal", writable: true, detail: "late", unsent: ["r1"] } as const;
    const givenUp = (): World => polling(acted(eager), 10);
    expect(polling(givenUp().replies("r1", "unsent"), 10).sent).toHaveLength(2);
    expect(polling(givenUp().tell(journal), 10).sent).toHaveLength(2);
  });

  it("of a process that is no more keeps nothing back: its answer never comes", () => {
    const world = polling(acted(eager).restarts(), 20);
    expect(world.remediation("r1")).toMatchObject({ state: "unverified" });
    expect(world.sent).toHaveLength(2);
  });
});

describe("after a remediation", () => {
  it("another waits for the cooldown, which doubles with every failure in a row", () => {
    const act = { cooldownMs: MINUTE, verifyWithinMs: 5 * SECOND, attempts: 9 };
    const world = acted(act, "time_out");
    polling(world, 15 * 60);
    const minutes = world.sent.map(({ at }) => Math.round((at - START) / MINUTE));
    expect(minutes).toStrictEqual([0, 2, 6, 14]);
  });

  it("a success takes the cooldown back to its length", () => {
    const world = acted({ cooldownMs: MINUTE, attempts: 9 }).replies("r1", "rejected");
    polling(world, 130);
    expect(world.sent).toHaveLength(2);
    world.replies("r2", "acknowledged").becomes("exchanges", enabled);
    polling(world, 10);
    expect(world.remediations()).toStrictEqual(["r1 rejected", "r2 verified"]);
    expect(world.state.tables.attempt.get("bsc/exchange/BINANCE")?.failures).toBe(0);
    const at = world.sent[1]?.at ?? 0;
    world.becomes("exchanges", disabled);
    polling(world, 120);
    expect(world.sent[2]?.at).toBeLessThan(at + MINUTE + 11 * SECOND);
  });

  it("no more are sent than the rule's attempts for this alert", () => {
    const act = { cooldownMs: SECOND, verifyWithinMs: 2 * SECOND, attempts: 2 };
    const world = acted(act, "time_out");
    polling(world, 120);
    expect(world.sent).toHaveLength(2);
    expect(world.suppressions().at(-1)).toBe("attempts");
  });

  it("once they are used up, that is the reason, though the cooldown has not passed either", () => {
    const world = acted({ cooldownMs: HOUR, verifyWithinMs: 2 * SECOND, attempts: 1 }, "time_out");
    polling(world, 6);
    expect(world.sent).toHaveLength(1);
    expect(world.suppressions()).not.toContain("cooldown");
    expect(world.suppressions().at(-1)).toBe("attempts");
  });

  it("what is settled is forgotten after its retention, but not while a budget counts it", () => {
    const world = acted({ attempts: 2, cooldownMs: 0, budget: { max: 1, perMs: 3 * HOUR } });
    world.replies("r1", "rejected").leaps("3h");
    expect(world.state.ledger).toHaveLength(1);
    expect(world.remediations()).toHaveLength(1);
    world.leaps("2m");
    expect(world.state.ledger).toHaveLength(0);
    expect(world.remediations()).toHaveLength(0);
    expect(world.state.tables.attempt.size).toBe(0);
  });
});
