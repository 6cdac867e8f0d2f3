/** Tests src/io/aggregator: unchanged polls. */
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { actionsByName } from "../../../src/actions/index.ts";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import { compileRules } from "../../../src/config/rules/rules.ts";
import { emptyState } from "../../../src/core/state.ts";
import { step } from "../../../src/core/step.ts";
import { entityKey, type Facts } from "../../../src/domain/entity.ts";
import type { Observation } from "../../../src/domain/observation.ts";
import { succeed } from "../../../src/domain/result.ts";
import type { Event, Policy, StepResult } from "../../../src/domain/step.ts";
import { MINUTE, SECOND, type Clock, type Instant } from "../../../src/domain/time.ts";
import { readRuleFiles } from "../../../src/io/process/files.ts";
import type { CreateSender } from "../../../src/io/http/http-send.ts";
import { runPoll } from "../../../src/io/aggregator/poll-runner.ts";
import { createClient, type Client } from "../../../src/io/aggregator/client.ts";
import { pollers } from "../../../src/pollers/index.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { NOTHING_WATCHED, type Poller, type WatchList } from "../../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../../src/pollers/status-words.ts";
import {
  DEFAULT_LIQUIDATIONS,
  DEFAULT_SENDERS,
} from "../../../src/simulator/model/default-world.ts";
import { createSimulator, type Simulator } from "../../../src/simulator/simulator.ts";
import { AGGREGATOR, policyOf } from "../../core/fixtures.ts";
import { never, TEST_SETTINGS } from "./client-fixture.ts";

/**
 * Two watchdogs look at two aggregators that are alike and give ETags. One remembers what was answered
 * before, the other never does. Whatever happens, they see, know and conclude the same.
 */

type Happening =
  | { readonly does: "command"; readonly command: object }
  | { readonly does: "time"; readonly length: number }
  | { readonly does: "probe"; readonly poller: number };

const BROKER = "0x1b0a3c5e7d9f1b3d5f7a9c1e3d5b7f9a1c3e5d70";

const commands: fc.Arbitrary<object> = fc.oneof(
  fc
    .record({
      do: fc.constantFrom("disable_exchange", "enable_exchange"),
      exchange: fc.constantFrom("BINANCE", "CURVE"),
    })
    .map((command): object => command),
  fc.constantFrom<object>(
    { do: "disable_pair", exchange: "OKX", pair: "BTC-USDT" },
    { do: "drain_pool", factory: "OrionV2", pair: "ORN-USDT", ratio: 0.9 },
    { do: "set_pool", factory: "Curve", pair: "USDC-USDT", base: 1_000_000, quote: 9_000_000 },
    { do: "start_swap", sender: DEFAULT_SENDERS[0], amount: 2 },
    { do: "settle_swap", sender: DEFAULT_SENDERS[0] },
    { do: "set_balance", broker: BROKER, asset: "BNB", amount: 1 },
    { do: "freeze_order", id: DEFAULT_LIQUIDATIONS[0] },
    { do: "set_fault", endpoint: "all", fault: { kind: "status", status: 503 }, times: 3 },
    { do: "set_fault", endpoint: "reserves", fault: { kind: "empty" }, times: 4 },
    { do: "set_fault", endpoint: "estimations", fault: { kind: "stale" } },
    { do: "set_fault", endpoint: "all", fault: { kind: "stale" } },
    { do: "set_fault", endpoint: "pairs", fault: { kind: "truncated" }, times: 2 },
    { do: "clear_faults" },
  ),
);

const happenings: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: commands.map((command) => ({ does: "command", command }) as const) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(0, SECOND, 15 * SECOND, MINUTE, 6 * MINUTE)
      .map((length) => ({ does: "time", length }) as const),
  },
  {
    weight: 1,
    arbitrary: fc.nat(pollers.length - 1).map((poller) => ({ does: "probe", poller }) as const),
  },
);

const EVERYTHING: WatchList = {
  ...NOTHING_WATCHED,
  senders: DEFAULT_SENDERS.map((address) => ({ address })),
  liquidations: DEFAULT_LIQUIDATIONS.map((id) => ({ id })),
  orderStatuses: { spot: ["NEW", "FILLED"], futures: ["NEW"] },
};
const ONE_BY_ONE: WatchList = {
  ...EVERYTHING,
  pools: [
    { factory: "OrionV2", pair: "ORN-USDT" },
    { factory: "Curve", pair: "USDC-USDT" },
  ],
  markets: [{ pair: "ORN-USDT" }, { exchange: "BINANCE" }, { pair: "BTC-USDT", exchange: "OKX" }],
};

