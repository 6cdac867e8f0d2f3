/** Tests src/io/metrics: acting. */
import { describe, expect, it } from "vitest";
import type { Command } from "../../../src/domain/step.ts";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { countLoopDelay } from "../../../src/io/metrics/loop-delay.ts";
import { exchange, policyOf, repair, rule } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import { parseExposition } from "./exposition.ts";
import { Scraped } from "./scrape.ts";

function started(): Scraped {
  const act = repair({
    budget: { max: 2, perMs: 60 * MINUTE },
    storm: { max: 1, maxRatio: 0.5, withinMs: 0 },
  });
  return new Scraped(policyOf([rule({ act })])).tells({ type: "started" });
}

function says(scraped: Scraped, command: Command): Scraped {
  return scraped.tells({ type: "command", by: "alice", reason: "test", command });
}

function sees(scraped: Scraped, ...names: readonly string[]): Scraped {
  return reads(scraped, "poll", names);
}

function reads(scraped: Scraped, origin: "poll" | "probe", names: readonly string[]): Scraped {
  const listed = ["A", "B", "C", "D"].map((name) =>
    exchange(name, names.includes(name) ? "disabled" : "enabled"),
  );
  return scraped.tells(observed("exchanges", [partOf("all", scraped.now, listed)], origin));
}

describe("what allows and stops actions", () => {
  it("shows what is left of every budget, as actions are sent and as the window moves on", async () => {
    const scraped = sees(started(), "A");
    const [ruleBefore] = await budgets(scraped, "rule");
    expect(ruleBefore).toBe("rule,ExchangeDisabled,bsc 2");
    scraped.now += SECOND;
    reads(scraped, "probe", ["A"]);
    expect(scraped.state.ledger).toHaveLength(1);
    expect(await budgets(scraped, "rule")).toEqual(["rule,ExchangeDisabled,bsc 1"]);
    const [global = ""] = await budgets(scraped, "global");
    expect(global).toBe(`global,, ${scraped.policy.acting.budget.max - 1}`);
    scraped.now += 61 * MINUTE;
    scraped.tells({ type: "tick" });
    expect(await budgets(scraped, "rule")).toEqual(["rule,ExchangeDisabled,bsc 2"]);
  });

  it("shows a storm, then its ramp, then neither", async () => {
    const scraped = sees(started());
    const read = async (): Promise<string[]> => [
      ...(await scraped.series("aggwatch_storms")),
      ...(await scraped.series("aggwatch_storms_ramping")),
    ];
    const calm = ["bsc,ExchangeDisabled 0", "bsc,ExchangeDisabled 0", "*,* 0"];
    expect(await read()).toEqual(calm);
    sees(scraped, "A", "B", "C");
    expect(await read()).toEqual(["bsc,ExchangeDisabled 1", "bsc,ExchangeDisabled 0", "*,* 0"]);
    sees(scraped);
    expect(await read()).toEqual(["bsc,ExchangeDisabled 0", "bsc,ExchangeDisabled 1", "*,* 0"]);
    scraped.now += 60 * MINUTE;
    scraped.tells({ type: "tick" });
    expect(await read()).toEqual(calm);
  });

  it("counts holds by what they cover, says when the next one ends, and then that there is none", async () => {
    const scraped = started();
    const expiry = async (): Promise<string[]> =>
      await scraped.series("aggwatch_hold_next_expiry_timestamp_seconds");
    expect(await expiry()).toEqual([]);
    const until = scraped.now + 10 * MINUTE;
    const scopes = [
      { kind: "exchange", id: "A" },
      { kind: "exchange" },
      { rule: "ExchangeDisabled", aggregator: "bsc" },
      { aggregator: "bsc" },
      {},
      {},
    ];
    for (const [index, scope] of scopes.entries())
      says(scraped, { name: "hold", scope, until: until + index * SECOND });
    const ones = ["entity 1", "kind 1", "rule 1", "aggregator 1", "everything 2"];
    expect(await scraped.series("aggwatch_holds")).toEqual(ones);
    expect(await expiry()).toEqual([` ${until / SECOND}`]);
    says(scraped, { name: "silence", scope: {}, until });
    expect(await scraped.series("aggwatch_silences")).toEqual([" 1"]);
    scraped.now += 20 * MINUTE;
    scraped.tells({ type: "tick" });
    expect(await expiry()).toEqual([]);
    expect(await scraped.series("aggwatch_storms_ramping")).toContain("*,* 1");
    expect(await scraped.series("aggwatch_silences")).toEqual([" 0"]);
  });

  it("counts what is in quarantine by kind, never by name", async () => {
    const scraped = started();
    expect(await scraped.series("aggwatch_quarantined")).toEqual(["bsc,exchange 0"]);
    scraped.state.tables.quarantine.set("bsc/exchange/A/B", { since: 0, reason: "" });
    expect(await scraped.series("aggwatch_quarantined")).toEqual(["bsc,exchange 1"]);
  });

  it("counts no quarantine of an aggregator that has left the config", async () => {
    const scraped = started();
    scraped.state.tables.quarantine.set("eth/exchange/A", { since: 0, reason: "" });
    expect(await scraped.series("aggwatch_quarantined")).toEqual(["bsc,exchange 0"]);
  });

  it("says that a listing was cut", async () => {
    const scraped = started();
    const read = async (): Promise<string[]> => await scraped.series("aggwatch_listing_truncated");
    expect(await read()).toContain("bsc,exchanges 0");
    const part = { surface: "all", askedAt: scraped.now } as const;
    const reading = { ok: true, complete: false, entities: [] } as const;
    scraped.tells(observed("exchanges", [{ ...part, reading }]));
    expect(await read()).toContain("bsc,exchanges 1");
  });
});

