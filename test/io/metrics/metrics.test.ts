import { describe, expect, it } from "vitest";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { DEFAULT_LIMITS } from "../../../src/domain/limits.ts";
import { SUPPRESSION_REASONS } from "../../../src/core/act/guards/index.ts";
import type { Finding, Policy } from "../../../src/domain/step.ts";
import { SECOND } from "../../../src/domain/time.ts";
import { MOST_SERIES } from "../../../src/io/metrics/definition.ts";
import { exchange, pair, policyOf, repair, rule } from "../../core/fixtures.ts";
import { observed, partOf, type Said } from "../../core/readings.ts";
import { lint, parseExposition } from "./exposition.ts";
import { Scraped } from "./scrape.ts";

const ADDRESS = "0x8a7b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b";
/** As people copy it, with the upper-case letters of its checksum. */
const CHECKSUMMED = "0x8A7b1C2d3E4f5A6b7C8d9E0f1A2b3C4d5E6f7A8b";
const HASH = `0x${"ab".repeat(32)}`;

function policy(change: Partial<Policy> = {}): Policy {
  const base = policyOf([
    rule({ act: repair() }),
    rule({ alert: "PoolDrained", kind: "pool", severity: "warning" }),
  ]);
  const poller = { intervalMs: 10 * SECOND, staleAfterMs: 30 * SECOND };
  const names = ["exchanges", "liquidations", "pools", "swaps"];
  const aggregators = [{ name: "bsc", pollers: names.map((name) => ({ name, ...poller })) }];
  return { ...base, aggregators, ...change };
}

const started = (): Scraped => new Scraped(policy()).tells({ type: "started" });

function sees(scraped: Scraped, poller: string, said: Said, surface = "all"): Scraped {
  return scraped.tells(observed(poller, [partOf(surface, scraped.now, said)]));
}

function sender(id: string, alias: string, activeSwaps?: number): SeenEntity {
  const active = activeSwaps === undefined ? {} : { active_swaps: activeSwaps };
  return { kind: "sender", id, facts: { address: id, alias, ...active } };
}

function swap(id: string, of: string, alias: string, active = true): SeenEntity {
  const facts = { secret_hash: id, sender: of, sender_alias: alias, status: "ACTIVE", active };
  return { kind: "swap", id, parent: { kind: "sender", id: of }, facts };
}

function liquidation(id: string, status: string, final?: boolean): SeenEntity {
  const facts = { order_id: id, name: id, status, ...(final === undefined ? {} : { final }) };
  return { kind: "liquidation", id, facts };
}

const fullPool: SeenEntity = {
  kind: "pool",
  id: "OrionV2/ORN-USDT",
  facts: {
    factory: "OrionV2",
    pair: "ORN-USDT",
    base_asset: "ORN",
    quote_asset: "USDT",
    base: 12.5,
    quote: 30,
  },
};

