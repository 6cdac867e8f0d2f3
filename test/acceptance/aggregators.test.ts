import { describe, expect, test } from "vitest";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type LogLine } from "./daemon.ts";
import { statusLine } from "./quick.ts";

const NAMES = ["bsc", "eth"] as const;
type Name = (typeof NAMES)[number];

const TOGGLE = "/api/v1/exchange/toggle/BINANCE";
const SCHEDULE = "* * * * * *";

/** Each with its own name, rate and keys; the keys stand in the environment. */
function entry(name: Name, { url }: Aggregator): string {
  return `
  - name: ${name}
    base_url: ${url}
    auth:
      read: { type: header, name: X-READ-KEY, value_env: READ_${name.toUpperCase()} }
      act: { type: header, name: X-API-KEY, value_env: ACT_${name.toUpperCase()} }
    rate: { requests_per_second: 100, concurrency: 4 }
    timeout: 1m
    timeouts: { response: 1m }
    retries: 0
    schedules: { exchanges: "${SCHEDULE}", pools: "${SCHEDULE}", liquidations: off, swaps: off }`;
}

function configOf(aggregators: Readonly<Record<Name, Aggregator>>): string {
  return `
aggregators:${NAMES.map((name) => entry(name, aggregators[name])).join("")}
actions: { mode: act, settle_after_start: 0s, max_age: 1h, confirm_within: 10m }
log: { level: debug, format: json }
`;
}

/** One repair an hour: enough for one on each aggregator, as each has a budget of its own. */
const RULES = `
groups:
  - name: two
    rules:
      - alert: ExchangeDisabled
        each: exchange
        when: exchange.status == "disabled"
        act: { action: enable_exchange, cooldown: 1h, verify_within: 1h, budget: { max: 1, per: 1h } }
      - alert: OnlyEth
        each: exchange
        aggregators: [eth]
        when: exchange.status == "disabled"
      - alert: BscByCondition
        each: exchange
        when: exchange.status == "disabled" && aggregator.name == "bsc"
`;

const KEYS = {
  READ_BSC: "read-of-bsc",
  ACT_BSC: "act-of-bsc",
  READ_ETH: "read-of-eth",
  ACT_ETH: "act-of-eth",
};

const verified =
  (name: Name) =>
  (line: LogLine): boolean =>
    line["msg"] === "remediation" &&
    line["state"] === "verified" &&
    line["entity"] === `${name}/exchange/BINANCE`;

const keyOf = (name: Name) => ({
  actKey: { header: "X-API-KEY", value: `act-of-${name}`, toggles: true },
});

describe.concurrent("one daemon and two aggregators", () => {
  test("repairs on one while the other never answers", async (context) => {
    const bsc = await startAggregator(context, keyOf("bsc"));
    const eth = await startAggregator(context, keyOf("eth"));
    bsc.control({ do: "set_fault", endpoint: "all", fault: { kind: "hang" } });
    const daemon = await startDaemon(
      context,
      makeHome(context, configOf({ bsc, eth }), RULES),
      KEYS,
    );
    await bsc.first("GET", "/exchange/list");
    await daemon.line((line) => line["entity"] === "eth/exchange/BINANCE");
    const repaired = eth.next("POST", TOGGLE);
    eth.control({ do: "disable_exchange", exchange: "BINANCE" });
    await repaired;
    await daemon.line(verified("eth"));
    // Polls of the one go on. Those of the other wait, on a busy machine for as long as a poll may take.
    await eth.next("GET", "/exchange/list");
    await eth.next("GET", "/pools/reservations");
    const asked = bsc.count("GET", "/exchange/list");
    const ended = (outcome: string): string =>
      `aggwatch_polls_total{aggregator="bsc",poller="exchanges",outcome="${outcome}"}`;
    const failed = (await daemon.metric(ended("failed"))) ?? 0;
    // One at a time: each but the last has ended.
    expect(asked).toBeLessThanOrEqual(failed + 1);
    expect((await daemon.metric(ended("complete"))) ?? 0).toBe(0);
    expect(await daemon.metric('aggwatch_up{aggregator="eth",poller="exchanges"}')).toBe(1);
    expect(daemon.lines.some((line) => line["entity"] === "bsc/exchange/BINANCE")).toBe(false);
    expect(await daemon.end("SIGTERM")).toBe(0);
    await daemon.line(({ why }) => why === "SIGTERM");
    await daemon.line(({ msg }) => msg === "ended");
  });

  test("keeps rules, budgets and credentials of each to itself", async (context) => {
    const bsc = await startAggregator(context, keyOf("bsc"));
    const eth = await startAggregator(context, keyOf("eth"));
    const daemon = await startDaemon(
      context,
      makeHome(context, configOf({ bsc, eth }), RULES),
      KEYS,
    );
    for (const [name, aggregator] of [
      ["bsc", bsc],
      ["eth", eth],
    ] as const) {
      await daemon.line((line) => line["entity"] === `${name}/exchange/BINANCE`);
      aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
      await daemon.line(statusLine(`${name}/exchange/BINANCE`, "enabled -> disabled"));
      await daemon.line(verified(name));
    }
    const fired = daemon.lines
      .filter((line) => line["msg"] === "alert" && line["change"] === "firing")
      .map((line) => `${String(line["alertname"])} ${String(line["entity"])}`);
    expect(fired.toSorted()).toEqual([
      "BscByCondition bsc/exchange/BINANCE",
      "ExchangeDisabled bsc/exchange/BINANCE",
      "ExchangeDisabled eth/exchange/BINANCE",
      "OnlyEth eth/exchange/BINANCE",
    ]);
    for (const [name, { heard }] of [
      ["bsc", bsc],
      ["eth", eth],
    ] as const) {
      const secrets = heard.map(({ method, headers }) =>
        [method, headers["x-read-key"] ?? "", headers["x-api-key"] ?? ""].join(" "),
      );
      expect(new Set(secrets)).toEqual(new Set([`GET read-of-${name} `, `POST  act-of-${name}`]));
      const other = name === "bsc" ? "of-eth" : "of-bsc";
      expect(JSON.stringify(heard)).not.toContain(other);
    }
  });
});

