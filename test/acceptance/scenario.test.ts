import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseScenario } from "../../src/simulator/control/scenario.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const file = join(import.meta.dirname, "../../deploy/scenarios/bad-day.yaml");
const STUCK = "0x11d0000000000000000000000000000000000000000000000000000000000001";
const PAIR_RULE = `      - alert: PairDisabled
        each: pair
        when: pair.status == "disabled"
        act: { action: enable_pair, verify_within: 5s, budget: { max: 5, per: 1h } }
`;

test("a real daemon lives through the bad day of deploy/scenarios, and mends what it may", async (context) => {
  const read = parseScenario(readFileSync(file, "utf8"), file);
  if (!read.ok) throw new Error(read.problem.join("\n"));
  const aggregator = await startAggregator(context, { scenario: read.value, isStepwise: true });
  const goOn = (says: string): void => {
    expect(aggregator.simulator.proceed().map(({ say }) => say)).toEqual([says]);
  };
  const watch = `    watch: { liquidations: ["${STUCK}"] }`;
  const config = quickConfig({ url: aggregator.url, mode: "act", watch });
  const home = makeHome(context, config, QUICK_RULES.trimEnd() + "\n" + PAIR_RULE);
  const daemon = await startDaemon(context, home, ACT_KEY);

  const exchange = aggregator.next("POST", "/exchange/toggle/KUCOIN");
  goOn("Somebody disables KUCOIN.");
  await exchange;
  await daemon.line(remediationLine("verified"));
  const pair = aggregator.next("POST", "/exchange/toggle/BINANCE/ORN-USDT");
  goOn("And the pair ORN-USDT on BINANCE.");
  await pair;
  await daemon.line(alertLine("PairDisabled", "resolved"));
  goOn("A liquidation order is stuck.");
  await daemon.line((line) => line["msg"] === "proposed");
  goOn("Four fifths of a pool are taken out.");
  goOn("A swap is stuck.");
  goOn("The aggregator goes down.");
  await daemon.line(alertLine("LiquidationStuck", "unknown"));
  goOn("It is back.");
  await daemon.line(alertLine("LiquidationStuck", "known"));
  goOn("The story is over; the aggregator lives on.");
  expect(aggregator.simulator.proceed()).toEqual([]);

  expect(aggregator.simulator.requestLog().filter(({ method }) => method !== "GET")).toHaveLength(
    2,
  );
  expect(await daemon.end("SIGTERM")).toBe(0);
});