async function budgets(scraped: Scraped, scope: string): Promise<string[]> {
  const all = await scraped.series("aggwatch_budget_remaining");
  return all.filter((one) => one.startsWith(`${scope},`));
}

describe("how long it takes", () => {
  it("to see that something is bad and fire, and to repair it", async () => {
    const base = policyOf([rule({ act: repair(), forMs: 5 * SECOND })]);
    const scraped = sees(new Scraped(base).tells({ type: "started" }), "A");
    scraped.now += 5 * SECOND;
    scraped.tells({ type: "tick" });
    const samples = await scraped.samples("aggwatch_detection_delay_seconds");
    expect(samples.find(({ name }) => name.endsWith("_count"))?.value).toBe(1);
    expect(samples.find(({ name }) => name.endsWith("_sum"))?.value).toBe(6);
    scraped.now += SECOND;
    reads(scraped, "probe", ["A"]);
    const [id = ""] = scraped.state.unsettled.values();
    scraped.tells({ type: "acted", remediation: id, reply: { outcome: "rejected", detail: "" } });
    const repairs = await scraped.samples("aggwatch_remediation_duration_seconds");
    const of = (suffix: string): number | undefined =>
      repairs.find(
        ({ name, labels }) =>
          name.endsWith(suffix) &&
          labels["outcome"] === "rejected" &&
          labels["action"] === "enable_exchange",
      )?.value;
    expect([of("_count"), of("_sum")]).toEqual([1, 1]);
  });

  it("to commit, and how often it came out", async () => {
    const scraped = started();
    scraped.counts([
      { type: "commit", tookMs: 2, isOk: true },
      { type: "commit", tookMs: 4, isOk: false },
      { type: "bug" },
      { type: "heartbeat", outcome: "withheld" },
    ]);
    expect(await scraped.series("aggwatch_journal_commits_total")).toEqual(["ok 1", "failed 1"]);
    const commits = await scraped.samples("aggwatch_journal_commit_duration_seconds");
    expect(commits.find(({ name }) => name.endsWith("_sum"))?.value).toBeCloseTo(0.006);
    expect(await scraped.series("aggwatch_bugs_total")).toEqual([" 1"]);
    expect(await scraped.series("aggwatch_heartbeats_total")).toEqual([
      "sent 0",
      "failed 0",
      "withheld 1",
    ]);
  });
});

describe("aggwatch itself", () => {
  it("shows its heartbeat, if there is one, and every reason why it is withheld", async () => {
    const scraped = started();
    const last = "aggwatch_heartbeat_last_success_timestamp_seconds";
    expect(await scraped.series(last)).toEqual([]);
    scraped.heartbeat = { reasons: ["poll_overdue"], lastSuccessAt: 1_500 };
    expect(await scraped.series(last)).toEqual([" 1.5"]);
    const withheld = await scraped.series("aggwatch_heartbeat_withheld");
    expect(withheld.filter((one) => one.endsWith(" 1"))).toEqual(["poll_overdue 1"]);
    expect(withheld).toHaveLength(6);
  });

  it("forgets what it counted of an aggregator that is not watched any more", async () => {
    const scraped = sees(started(), "A");
    const name = "aggwatch_polls_total";
    expect(await scraped.series(name)).toContain("bsc,exchanges,complete 1");
    const [own] = scraped.policy.aggregators;
    scraped.metrics.expect({
      ...scraped.policy,
      aggregators: own ? [{ ...own, name: "eth" }] : [],
    });
    const polls = await scraped.samples(name);
    expect(new Set(polls.map(({ labels }) => labels["aggregator"]))).toEqual(new Set(["eth"]));
    const durations = await scraped.samples("aggwatch_poll_duration_seconds");
    expect(new Set(durations.map(({ labels }) => labels["aggregator"]))).toEqual(new Set(["eth"]));
  });
});

describe("the event loop's delay", () => {
  /** Node's histogram, of milliseconds. */
  function monitorOf(recorded: number[]) {
    const sorted = (): number[] => recorded.toSorted((one, other) => one - other);
    return {
      get count() {
        return recorded.length;
      },
      get min() {
        return (sorted()[0] ?? 0) * 1e6;
      },
      get max() {
        return (sorted().at(-1) ?? 0) * 1e6;
      },
      get mean() {
        return (recorded.reduce((sum, one) => sum + one, 0) / recorded.length) * 1e6;
      },
      percentile: (share: number) =>
        (sorted()[Math.max(0, Math.floor((share / 100) * recorded.length + 0.5) - 1)] ?? 0) * 1e6,
      reset: () => void recorded.splice(0),
    };
  }

  it("is counted in buckets that only grow, whoever scrapes", () => {
    const recorded = [10, 10, 10.5, 13, 260, 4_000];
    const delay = countLoopDelay(monitorOf(recorded));
    const read = (): Map<string, number> => {
      const samples = parseExposition(delay.text("prometheus")).values().next().value?.samples;
      return new Map(samples?.map(({ name, labels, value }) => [labels["le"] ?? name, value]));
    };
    const first = read();
    expect(Object.fromEntries(first)).toMatchObject({
      "0.001": 3,
      "0.005": 4,
      "0.1": 4,
      "0.25": 5,
      "2.5": 5,
      "5": 6,
      "+Inf": 6,
    });
    expect(first.get("aggwatch_event_loop_delay_seconds_sum")).toBeCloseTo(4.2435);
    expect(read()).toEqual(first);
    recorded.push(10);
    expect(read().get("+Inf")).toBe(7);
  });
});