/** Nothing lies between the two: each request is answered where it is sent. */
function senderTo(simulator: Simulator): CreateSender {
  return () => ({
    send: ({ method, url, headers, body }) => {
      const query = Object.fromEntries(url.searchParams);
      const path = url.pathname;
      const reply = simulator.handle({ method, path, query, headers, body: body ?? "" });
      if (reply.outcome !== "answered") throw new Error("each request is answered here");
      return Promise.resolve(succeed(reply));
    },
    close: () => undefined,
  });
}

const profile = compileProfile({});
const ruleFiles = readRuleFiles(join(import.meta.dirname, "../../../rules"));

/** Compiled once, as a daemon does, for some fifty watchdogs. */
const rules = compileRules({
  files: ruleFiles.ok ? ruleFiles.value : [],
  kinds,
  actions: actionsByName,
});

function policyFor(watch: WatchList): Policy {
  if (!ruleFiles.ok) throw new Error(ruleFiles.problem);
  if (!rules.ok) throw new Error(JSON.stringify(rules.problem));
  const own = pollers.map(({ name, plan }) => ({
    name,
    intervalMs: 15 * SECOND,
    staleAfterMs: MINUTE,
    surfaces: new Set(plan(watch).map((surface) => surface.name)),
  }));
  return { ...policyOf(rules.value), aggregators: [{ name: AGGREGATOR, pollers: own }] };
}

class Watchdog {
  readonly simulator: Simulator;
  readonly state = emptyState();
  readonly results: StepResult[] = [];
  private readonly clock: Clock;
  private readonly watch: WatchList;
  private readonly policy: Policy;
  /** Undefined: each poll has a client of its own, which knows nothing of the polls before. */
  private readonly kept: Client | undefined;

  constructor(clock: Clock, watch: WatchList, remembers: boolean) {
    const scenario = { name: "calm", world: { background: false }, steps: [] };
    this.simulator = createSimulator({ seed: 1, clock, etags: true, scenario });
    this.clock = clock;
    this.watch = watch;
    this.policy = policyFor(watch);
    this.kept = remembers ? this.connect() : undefined;
    this.tell({ type: "started" });
  }

  tell(event: Event): void {
    this.results.push(step(this.policy, this.state, event, this.clock.now()));
  }

  async poll(poller: Poller, origin: "poll" | "probe"): Promise<Observation> {
    const { watch, clock } = this;
    const client = this.kept ?? this.connect();
    const asking = { client, watch, clock, statuses: DEFAULT_STATUSES, signal: never, origin };
    // One after the other, so that both aggregators hear the same in the same order.
    const observation = await runPoll({
      aggregator: AGGREGATOR,
      poller,
      atOnce: 1,
      ...asking,
    });
    if (this.kept === undefined) client.close();
    this.tell({ type: "observed", observation });
    return observation;
  }

  /** Reads that were the same as before. */
  spared(): number {
    const { sameBody = 0, notModified = 0 } = this.kept?.unchanged() ?? {};
    return sameBody + notModified;
  }

  facts(kind: string, id: string): Facts | undefined {
    return this.state.tables.entity.get(entityKey({ aggregator: AGGREGATOR, kind, id }))?.facts;
  }

  all(kind: string): Facts[] {
    const entities = [...this.state.tables.entity.values()];
    return entities.filter((entity) => entity.kind === kind).map(({ facts }) => facts);
  }

  close(): void {
    this.kept?.close();
  }

  private connect(): Client {
    if (!profile.ok) throw new Error("the default profile does not compile");
    return createClient({
      settings: {
        ...TEST_SETTINGS,
        maxBodyBytes: 1_000_000,
        baseUrl: "http://127.0.0.1",
        rate: { requestsPerSecond: 1_000_000, concurrency: 1 },
        // A client that knows nothing of the polls before knows no pause either.
        longestPauseMs: 0,
      },
      profile: profile.value,
      clock: this.clock,
      random: () => 0.5,
      createSender: senderTo(this.simulator),
    });
  }
}