describe("the exposition", () => {
  it("has every promised metric, of its type and with just its labels", async () => {
    const scraped = started();
    sees(scraped, "exchanges", [exchange("KUCOIN", "disabled"), pair("KUCOIN", "ORN-USDT")]);
    sees(scraped, "pools", [fullPool]);
    sees(scraped, "swaps", [sender(ADDRESS, "desk", 1), swap(HASH, ADDRESS, "desk")], ADDRESS);
    sees(scraped, "liquidations", [liquidation("0x5f", "NEW", false)], "0x5f");
    const promised: Record<string, readonly [string, ...string[]]> = {
      aggwatch_up: ["gauge", "aggregator", "poller"],
      aggwatch_polls_total: ["counter", "aggregator", "poller", "outcome"],
      aggwatch_last_poll_success_timestamp_seconds: ["gauge", "aggregator", "poller"],
      aggwatch_exchange_disabled: ["gauge", "aggregator", "exchange"],
      aggwatch_pairs_disabled: ["gauge", "aggregator", "exchange"],
      aggwatch_swaps_active: ["gauge", "aggregator", "sender"],
      aggwatch_oldest_active_swap_first_seen_timestamp_seconds: ["gauge", "aggregator", "sender"],
      aggwatch_liquidation_orders: ["gauge", "aggregator", "status"],
      aggwatch_pool_reserve_amount: ["gauge", "aggregator", "factory", "pair", "asset"],
      aggwatch_alerts: ["gauge", "aggregator", "alertname", "severity", "state"],
      aggwatch_remediations_total: ["counter", "aggregator", "action", "outcome"],
      aggwatch_remediations_suppressed_total: ["counter", "aggregator", "action", "reason"],
      aggwatch_build_info: ["gauge", "version", "node_version"],
    };
    const families = parseExposition(await scraped.text());
    for (const [name, [type, ...labels]] of Object.entries(promised)) {
      expect(families.get(name)?.type, name).toBe(type);
      expect(Object.keys(families.get(name)?.samples[0]?.labels ?? {}), name).toEqual(labels);
    }
    const duration = families.get("aggwatch_poll_duration_seconds");
    expect(duration?.type).toBe("histogram");
    expect(Object.keys(duration?.samples.at(-1)?.labels ?? {})).toEqual(["aggregator", "poller"]);
    expect(scraped.errors).toEqual([]);
  });

  it("keeps the naming rules, in all families, and repeats no series", async () => {
    const families = parseExposition(await started().text());
    expect(lint(families)).toEqual([]);
    expect([...families.keys()]).toContain("process_cpu_seconds_total");
    expect([...families.keys()]).toContain("nodejs_eventloop_lag_seconds");
  });

  it("escapes what a hostile aggregator calls its exchanges", async () => {
    const name = 'A"} 1\nfake_metric{x="\\';
    const scraped = sees(started(), "exchanges", [exchange(name, "enabled")]);
    const samples = await scraped.samples("aggwatch_exchange_disabled");
    expect(samples).toMatchObject([{ labels: { exchange: name }, value: 0 }]);
    expect(await scraped.text()).not.toContain("\nfake_metric");
  });

  it("stays whole and says so when there is more than it can hold", async () => {
    const limits = { ...DEFAULT_LIMITS, entities: 2 * MOST_SERIES };
    const scraped = new Scraped({ ...policy(), limits }).tells({ type: "started" });
    const many = Array.from({ length: MOST_SERIES + 7 }, (_, index) =>
      exchange(`E${index}`, "enabled"),
    );
    sees(scraped, "exchanges", many);
    expect(await scraped.samples("aggwatch_exchange_disabled")).toHaveLength(MOST_SERIES);
    const dropped = await scraped.series("aggwatch_series_dropped");
    expect(dropped).toContain("aggwatch_exchange_disabled 7");
    expect(dropped).toContain("aggwatch_up 0");
  });

  it("goes on without a gauge that throws, and says which", async () => {
    const scraped = started();
    scraped.state.tables.kill.has = () => {
      throw new Error("broken");
    };
    expect(await scraped.series("aggwatch_killed")).toEqual([]);
    expect(scraped.errors).toEqual(["aggwatch_killed: Error: broken"]);
    expect(await scraped.series("aggwatch_up")).toHaveLength(4);
    scraped.slots = null as never;
    expect(await scraped.series("aggwatch_poll_slots_lost_total")).toEqual([]);
    expect(scraped.errors.join()).toContain("aggwatch_poll_slots_lost_total");
  });

  it("can be had of several watchdogs in one process, each with its own state", async () => {
    const one = sees(started(), "exchanges", [exchange("A", "enabled")]);
    const other = sees(started(), "exchanges", [exchange("B", "enabled")]);
    const [first, second] = await Promise.all([one.text(), other.text()]);
    expect(first).toContain('exchange="A"');
    expect(first).not.toContain('exchange="B"');
    expect(second).toContain('exchange="B"');
    expect(lint(parseExposition(second))).toEqual([]);
  });
});

describe("known series", () => {
  it("start at 0, so that a rate sees their first increase", async () => {
    const scraped = new Scraped(policy());
    const counts = async (name: string) =>
      Object.groupBy(await scraped.samples(name), ({ value }) => value);
    expect((await counts("aggwatch_polls_total"))[0]).toHaveLength(4 * 4);
    expect((await counts("aggwatch_probes_total"))[0]).toHaveLength(4 * 4);
    expect((await counts("aggwatch_remediations_total"))[0]).toHaveLength(3 * 3);
    expect((await counts("aggwatch_remediations_requested_total"))[0]).toHaveLength(3);
    expect((await counts("aggwatch_remediations_suppressed_total"))[0]).toHaveLength(
      3 * SUPPRESSION_REASONS.length,
    );
    expect((await counts("aggwatch_alerts"))[0]).toHaveLength(2 * 2);
    const buckets = await scraped.samples("aggwatch_poll_duration_seconds");
    expect(buckets.length).toBeGreaterThan(4 * 10);
    expect(buckets.every(({ value }) => value === 0)).toBe(true);
    scraped.tells({ type: "started" });
    expect(await scraped.series("aggwatch_up")).toEqual([
      "bsc,exchanges 0",
      "bsc,liquidations 0",
      "bsc,pools 0",
      "bsc,swaps 0",
    ]);
    expect((await counts("aggwatch_last_poll_success_timestamp_seconds"))[0]).toHaveLength(4);
  });
});

