import { existsSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DEFAULT_LIQUIDATIONS } from "../../src/simulator/model/default-world.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import {
  ACT_KEY,
  alertLine,
  QUICK_RULES,
  quickConfig,
  remediationLine,
  statusLine,
} from "./quick.ts";

const BINANCE = 'aggwatch_exchange_disabled{aggregator="sim",exchange="BINANCE"}';
const VERIFIED =
  'aggwatch_remediations_total{aggregator="sim",action="enable_exchange",outcome="verified"}';
const TOGGLE = "/api/v1/exchange/toggle/BINANCE";

describe.concurrent("a real daemon against the simulated aggregator", () => {
  test("re-enables an exchange that somebody disabled, and verifies it", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    await daemon.line((line) => line["entity"] === "sim/exchange/BINANCE");
    expect(await daemon.metric(BINANCE)).toBe(0);
    const repaired = aggregator.next("POST", TOGGLE);
    await fetch(aggregator.url + TOGGLE, { method: "DELETE" });
    await daemon.line(alertLine("ExchangeDisabled", "pending"));
    expect(await daemon.metric(BINANCE)).toBe(1);
    await repaired;
    await daemon.line(remediationLine("verified"));
    expect(await daemon.metric(BINANCE)).toBe(0);
    expect(await daemon.metric(VERIFIED)).toBe(1);
    await daemon.line(alertLine("ExchangeDisabled", "resolved"));
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  test("in shadow mode raises the same alert, sends nothing, and counts what it would have done", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(
      context,
      quickConfig({ url: aggregator.url, mode: "shadow" }),
      QUICK_RULES,
    );
    const daemon = await startDaemon(context, home, ACT_KEY);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    await daemon.line((line) => line["msg"] === "suppressed" && line["reason"] === "shadow");
    expect(
      await daemon.metric(
        'aggwatch_remediations_suppressed_total{aggregator="sim",action="enable_exchange",reason="shadow"}',
      ),
    ).toBe(1);
    // Two more whole polls, so that whatever it would send has had its time.
    await aggregator.next("GET", "/exchange/disabled");
    await aggregator.next("GET", "/exchange/disabled");
    expect(aggregator.count("POST", TOGGLE)).toBe(0);
  });

  test("takes an aggregator that is down for unknown, not for recovered", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(
      context,
      quickConfig({ url: aggregator.url, mode: "shadow" }),
      QUICK_RULES,
    );
    const daemon = await startDaemon(context, home, ACT_KEY);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    aggregator.control({ do: "set_fault", endpoint: "all", fault: { kind: "down" } });
    const failing = alertLine("PollFailing", "firing");
    await daemon.line((line) => failing(line) && line["entity"] === "sim/poller/exchanges");
    await daemon.line(alertLine("ExchangeDisabled", "unknown"));
    expect(await daemon.metric('aggwatch_up{aggregator="sim",poller="exchanges"}')).toBe(0);
    const { alerts } = await daemon.status();
    expect(alerts).toContainEqual(
      expect.objectContaining({ alertname: "ExchangeDisabled", state: "firing" }),
    );
    aggregator.control({ do: "clear_faults" });
    await daemon.line(alertLine("ExchangeDisabled", "known"));
    expect(daemon.lines.filter(alertLine("ExchangeDisabled", "resolved"))).toEqual([]);
  });

  test("proposes a forced cancel, and sends none while nobody approves it", async (context) => {
    const aggregator = await startAggregator(context);
    const [id] = DEFAULT_LIQUIDATIONS;
    aggregator.control({ do: "set_order", id, status: "ACCEPTED" });
    aggregator.control({ do: "freeze_order", id });
    const watch = `    watch: { liquidations: [{ id: "${id}", alias: margin-call }] }`;
    const config = quickConfig({ url: aggregator.url, mode: "act", watch });
    const daemon = await startDaemon(context, makeHome(context, config, QUICK_RULES), ACT_KEY);
    await daemon.line((line) => line["msg"] === "proposed");
    const { proposals } = await daemon.status();
    expect(proposals).toMatchObject([{ action: "force_cancel_order", state: "waiting" }]);
    expect(
      await daemon.metric('aggwatch_liquidation_orders{aggregator="sim",status="ACCEPTED"}'),
    ).toBe(1);
    await aggregator.next("GET", "/order/liquidation");
    await aggregator.next("GET", "/order/liquidation");
    expect(aggregator.count("DELETE", id)).toBe(0);
  });

  test("sends nothing while the kill file exists, and repairs when it is gone", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    writeFileSync(home.killFile, "");
    const daemon = await startDaemon(context, home, ACT_KEY);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line((line) => line["msg"] === "suppressed" && line["reason"] === "killed");
    expect(await daemon.metric('aggwatch_killed{source="file"}')).toBe(1);
    expect(aggregator.count("POST", TOGGLE)).toBe(0);
    const repaired = aggregator.next("POST", TOGGLE);
    rmSync(home.killFile);
    await repaired;
    await daemon.line(remediationLine("verified"));
    expect(existsSync(home.killFile)).toBe(false);
  });

  test("does not take a success without effect for a repair, and does not try again at once", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    aggregator.control({ do: "set_fault", endpoint: "enableExchange", fault: { kind: "lie" } });
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(remediationLine("acknowledged"));
    await daemon.line(remediationLine("unverified"));
    await daemon.line((line) => line["msg"] === "suppressed" && line["reason"] === "cooldown");
    expect(await daemon.metric(BINANCE)).toBe(1);
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
  });

  test("takes a redirect after an action for no refusal, and verifies what it did", async (context) => {
    const aggregator = await startAggregator(context, {
      after: ({ method }, reply) =>
        method === "POST" && reply.outcome === "answered"
          ? { ...reply, status: 303, headers: { location: "/exchanges" }, body: "" }
          : reply,
    });
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    await daemon.line((line) => line["entity"] === "sim/exchange/BINANCE");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    expect(await daemon.line(remediationLine("in_doubt"))).toMatchObject({
      detail: "status 303 points elsewhere (/exchanges)",
    });
    await daemon.line(remediationLine("verified"));
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
  });

  test("says to the end where an action was redirected that is not seen to be done", async (context) => {
    const aggregator = await startAggregator(context, {
      after: ({ method }, reply) =>
        method === "POST" ? { ...reply, status: 302, headers: { location: "/login" } } : reply,
    });
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    aggregator.control({ do: "set_fault", endpoint: "enableExchange", fault: { kind: "lie" } });
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    const said = /^not seen .*; it was in doubt: status 302 points elsewhere \(\/login\)$/;
    const detail = expect.stringMatching(said) as unknown;
    expect(await daemon.line(remediationLine("unverified"))).toMatchObject({ detail });
    const listed = await fetch(`${daemon.url}/api/v1/remediations`);
    expect(await listed.json()).toMatchObject({ remediations: [{ state: "unverified", detail }] });
  });

  test("drops an action when the reading right before it shows that it is not needed", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    await daemon.line((line) => line["entity"] === "sim/exchange/BINANCE");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(statusLine("sim/exchange/BINANCE", "enabled -> disabled"));
    aggregator.control({ do: "enable_exchange", exchange: "BINANCE" });
    await daemon.line(statusLine("sim/exchange/BINANCE", "disabled -> enabled"));
    await aggregator.next("GET", "/exchange/disabled");
    expect(aggregator.count("POST", TOGGLE)).toBe(0);
  });
});
