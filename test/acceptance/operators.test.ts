import { describe, expect, test } from "vitest";
import { DEFAULT_LIQUIDATIONS } from "../../src/simulator/model/default-world.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { cliOf, withPeople } from "./people.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const [ORDER] = DEFAULT_LIQUIDATIONS;
const WATCH = `    watch: { liquidations: [{ id: "${ORDER}", alias: margin-call }] }`;
const TOGGLE = "/api/v1/exchange/toggle/BINANCE";

describe.concurrent("operators of a real daemon", () => {
  test.for([
    { persons: 1, rules: QUICK_RULES },
    {
      persons: 2,
      rules: QUICK_RULES.replace("action: force_cancel_order", "$&, approvals: 2"),
    },
  ])(
    "$persons person(s) approve a forced cancel; it is sent once, and verified",
    async ({ persons, rules }, context) => {
      const aggregator = await startAggregator(context);
      aggregator.control({ do: "set_order", id: ORDER, status: "ACCEPTED" });
      aggregator.control({ do: "freeze_order", id: ORDER });
      const config = quickConfig({ url: aggregator.url, mode: "act", watch: WATCH });
      const home = makeHome(context, config, rules);
      const tokenFile = withPeople(home, config);
      const daemon = await startDaemon(context, home, ACT_KEY);
      const cli = cliOf(context, daemon.url, tokenFile);
      await daemon.line((line) => line["msg"] === "proposed");
      const { out } = await cli("alice", "status");
      expect(out).toMatch(
        new RegExp(`p1 +[0-9a-f]{16} +waiting +0 of ${persons} +force_cancel_order`),
      );
      const why = await cli("alice", "explain", "LiquidationStuck", `liquidation/${ORDER}`);
      expect(why.out).toContain("force_cancel_order is not sent (approval): ");
      const first = await cli("alice", "approve", "p1", "--yes", "--reason", "it hangs");
      expect(first).toMatchObject({ code: 0, err: "" });
      if (persons === 2) {
        const again = await cli("alice", "approve", "p1", "--yes", "--reason", "it still hangs");
        expect(again.code).toBe(1);
        expect(again.err).toContain("refused (409): p1 was approved by alice already");
        await aggregator.next("GET", "/order/liquidation");
        await aggregator.next("GET", "/order/liquidation");
        expect(aggregator.count("DELETE", ORDER)).toBe(0);
        expect((await cli("bob", "approve", "p1", "--yes", "--reason", "I agree")).code).toBe(0);
      }
      await daemon.line(remediationLine("verified"));
      expect(aggregator.count("DELETE", ORDER)).toBe(1);
      const sent = JSON.parse((await cli("alice", "remediations", "--json")).out) as {
        remediations: unknown[];
      };
      const approvedBy = persons === 2 ? "alice, bob" : "alice";
      expect(sent.remediations).toMatchObject([{ state: "verified", approved_by: approvedBy }]);
      const at = ["--at", new Date().toISOString()];
      const past = await cli("alice", "explain", "LiquidationStuck", `liquidation/${ORDER}`, ...at);
      expect(past.out).toContain(`force_cancel_order verified, approved by ${approvedBy}`);
    },
  );

  test("a hold stops the action and not the alert, until it is released", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "act" });
    const home = makeHome(context, config, QUICK_RULES);
    const tokenFile = withPeople(home, config);
    const daemon = await startDaemon(context, home, ACT_KEY);
    const cli = cliOf(context, daemon.url, tokenFile);
    const hold = ["hold", "exchange/BINANCE", "--for", "1h", "--reason", "maintenance"];
    expect((await cli("bob", ...hold)).out).toMatch(/^done: h1: exchange BINANCE until /);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    await daemon.line((line) => line["msg"] === "suppressed" && line["reason"] === "held");
    await aggregator.next("GET", "/exchange/disabled");
    await aggregator.next("GET", "/exchange/disabled");
    expect(aggregator.count("POST", TOGGLE)).toBe(0);
    const { out } = await cli("alice", "alerts");
    expect(out).toContain("held: bob holds exchange BINANCE (h1) until");
    const repaired = aggregator.next("POST", TOGGLE);
    expect((await cli("alice", "release", "h1", "--reason", "all done")).code).toBe(0);
    await repaired;
    await daemon.line(remediationLine("verified"));
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
  });

  test("the kill switch of the command line holds over a restart", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "act" });
    const home = makeHome(context, config, QUICK_RULES);
    const tokenFile = withPeople(home, config);
    const first = await startDaemon(context, home, ACT_KEY);
    const killed = await cliOf(context, first.url, tokenFile)(
      "alice",
      "kill",
      "--reason",
      "odd prices",
    );
    expect(killed.code).toBe(0);
    await first.end("SIGKILL");
    const second = await startDaemon(context, home, ACT_KEY);
    const cli = cliOf(context, second.url, tokenFile);
    expect((await cli("alice", "status")).out).toContain("killed by operator (alice)");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await second.line((line) => line["msg"] === "suppressed" && line["reason"] === "killed");
    const repaired = aggregator.next("POST", TOGGLE);
    expect((await cli("bob", "unkill", "--reason", "they are right")).code).toBe(0);
    await repaired;
  });
});