describe("labels", () => {
  it("never hold an id, a hash or an address, whatever case it is written in", async () => {
    const scraped = started();
    const other = "0x9999999999999999999999999999999999999999";
    sees(scraped, "swaps", [sender(ADDRESS, CHECKSUMMED, 2), swap(HASH, ADDRESS, CHECKSUMMED)]);
    sees(scraped, "liquidations", [
      liquidation(HASH, HASH),
      liquidation("123e4567-e89b-12d3-a456-426614174000", "SOMETHING_NEW"),
    ]);
    scraped.tells(
      observed("swaps", [
        partOf(ADDRESS, scraped.now, [
          sender(ADDRESS, CHECKSUMMED, 2),
          swap(HASH, ADDRESS, CHECKSUMMED),
        ]),
        partOf(other, scraped.now, [sender(other, other, 3)]),
      ]),
    );
    const text = await scraped.text();
    expect(text).not.toMatch(/0x[0-9a-f]{6}/i);
    expect(text).not.toContain("123e4567");
    expect(await scraped.series("aggwatch_swaps_active")).toEqual(["bsc,unnamed 5"]);
    expect(
      await scraped.samples("aggwatch_oldest_active_swap_first_seen_timestamp_seconds"),
    ).toMatchObject([{ labels: { sender: "unnamed" } }]);
    expect(await scraped.series("aggwatch_liquidation_orders")).toEqual(["bsc,unknown 2"]);
  });
});

describe("gauges", () => {
  it("forget what is gone", async () => {
    const scraped = started();
    sees(scraped, "pools", [fullPool]);
    sees(scraped, "swaps", [sender(ADDRESS, "desk", 1), swap(HASH, ADDRESS, "desk")], "all");
    sees(scraped, "liquidations", [liquidation("0x5f", "NEW", false)]);
    expect(await scraped.series("aggwatch_pool_reserve_amount")).toEqual([
      "bsc,OrionV2,ORN-USDT,ORN 12.5",
      "bsc,OrionV2,ORN-USDT,USDT 30",
    ]);
    expect(await scraped.series("aggwatch_liquidation_orders")).toEqual(["bsc,NEW 1"]);
    // What is suddenly empty is believed the second time.
    for (const poller of ["pools", "swaps", "liquidations", "swaps"]) sees(scraped, poller, []);
    for (const name of [
      "aggwatch_pool_reserve_amount",
      "aggwatch_swaps_active",
      "aggwatch_oldest_active_swap_first_seen_timestamp_seconds",
      "aggwatch_liquidation_orders",
    ]) {
      expect(await scraped.series(name), name).toEqual([]);
    }
  });

  it("say of every known exchange whether it is disabled, missing, and how many of its pairs are", async () => {
    const scraped = started();
    const pairs = [pair("A", "ORN-USDT"), pair("A", "ORN-BNB"), pair("C", "ORN-USDT")];
    sees(scraped, "exchanges", [exchange("A", "enabled"), exchange("B", "disabled"), ...pairs]);
    expect(await scraped.series("aggwatch_exchange_disabled")).toEqual(["bsc,A 0", "bsc,B 1"]);
    expect(await scraped.series("aggwatch_pairs_disabled")).toEqual([
      "bsc,A 2",
      "bsc,B 0",
      "bsc,C 1",
    ]);
    // All pairs are gone at once, which a second poll is to confirm.
    sees(scraped, "exchanges", [exchange("B", "enabled")]);
    sees(scraped, "exchanges", [exchange("B", "enabled")]);
    expect(await scraped.series("aggwatch_exchange_disabled")).toEqual(["bsc,A 0", "bsc,B 0"]);
    expect(await scraped.series("aggwatch_exchange_missing")).toEqual(["bsc,A 1", "bsc,B 0"]);
    expect(await scraped.series("aggwatch_pairs_disabled")).toEqual(["bsc,A 0", "bsc,B 0"]);
  });

  it("give the sender's oldest active swap, and no number if it is not known", async () => {
    const scraped = started();
    sees(scraped, "swaps", [sender(ADDRESS, "desk", 1), swap("0x1", ADDRESS, "desk")]);
    const first = scraped.now / SECOND;
    sees(scraped, "swaps", [
      sender(ADDRESS, "desk"),
      swap("0x2", ADDRESS, "desk"),
      swap("0x1", ADDRESS, "desk"),
      swap("0x3", ADDRESS, "settled", false),
    ]);
    expect(
      await scraped.series("aggwatch_oldest_active_swap_first_seen_timestamp_seconds"),
    ).toEqual([`bsc,desk ${first}`]);
    expect(await scraped.series("aggwatch_swaps_active")).toEqual([]);
  });

  it("count alerts by state, remediations in flight, proposals and what is unknown", async () => {
    const scraped = started();
    sees(scraped, "exchanges", [exchange("A", "disabled"), exchange("B", "disabled")]);
    expect(await scraped.series("aggwatch_alerts")).toContain(
      "bsc,ExchangeDisabled,critical,firing 2",
    );
    scraped.now += 1_000;
    const confirmed = [exchange("A", "disabled"), exchange("B", "enabled")];
    scraped.tells(observed("exchanges", [partOf("all", scraped.now, confirmed)], "probe"));
    expect(await scraped.series("aggwatch_remediations_in_flight")).toEqual(["bsc 1"]);
    expect(await scraped.series("aggwatch_proposals")).toEqual(["bsc 0"]);
    expect(await scraped.series("aggwatch_alerts")).toContain(
      "bsc,ExchangeDisabled,critical,firing 1",
    );
    sees(scraped, "exchanges", "failed");
    expect(await scraped.series("aggwatch_entities")).toContain("bsc,exchange 2");
    expect(await scraped.series("aggwatch_entities_unknown")).toContain("bsc,exchange 2");
    expect(await scraped.series("aggwatch_up")).toContain("bsc,exchanges 0");
    expect(await scraped.series("aggwatch_exchange_disabled")).toContain("bsc,A 1");
  });

  it("tell the kill switch, the journal, the mode and the start", async () => {
    const scraped = started();
    scraped.tells({
      type: "command",
      by: "alice",
      reason: "",
      command: { name: "kill", source: "operator" },
    });
    scraped.journalWritable = false;
    expect(await scraped.series("aggwatch_killed")).toEqual([
      "operator 1",
      "file 0",
      "journal 0",
      "bug 0",
    ]);
    expect(await scraped.series("aggwatch_journal_writable")).toEqual([" 0"]);
    expect(await scraped.series("aggwatch_actions_mode")).toEqual(["act 1"]);
    expect(await scraped.series("aggwatch_started_timestamp_seconds")).toEqual([
      ` ${scraped.state.startedAt / SECOND}`,
    ]);
    expect(await scraped.series("aggwatch_build_info")).toEqual(["1.2.3,v24.0.0 1"]);
  });
});