test("whatever is unchanged is seen, known and concluded as if it had been read again", async () => {
  let spared = 0;
  const run = async (watch: WatchList, story: readonly Happening[]): Promise<void> => {
    let now: Instant = Date.UTC(2026, 0, 1);
    const clock = { now: () => now };
    const one = new Watchdog(clock, watch, true);
    const other = new Watchdog(clock, watch, false);
    const bothPoll = async (poller: Poller, origin: "poll" | "probe"): Promise<void> => {
      const seen = await one.poll(poller, origin);
      expect(seen).toEqual(await other.poll(poller, origin));
    };
    for (const happening of story) {
      if (happening.does === "time") {
        now += happening.length;
        for (const poller of pollers) await bothPoll(poller, "poll");
      } else if (happening.does === "probe") {
        const poller = pollers[happening.poller];
        if (poller !== undefined) await bothPoll(poller, "probe");
      } else {
        const { command } = happening;
        expect(one.simulator.control(command)).toEqual(other.simulator.control(command));
      }
      for (const watchdog of [one, other]) watchdog.tell({ type: "tick" });
      expect(one.results.at(-1)).toEqual(other.results.at(-1));
      // What has been applied only spares work, and here it spares some to one of them alone.
      expect({ ...one.state, applied: undefined }).toEqual({ ...other.state, applied: undefined });
    }
    expect(one.results).toEqual(other.results);
    spared += one.spared();
    one.close();
  };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(EVERYTHING, ONE_BY_ONE),
      fc.array(happenings, { minLength: 5, maxLength: 25 }),
      run,
    ),
    { numRuns: 25 },
  );
  expect(spared).toBeGreaterThan(500);
});

describe("what follows from two readings, of which one is unchanged", () => {
  const pool = { factory: "OrionV2", pair: "ORN-USDT" };
  const stale = (endpoint: string) => ({ do: "set_fault", endpoint, fault: { kind: "stale" } });

  async function watching() {
    let now: Instant = Date.UTC(2026, 0, 1);
    const watchdog = new Watchdog({ now: () => now }, EVERYTHING, true);
    onTestFinished(() => watchdog.close());
    const pollAll = async (): Promise<void> => {
      now += 15 * SECOND;
      for (const poller of pollers) await watchdog.poll(poller, "poll");
    };
    for (let poll = 0; poll < 4; poll += 1) await pollAll();
    expect(watchdog.spared()).toBeGreaterThan(3 * pollers.length);
    const control = (command: object): void =>
      expect(watchdog.simulator.control(command)).toMatchObject({ ok: true });
    return { watchdog, pollAll, control };
  }

  test.each(["estimations", "reserves"])("is held against each other (%s)", async (unchanged) => {
    const { watchdog, pollAll, control } = await watching();
    const departure = () => watchdog.facts("pool", "OrionV2/ORN-USDT")?.["estimate_departure"];
    const usual = Number(departure());
    expect(usual).toBeLessThan(0.02);
    control(stale(unchanged));
    control({ do: "set_pool", ...pool, quote: 325_000 });
    const before = watchdog.spared();
    await pollAll();
    await pollAll();
    expect(watchdog.spared()).toBeGreaterThan(before);
    expect(Number(departure())).toBeGreaterThan(0.4);
  });

  test("brokers' balances stay, and what is in flight of them grows", async () => {
    const { watchdog, pollAll, control } = await watching();
    const inFlight = (): number =>
      watchdog
        .all("broker_asset")
        .reduce((sum, facts) => sum + Number(facts["in_flight_swaps"] ?? 0), 0);
    control(stale("brokerBalances"));
    const known = inFlight();
    control({ do: "start_swap", sender: DEFAULT_SENDERS[0], amount: 2, stuck: true });
    await pollAll();
    await pollAll();
    expect(inFlight()).toBe(known + 1);
  });

  test("how long swaps take is told once for each, however often the same is read", async () => {
    const { watchdog, pollAll, control } = await watching();
    control({
      do: "start_swap",
      sender: DEFAULT_SENDERS[0],
      source_network: "ETH",
      amount: 0.1,
      stuck: true,
    });
    for (let poll = 0; poll < 3; poll += 1) await pollAll();
    control({ do: "settle_swap", sender: DEFAULT_SENDERS[0] });
    for (let poll = 0; poll < 3; poll += 1) await pollAll();
    const took = watchdog.results.flatMap(({ findings }) =>
      findings.flatMap((finding) => (finding.type === "took" ? [finding.tookMs] : [])),
    );
    // It is seen settled a whole round after the last in which it was active.
    expect(took).toEqual([60 * SECOND]);
    expect(watchdog.facts("swap_route", "ETH")).toMatchObject({ finished: 1, p50: 60 });
  });

  test("a listing that is empty is believed at the second reading, though its bytes are the same", async () => {
    const { watchdog, pollAll, control } = await watching();
    const status = () => watchdog.facts("exchange", "BINANCE")?.["status"];
    expect(status()).toBe("enabled");
    control({ do: "set_fault", endpoint: "exchanges", fault: { kind: "empty" } });
    await pollAll();
    expect(status()).toBe("enabled");
    await pollAll();
    expect(status()).toBe("missing");
  });
});
