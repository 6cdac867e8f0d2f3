import { expect, test } from "vitest";
import { stringify } from "yaml";
import { DEFAULT_LIQUIDATIONS, DEFAULT_SENDERS } from "../../src/simulator/model/default-world.ts";
import { differencesOf, mixtureOf } from "../../src/simulator/deployment/deployment.ts";
import { profileFor } from "../../src/simulator/deployment/profile.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import type { Finishing } from "./events.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

/** As unlike the usual one as a deployment can be. */
const DEPLOYMENT = mixtureOf(36);
const [SENDER] = DEFAULT_SENDERS;
const [LIQUIDATION] = DEFAULT_LIQUIDATIONS;
const RULES = `${QUICK_RULES.trimEnd()}
      - alert: SwapExpired
        each: swap
        when: swap.active && swap.expires < now
`;

async function start(context: Finishing, mode: "shadow" | "act") {
  const aggregator = await startAggregator(context, { deployment: DEPLOYMENT });
  aggregator.control({ do: "freeze_order", id: LIQUIDATION });
  aggregator.control({ do: "start_swap", sender: SENDER, stuck: true });
  const keys = {
    watch: { senders: [SENDER], liquidations: [LIQUIDATION] },
    ...profileFor(DEPLOYMENT),
  };
  const watch = stringify(keys, { lineWidth: 0 }).replace(/^/gm, "    ");
  const home = makeHome(context, quickConfig({ url: aggregator.url, mode, watch }), RULES);
  return { aggregator, daemon: await startDaemon(context, home, ACT_KEY) };
}

test("a daemon repairs another deployment by the profile that fits it", async (context) => {
  expect(differencesOf(DEPLOYMENT)).toEqual([
    "wrapper result",
    "naming snake",
    "instants seconds",
    "listings keyed",
    "prefix /rest",
    "verbs other",
  ]);
  const { aggregator, daemon } = await start(context, "act");
  await daemon.line(alertLine("LiquidationStuck", "firing"));
  await daemon.line((line) => line["msg"] === "proposed");
  const enabled = aggregator.next("POST", "/rest/exchange/toggle/KUCOIN");
  aggregator.control({ do: "disable_exchange", exchange: "KUCOIN" });
  await enabled;
  await daemon.line(alertLine("ExchangeDisabled", "resolved"));
  await daemon.line(remediationLine("verified"));
  expect(await daemon.metrics()).toMatch(/^aggwatch_swaps_active\{.*\} [1-9]/m);
  expect(daemon.lines.filter(alertLine("SwapExpired", "firing"))).toEqual([]);
});

test("in shadow mode a daemon sends that deployment nothing but its reads, by whatever method", async (context) => {
  const { aggregator, daemon } = await start(context, "shadow");
  aggregator.control({ do: "disable_exchange", exchange: "KUCOIN" });
  await daemon.line(alertLine("ExchangeDisabled", "firing"));
  await daemon.line(alertLine("LiquidationStuck", "firing"));
  await daemon.end("SIGTERM");
  const sent = aggregator.simulator.requestLog();
  expect(sent.filter(({ applied }) => applied)).toEqual([]);
  const byPost = new Set(
    sent.filter(({ method }) => method !== "GET").map(({ endpoint }) => endpoint),
  );
  expect([...byPost]).toEqual(["activeSwaps"]);
});
