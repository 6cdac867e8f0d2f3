import { describe, expect, it } from "vitest";
import { restore } from "../../src/core/start.ts";
import type { OutboxRow } from "../../src/domain/notification.ts";
import type { Change } from "../../src/domain/step.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { exchange, factIs, pair, policyOf, repair, rule } from "./fixtures.ts";
import { channel } from "./tell/channels.ts";
import { scriptedWorld, START, type World } from "./world.ts";

const disabled = [exchange("BINANCE", "disabled")];
const enabled = [exchange("BINANCE", "enabled")];

function acting(): World {
  return scriptedWorld({ rules: [rule({ act: repair() })] });
}

/** Keeps polling what is so, as the schedule would. */
function polling(world: World, seconds: number): World {
  for (let passed = 0; passed < seconds; passed += 10) {
    const said = world.truth.get("bsc/exchanges/all") ?? [];
    world.passes("10s").sees("exchanges", said);
  }
  return world;
}

describe("a crash around an action", () => {
  it("before the commit leaves nothing behind, and it is decided again", () => {
    const world = acting().sees("exchanges", disabled);
    world.crashNext = "before_commit";
    world.passes("100ms");
    expect(world.crashed).toBe(true);
    polling(world.restarts(), 10).passes("1s");
    expect(world.sent.map(({ remediation }) => remediation)).toStrictEqual(["r1"]);
  });

  it("after the commit leaves it in doubt, and it is never sent again", () => {
    const world = acting().sees("exchanges", disabled);
    world.crashNext = "before_effects";
    world.passes("100ms").restarts("1s");
    expect(world.sent).toStrictEqual([]);
    expect(world.remediations()).toStrictEqual(["r1 in_doubt"]);
    polling(world, 5 * 60);
    expect(world.remediations()).toStrictEqual(["r1 unverified"]);
    expect(world.sent).toStrictEqual([]);
  });

  it("before the answer leaves it in doubt until it is seen to be done", () => {
    const world = acting().sees("exchanges", disabled).passes("100ms");
    expect(world.sent).toHaveLength(1);
    world.restarts("1s");
    expect(world.remediations()).toStrictEqual(["r1 in_doubt"]);
    world.passes("3s").sees("exchanges", enabled, { origin: "probe" });
    expect(world.remediations()).toStrictEqual(["r1 verified"]);
    expect(world.sent).toHaveLength(1);
  });

  it("after the answer leaves it acknowledged, with as long to be verified as ever", () => {
    const world = acting().sees("exchanges", disabled).passes("100ms");
    world.replies("r1", "acknowledged").restarts("1m");
    expect(world.remediations()).toStrictEqual(["r1 acknowledged"]);
    expect(polling(world, 50).remediations()).toStrictEqual(["r1 acknowledged"]);
    expect(world.passes("11s").remediations()).toStrictEqual(["r1 unverified"]);
  });

  it("keeps its entity in flight for every rule", () => {
    const other = rule({ alert: "NotListed", when: factIs("listed", false), act: repair() });
    const world = scriptedWorld({ rules: [rule({ act: repair() }), other] });
    world.sees("exchanges", disabled).passes("100ms").restarts("1s");
    polling(world, 10);
    expect(world.sent).toHaveLength(1);
    expect(world.alert("NotListed", "exchange", "BINANCE")?.suppressed?.reason).toBe("in_flight");
  });
});