describe.concurrent("an aggregator that is pressed", () => {
  test("is left alone for as long as it asks, and is polled again after that", async (context) => {
    const bsc = await startAggregator(context, keyOf("bsc"));
    const eth = await startAggregator(context, keyOf("eth"));
    const home = makeHome(context, configOf({ bsc, eth }), RULES);
    const fault = { kind: "status", status: 429, retry_after: "4s" };
    bsc.control({ do: "set_fault", endpoint: "exchanges", fault });
    const daemon = await startDaemon(context, home, KEYS);
    await bsc.first("GET", "/exchange/list");
    const lost = (name: Name): string =>
      `aggwatch_poll_slots_lost_total{aggregator="${name}",poller="exchanges",fate="asked_to_wait"}`;
    // A daemon that stands still for as long as it was asked to wait has no slot in that time.
    // oxlint-disable-next-line no-await-in-loop -- one refusal after the other
    while ((await daemon.metric(lost("bsc"))) === 0) await bsc.next("GET", "/exchange/list");
    bsc.control({ do: "clear_faults" });
    await daemon.line((line) => line["entity"] === "bsc/exchange/BINANCE");
    const asked = bsc.simulator.requestLog().filter(({ endpoint }) => endpoint === "exchanges");
    const refusals = asked.filter(({ status }) => status === 429);
    expect(refusals).not.toEqual([]);
    for (const [index, { at }] of refusals.entries())
      expect((asked[index + 1]?.at ?? 0) - at).toBeGreaterThanOrEqual(4_000);
    expect(await daemon.metric(lost("eth"))).toBe(0);
  });

  test("that gives ETags is spared its bodies, and what changes is seen and repaired all the same", async (context) => {
    const bsc = await startAggregator(context, { ...keyOf("bsc"), etags: true });
    const eth = await startAggregator(context, keyOf("eth"));
    const daemon = await startDaemon(
      context,
      makeHome(context, configOf({ bsc, eth }), RULES),
      KEYS,
    );
    await daemon.line((line) => line["entity"] === "bsc/exchange/BINANCE");
    for (let poll = 0; poll < 2; poll += 1) await bsc.next("GET", "/exchange/disabled");
    await bsc.next("GET", "/exchange/disabled");
    const reads = (name: Name, by: string): string =>
      `aggwatch_reads_unchanged_total{aggregator="${name}",by="${by}"}`;
    expect(await daemon.metric(reads("bsc", "not_modified"))).toBeGreaterThan(0);
    expect(await daemon.metric(reads("eth", "not_modified"))).toBe(0);
    expect(await daemon.metric(reads("eth", "same_body"))).toBeGreaterThan(0);
    bsc.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(verified("bsc"));
    expect(await daemon.metric('aggwatch_up{aggregator="bsc",poller="exchanges"}')).toBe(1);
  });
});
