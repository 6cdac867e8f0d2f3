import { describe, expect, test, type TestContext } from "vitest";
import { DEFAULT_LIQUIDATIONS } from "../../src/simulator/model/default-world.ts";
import { until } from "../e2e/until.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon } from "./daemon.ts";
import { alertLine } from "./quick.ts";

const GONE = `0x${"0".repeat(63)}1`;

const RULES = `
groups:
  - name: quick
    rules:
      - alert: LiquidationMissing
        each: liquidation
        when: liquidation.missing
      - alert: OrderMissing
        each: order
        when: order.missing
      - alert: PollFailing
        each: poller
        when: '!poller.up'
`;

/** A daemon that polls every second, and reads nothing but what it watches by id. */
async function watchIds(
  context: TestContext,
  watch: string,
  staleAfter = "2m",
): Promise<{ readonly daemon: Daemon; readonly health: () => Promise<string> }> {
  const aggregator = await startAggregator(context);
  const config = `
aggregators:
  - name: sim
    base_url: ${aggregator.url}
    stale_after: ${staleAfter}
    schedules:
      liquidations: "* * * * * *"
      orders: "* * * * * *"
      exchanges: off
      pools: off
      swaps: off
      swap_history: off
    watch:
      ${watch}
log: { level: debug, format: json }
`;
  const daemon = await startDaemon(context, makeHome(context, config, RULES));
  const health = async (): Promise<string> => (await fetch(`${daemon.url}/healthz`)).text();
  return { daemon, health };
}

describe.concurrent("a watched id that the aggregator answers with 404", () => {
  test("is missing by itself: the others are known, and the poll is complete", async (context) => {
    const known = DEFAULT_LIQUIDATIONS[0];
    const { daemon } = await watchIds(context, `liquidations: ["${known}", "${GONE}"]`);
    await daemon.line(alertLine("LiquidationMissing", "firing"));
    const entities = (await daemon.status()).aggregators.flatMap((one) => one.entities);
    expect(entities.find(({ id }) => id === GONE)).toMatchObject({
      facts: { missing: true },
      unknown_since: null,
    });
    expect(entities.find(({ id }) => id === known)).toMatchObject({
      facts: { missing: false },
      unknown_since: null,
    });
    const polled = await daemon.line(({ msg, poller }) => msg === "polled" && poller !== "orders");
    expect(polled).toMatchObject({ outcome: "complete", detail: "" });
  });

  test("takes no poller down and withholds no heartbeat if it is the only one", async (context) => {
    const { daemon, health } = await watchIds(
      context,
      `orders: [{ market: spot, id: "${GONE}", owner: "0x1" }]`,
      "5s",
    );
    await daemon.line(alertLine("OrderMissing", "firing"));
    // Longer than stale_after, in which something was read.
    const series = 'aggwatch_polls_total{aggregator="sim",poller="orders",outcome="complete"}';
    await until("eight polls", async () => ((await daemon.metric(series)) ?? 0) >= 8 || undefined);
    expect(await health()).not.toContain("poll_overdue");
    expect(await health()).not.toContain("has read nothing");
    expect(daemon.lines.filter(alertLine("PollFailing", "firing"))).toEqual([]);
  });

  test("hints at a wrong path if every id is answered so", async (context) => {
    const watch = `orders: [{ market: spot, id: "${GONE}", owner: "0x1" }, { market: spot, id: "${GONE}2", owner: "0x1" }]`;
    const { daemon } = await watchIds(context, watch);
    const doubtful = await daemon.line(({ poller, level, msg }) => {
      return poller === "orders" && level === "warn" && String(msg).startsWith("poll is complete");
    });
    expect(doubtful["detail"]).toBe(
      "every watched id is answered with 404: wire.order.path or base_url may be wrong",
    );
  });
});