describe("counters", () => {
  const remediation = (state: string): Finding =>
    ({
      type: "remediation",
      remediation: { state, action: "enable_pair", entity: { aggregator: "bsc" }, requestedAt: 0 },
      detail: "",
    }) as unknown as Finding;

  it("count polls and probes apart, and time polls alone", async () => {
    const scraped = started();
    sees(scraped, "exchanges", [exchange("A", "enabled")]);
    scraped.tells(observed("exchanges", [partOf("all", scraped.now, "failed")], "probe"));
    expect(await scraped.series("aggwatch_polls_total")).toContain("bsc,exchanges,complete 1");
    expect(await scraped.series("aggwatch_polls_total")).toContain("bsc,exchanges,failed 0");
    expect(await scraped.series("aggwatch_probes_total")).toContain("bsc,exchanges,failed 1");
    const durations = await scraped.samples("aggwatch_poll_duration_seconds");
    const of = (name: string) =>
      durations.find(
        ({ name: own, labels }) => own.endsWith(name) && labels["poller"] === "exchanges",
      );
    expect(of("_count")?.value).toBe(1);
    expect(of("_sum")?.value).toBe(0.005);
  });

  it("count remediations when they are requested and when they are settled", async () => {
    const scraped = started();
    const states = ["requested", "acknowledged", "in_doubt", "verified", "requested", "rejected"];
    scraped.counts(states.map(remediation));
    expect(await scraped.series("aggwatch_remediations_requested_total")).toContain(
      "bsc,enable_pair 2",
    );
    expect(
      (await scraped.series("aggwatch_remediations_total")).filter((one) =>
        one.includes("enable_pair"),
      ),
    ).toEqual([
      "bsc,enable_pair,verified 1",
      "bsc,enable_pair,unverified 0",
      "bsc,enable_pair,rejected 1",
    ]);
  });

  it("count a remediation once that was settled and is known afterwards not to have been sent", async () => {
    const scraped = started();
    const settled = remediation("verified");
    scraped.counts([settled, { ...settled, corrected: true } as Finding]);
    expect(await scraped.series("aggwatch_remediations_total")).toContain(
      "bsc,enable_pair,verified 1",
    );
    const took = await scraped.samples("aggwatch_remediation_duration_seconds");
    const counts = took.filter(({ name }) => name.endsWith("_count"));
    expect(counts.map(({ value }) => value).filter((value) => value > 0)).toEqual([1]);
  });

  it("count what guards held back, by reason, once until the reason changes", async () => {
    const scraped = new Scraped(policy({ acting: { ...policy().acting, mode: "shadow" } }));
    scraped.tells({ type: "started" });
    for (let count = 0; count < 3; count += 1) {
      sees(scraped, "exchanges", [exchange("A", "disabled")]);
    }
    const suppressed = await scraped.series("aggwatch_remediations_suppressed_total");
    expect(suppressed).toContain("bsc,enable_exchange,shadow 1");
    expect(suppressed.filter((one) => !one.endsWith(" 0"))).toHaveLength(1);
  });

  it("count what the reading right before did not confirm, by why: one that failed shows nothing", async () => {
    const scraped = started();
    const entity = { aggregator: "bsc", kind: "exchange", id: "A" };
    const about = { alert: "", entity, action: "enable_exchange", detail: "" } as const;
    const whys = ["well", "failed", "late", "failed"] as const;
    scraped.counts(whys.map((why): Finding => ({ type: "unconfirmed", ...about, why })));
    const series = await scraped.series("aggwatch_remediations_unconfirmed_total");
    expect(series.filter((one) => one.includes("enable_exchange"))).toEqual([
      "bsc,enable_exchange,well 1",
      "bsc,enable_exchange,failed 2",
      "bsc,enable_exchange,late 1",
    ]);
  });

  it("begin what other settings make known, and go on with what there is", async () => {
    const scraped = started();
    sees(scraped, "exchanges", [exchange("A", "enabled")]);
    const [own] = scraped.policy.aggregators;
    const more = { ...scraped.policy, aggregators: own ? [own, { ...own, name: "eth" }] : [] };
    scraped.metrics.expect(more);
    const polls = await scraped.series("aggwatch_polls_total");
    expect(polls).toContain("bsc,exchanges,complete 1");
    expect(polls).toContain("eth,exchanges,complete 0");
    const counts = (await scraped.samples("aggwatch_poll_duration_seconds")).filter(
      ({ name, labels }) => name.endsWith("_count") && labels["poller"] === "exchanges",
    );
    expect(counts.map(({ labels, value }) => [labels["aggregator"], value])).toEqual([
      ["bsc", 1],
      ["eth", 0],
    ]);
  });

  it("say how the last reading of config and rules came out", async () => {
    const scraped = started();
    const read = async (name: string) => await scraped.series(`aggwatch_config_${name}`);
    expect(await read("last_reload_successful")).toEqual([" 1"]);
    scraped.reload = { successful: false, successAt: 1_500, hash: 2 ** 48 - 1 };
    expect(await read("last_reload_successful")).toEqual([" 0"]);
    expect(await read("last_reload_success_timestamp_seconds")).toEqual([" 1.5"]);
    expect(await read("hash")).toEqual([" 281474976710655"]);
  });

  it("read the scheduler's lost slots", async () => {
    const scraped = started();
    const counts = { started: 9, missed: 1, overlapped: 2, backedOff: 3, askedToWait: 4 };
    scraped.slots = [{ aggregator: "bsc", poller: "pools", counts }];
    const expected = [
      "bsc,pools,missed 1",
      "bsc,pools,overlapped 2",
      "bsc,pools,backed_off 3",
      "bsc,pools,asked_to_wait 4",
    ];
    expect(await scraped.series("aggwatch_poll_slots_lost_total")).toEqual(expected);
    expect(await scraped.series("aggwatch_poll_slots_lost_total")).toEqual(expected);
  });

  it("read how each aggregator is asked", async () => {
    const scraped = started();
    const unchanged = { sameBody: 5, notModified: 6 };
    scraped.clients = [{ aggregator: "bsc", pollLimit: 8, unchanged }];
    expect(await scraped.series("aggwatch_concurrency_limit")).toEqual(["bsc 8"]);
    const reads = ["bsc,same_body 5", "bsc,not_modified 6"];
    expect(await scraped.series("aggwatch_reads_unchanged_total")).toEqual(reads);
    expect(await scraped.series("aggwatch_reads_unchanged_total")).toEqual(reads);
    scraped.clients = null as never;
    expect(await scraped.series("aggwatch_reads_unchanged_total")).toEqual([]);
    expect(scraped.errors.at(-1)).toContain("aggwatch_concurrency_limit");
  });
});
