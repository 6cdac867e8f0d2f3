import { describe, expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, runArguments, runCli, startDaemon, type Daemon } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const TOGGLE = "/api/v1/exchange/toggle/BINANCE";

describe.concurrent("a daemon that dies", () => {
  test("between commit and answer: one request in all, and seeing settles it", async (context) => {
    let first: Daemon | undefined;
    const aggregator = await startAggregator(context, {
      // Later, a poll may have shown the effect, and that is known then.
      before: ({ method }) => void (method === "POST" && first?.process.kill("SIGKILL")),
    });
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    first = await startDaemon(context, home, ACT_KEY);
    aggregator.control({
      do: "set_fault",
      endpoint: "enableExchange",
      fault: { kind: "timeout_after_applying" },
    });
    const arrived = aggregator.next("POST", TOGGLE);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await arrived;
    await first.end("SIGKILL");
    const second = await startDaemon(context, home, ACT_KEY);
    await second.line(remediationLine("in_doubt"));
    await second.line(remediationLine("verified"));
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
  });

  test("between commit and answer of a request without effect: it is not sent again, and told", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    const first = await startDaemon(context, home, ACT_KEY);
    aggregator.control({ do: "set_fault", endpoint: "enableExchange", fault: { kind: "hang" } });
    const arrived = aggregator.next("POST", TOGGLE);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await arrived;
    await first.end("SIGKILL");
    const second = await startDaemon(context, home, ACT_KEY);
    await second.line(remediationLine("in_doubt"));
    await second.line(remediationLine("unverified"));
    await second.line((line) => line["msg"] === "suppressed" && line["reason"] === "cooldown");
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
  });

  test("keeps its firing alerts, and since when it saw what it saw", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(
      context,
      quickConfig({ url: aggregator.url, mode: "shadow" }),
      QUICK_RULES,
    );
    const first = await startDaemon(context, home, ACT_KEY);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await first.line(alertLine("ExchangeDisabled", "firing"));
    const before = await first.status();
    await first.end("SIGKILL");
    const second = await startDaemon(context, home, ACT_KEY);
    await second.line(alertLine("ExchangeDisabled", "known"));
    const after = await second.status();
    const alertOf = (status: typeof before) =>
      status.alerts.find((alert) => alert.alertname === "ExchangeDisabled");
    expect(alertOf(after)).toMatchObject({ state: "firing", fired_at: alertOf(before)?.fired_at });
    const exchangesOf = (status: typeof before) =>
      status.aggregators[0]?.entities.map(({ id, first_seen }) => ({ id, first_seen }));
    expect(exchangesOf(after)).toEqual(exchangesOf(before));
    expect(second.lines.filter(alertLine("ExchangeDisabled", "pending"))).toEqual([]);
  });

  test("leaves its journal to the next; two at a time are refused with a clear message", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(
      context,
      quickConfig({ url: aggregator.url, mode: "shadow" }),
      QUICK_RULES,
    );
    const first = await startDaemon(context, home, ACT_KEY);
    const second = await runCli(context, runArguments(home), ACT_KEY);
    expect(second.code).toBe(1);
    expect(second.err).toContain("is in use by another aggwatch");
    expect(await first.end("SIGTERM")).toBe(0);
    const third = await startDaemon(context, home, ACT_KEY);
    expect(await third.end("SIGTERM")).toBe(0);
  });
});