describe("what survives a restart", () => {
  it("is when an entity was first seen, and since when it has its status", () => {
    const world = acting().at("10s").sees("exchanges", enabled);
    world.at("20s").sees("exchanges", disabled).restarts("1h").sees("exchanges", disabled);
    expect(world.entity("exchange", "BINANCE")).toMatchObject({
      firstSeen: START + 10 * SECOND,
      since: START + 20 * SECOND,
    });
  });

  it("is every alert, which stands still until its entity is read again", () => {
    const world = acting().sees("exchanges", disabled).restarts("1m");
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing (unknown)"]);
    world.passes("20s");
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing (unknown)"]);
    world.sees("exchanges", disabled);
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing"]);
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")?.startedAt).toBe(START);
  });

  it("is the progress of for, moved by the time in which nobody watched", () => {
    const world = scriptedWorld({ rules: [rule({ forMs: 2 * MINUTE })] });
    polling(world.sees("exchanges", disabled), 60).restarts("1h").sees("exchanges", disabled);
    const alert = world.alert("ExchangeDisabled", "exchange", "BINANCE");
    expect(alert).toMatchObject({ state: "pending", activeAt: START + HOUR });
    expect(polling(world, 50).alerts()).toStrictEqual(["ExchangeDisabled BINANCE pending"]);
    expect(polling(world, 10).alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing"]);
  });

  it("is what was spent of the budgets", () => {
    const limited = rule({ act: repair({ budget: { max: 2, perMs: HOUR }, cooldownMs: 0 }) });
    const names = ["A", "B", "C", "D"];
    const many = names.map((name) => exchange(name, "disabled"));
    const world = scriptedWorld({ rules: [limited] })
      .sees("exchanges", many)
      .passes("1s");
    expect(world.sent).toHaveLength(2);
    world.restarts("10m");
    polling(world, 60);
    expect(world.sent).toHaveLength(2);
    world.leaps("50m");
    polling(world, 60);
    expect(world.sent).toHaveLength(4);
  });

  it("is the cooldown, with the failures in a row", () => {
    const world = acting().sees("exchanges", disabled).passes("100ms").replies("r1", "rejected");
    world.restarts("15m");
    expect(polling(world, 240).sent).toHaveLength(1);
    expect(polling(world, 120).sent).toHaveLength(2);
  });

  it("is each number given, so that no two remediations share one", () => {
    const world = acting().sees("exchanges", disabled).passes("100ms").replies("r1", "rejected");
    polling(world.restarts("20m"), 30);
    expect(world.sent.map(({ remediation }) => remediation)).toStrictEqual(["r1", "r2"]);
  });
});

describe("after a restart", () => {
  it("nothing is done before settle_after_start, nor before a whole reading", () => {
    const world = scriptedWorld({
      rules: [rule({ act: repair() })],
      acting: { settleAfterStartMs: 30 * SECOND, maxAgeMs: HOUR },
    });
    world.sees("exchanges", disabled).restarts("1m").passes("5s").sees("exchanges", disabled);
    world.passes("24s");
    expect(world.probes).toStrictEqual([]);
    expect(world.suppressions()).toStrictEqual(["starting"]);
    world.passes("2s");
    expect(world.sent).toHaveLength(1);
  });

  it("nothing is done before the journal is known to be sound, and alerts fire meanwhile", () => {
    const world = scriptedWorld({ rules: [rule({ act: repair() })] });
    world.tell({ type: "started", journal: "unchecked" }).passes("1m");
    world.sees("exchanges", disabled).passes("1m").sees("exchanges", disabled);
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing"]);
    expect(world.suppressions()).toStrictEqual(["starting"]);
    expect(world.probes).toStrictEqual([]);
    world.tell({ type: "journal_checked" }).passes("1s");
    expect(world.sent).toHaveLength(1);
  });

  it("an alert is ended by what is not there any more, once a whole listing says so", () => {
    const pairs = rule({ alert: "PairDisabled", kind: "pair", when: factIs("status", "disabled") });
    const world = scriptedWorld({ rules: [pairs] });
    world.sees("exchanges", [pair("BINANCE", "ORN-USDT")]).restarts("1m");
    world.sees("exchanges", [], { complete: false });
    expect(world.alerts()).toStrictEqual(["PairDisabled BINANCE/ORN-USDT firing (unknown)"]);
    world.sees("exchanges", []);
    expect(world.alerts()).toStrictEqual(["PairDisabled BINANCE/ORN-USDT resolved"]);
  });

  it("a poller of a unit of senders is forgotten, with its alert, if the senders are in no units any more", () => {
    const down = rule({ alert: "PollFailing", kind: "poller", when: factIs("up", false) });
    const world = scriptedWorld({ rules: [down] });
    const withoutUnits = world.policy;
    const aggregators = withoutUnits.aggregators.map((one) => ({
      ...one,
      pollers: one.pollers.map((poller) => ({ ...poller, unit: 2 })),
    }));
    world.policy = { ...withoutUnits, aggregators };
    world.restarts().fails("pools");
    expect(world.alerts()).toStrictEqual(["PollFailing pools/2 firing"]);
    world.policy = withoutUnits;
    world.restarts("1m");
    expect(world.entity("poller", "pools/2")).toBeUndefined();
    expect(world.entity("poller", "pools")).toBeDefined();
    expect(world.alerts()).toStrictEqual(["PollFailing pools/2 resolved"]);
  });

  it("all notifications wait, in their order, though those of two units have the same numbers", () => {
    const world = scriptedWorld({ rules: [rule()], channels: [channel("hook")] });
    world.receives = () => "failed";
    const names = ["BINANCE", "KUCOIN", "OKX"];
    world.sees(
      "exchanges",
      names.map((name) => exchange(name, "disabled")),
    );
    const isWaiting = ({ table }: Change): boolean => table === "notification";
    const rows = [...world.journal.rows.values()].map((row) => {
      const { waiting, ...rest } = row.value as OutboxRow;
      return isWaiting(row)
        ? { ...row, value: { ...rest, waiting: { ...waiting, number: 1 } } }
        : row;
    });
    const keys = rows.filter(isWaiting).map(({ key }) => key);
    const { channels, tables } = restore(rows);
    expect([...(channels.get("hook")?.waiting ?? [])]).toStrictEqual(
      keys.map((key, index) => [index + 1, key]),
    );
    expect(tables.counter.get("notification")).toBe(keys.length);
  });

  it("the state is the same as before, row for row, whatever the order of the rows", () => {
    const world = acting().sees("exchanges", disabled).passes("1s").replies("r1", "acknowledged");
    const rows = [...world.journal.rows.values()];
    const forward = restore(structuredClone(rows));
    const backward = restore(structuredClone(rows.toReversed()));
    expect(forward.tables).toStrictEqual(world.state.tables);
    expect(backward.tables).toStrictEqual(world.state.tables);
    expect(forward.ledger).toStrictEqual(world.state.ledger);
    expect(forward.unsettled).toStrictEqual(world.state.unsettled);
    expect(forward.entitiesBySurface).toStrictEqual(world.state.entitiesBySurface);
    expect(forward.at).toBe(world.state.at);
  });
});

describe("a restart with a changed rule", () => {
  const shadow = repair({ mode: "shadow" });
  const heldBack = (): World => {
    const world = scriptedWorld({ rules: [rule({ act: shadow })] });
    world.sees("exchanges", disabled).passes("2s");
    expect(world.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed?.reason).toBe(
      "shadow",
    );
    return world;
  };
  const restartsWith = (world: World, other: ReturnType<typeof rule>): World => {
    world.policy = policyOf([other]);
    return polling(world.restarts("1s"), 40);
  };

  it("does not say any more why a repair waits that the rule no longer wants", () => {
    const world = restartsWith(heldBack(), rule({ hash: "changed" }));
    const alert = world.alert("ExchangeDisabled", "exchange", "BINANCE");
    expect(alert?.state).toBe("firing");
    expect(alert?.suppressed).toBeUndefined();
  });

  it("does not say why a repair waits while the alert is pending again", () => {
    const slow = rule({ act: shadow, forMs: HOUR, hash: "changed" });
    const world = restartsWith(heldBack(), slow);
    const alert = world.alert("ExchangeDisabled", "exchange", "BINANCE");
    expect(alert?.state).toBe("pending");
    expect(alert?.suppressed).toBeUndefined();
  });
});
