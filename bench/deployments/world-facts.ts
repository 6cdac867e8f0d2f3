import { parse, stringify } from "yaml";
import type { WireProfile } from "../../src/aggregator/profile.ts";
import { aggregatorSetup, profileAt } from "../../src/cli/setup-of.ts";
import { loadAll } from "../../src/cli/load.ts";
import { FILE_READER } from "../../src/cli/reader.ts";
import type { SeenEntity } from "../../src/domain/entity.ts";
import { succeed } from "../../src/domain/result.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { createClient, type Client } from "../../src/io/aggregator/client.ts";
import { runPoll } from "../../src/io/aggregator/poll-runner.ts";
import { POLLER_NAMES, pollersByName } from "../../src/pollers/index.ts";
import { policyOf, type AggregatorSetup } from "../../src/run/setup.ts";
import type { Policy } from "../../src/domain/step.ts";
import type { Deployment } from "../../src/simulator/deployment/deployment.ts";
import { createSimulator, type Simulator } from "../../src/simulator/simulator.ts";
import { DEFAULT_LIQUIDATIONS, DEFAULT_SENDERS } from "../../src/simulator/model/default-world.ts";

/** One busy world, as any deployment says it, and what the pollers read of it. */

const START = Date.UTC(2026, 0, 1);
const OWN_ORDER = `0x${"ab".repeat(32)}`;
export const BASE_URL = "http://aggregator.invalid";

const TROUBLE = [
  { do: "disable_exchange", exchange: "KUCOIN" },
  { do: "disable_pair", exchange: "BINANCE", pair: "ORN-USDT" },
  { do: "disable_pair", exchange: "OKX", pair: "BTC-USDT" },
  {
    do: "add_order",
    type: "spot",
    id: OWN_ORDER,
    owner: DEFAULT_SENDERS[0],
    status: "ACCEPTED",
    stuck: true,
  },
  { do: "add_order", type: "futures", pair: "BTC-USDT", status: "NEW", stuck: true },
  ...DEFAULT_SENDERS.slice(0, 2).map((sender) => ({ do: "start_swap", sender, stuck: true })),
  { do: "start_swap", sender: DEFAULT_SENDERS[0], stuck: true },
];

/** Watches something of every kind. */
export const WATCHED = {
  watch: {
    senders: [...DEFAULT_SENDERS],
    liquidations: [...DEFAULT_LIQUIDATIONS],
    orders: [{ market: "spot", id: OWN_ORDER, owner: DEFAULT_SENDERS[0] }],
    order_statuses: { spot: ["ACCEPTED", "FAILED"], futures: ["NEW"] },
  },
  schedules: Object.fromEntries(POLLER_NAMES.map((name) => [name, "*/30 * * * * *"])),
};

/** Time stands still in it, so that it is the same each time it is asked. */
export function busyWorld(deployment?: Deployment): Simulator {
  let now = START;
  const clock = { now: () => now };
  const simulator = createSimulator({
    seed: 3,
    clock,
    ...(deployment === undefined ? {} : { deployment }),
  });
  now += 30 * MINUTE;
  for (const command of TROUBLE) {
    const outcome = simulator.control(command);
    if (!outcome.ok) throw new Error(outcome.problem);
  }
  return simulator;
}

/** A config's first aggregator, with everything watched, under the shipped rules. */
export function loadConfig(config: string): {
  readonly setup: AggregatorSetup;
  readonly profileAt: (apiPrefix: string) => WireProfile | undefined;
  readonly policy: Policy;
} {
  const { aggregators } = parse(config) as { readonly aggregators: readonly object[] };
  const text = stringify({ aggregators: [{ ...aggregators[0], ...WATCHED }] });
  const reader = { ...FILE_READER, readText: () => succeed(text) };
  const loaded = loadAll({ config: "aggwatch.yaml", env: {}, flags: {}, reader });
  if (!loaded.ok) throw new Error(loaded.problem);
  const { settings, rules } = loaded.value;
  const [aggregator] = settings.aggregators;
  if (aggregator === undefined) throw new Error("there is no aggregator");
  const setup = aggregatorSetup(aggregator);
  return {
    setup,
    profileAt: (apiPrefix) => profileAt(aggregator, apiPrefix),
    policy: policyOf({ aggregators: [setup], rules, settings }),
  };
}

export function clientOf(setup: AggregatorSetup, simulator: Simulator): Client {
  return createClient({
    settings: { ...setup.client, rate: { ...setup.client.rate, requestsPerSecond: 10_000 } },
    profile: setup.profile,
    clock: { now: () => Date.now() },
    random: () => 0.5,
    createSender: () => ({
      close: () => undefined,
      send: ({ method, url, headers, body = "" }) => {
        const query = Object.fromEntries(url.searchParams);
        const reply = simulator.handle({ method, path: url.pathname, query, headers, body });
        if (reply.outcome === "silent") throw new Error("the simulator was told to be silent");
        return Promise.resolve(succeed(reply));
      },
    }),
  });
}

export type WorldFacts = {
  /** Those of the surfaces that were read whole. */
  readonly entities: ReadonlyMap<string, SeenEntity["facts"]>;
  /** The other surfaces, and why: `pools all: more_elsewhere`. */
  readonly lacks: readonly string[];
};

/** Polls all that the setup watches, once. */
export async function readWorld(setup: AggregatorSetup, simulator: Simulator): Promise<WorldFacts> {
  const client = clientOf(setup, simulator);
  const entities = new Map<string, SeenEntity["facts"]>();
  const lacks: string[] = [];
  for (const { name } of setup.pollers) {
    const poller = pollersByName.get(name);
    if (poller === undefined) throw new Error(`there is no poller ${name}`);
    const { parts } = await runPoll({
      aggregator: "here",
      poller,
      client,
      watch: setup.watch,
      statuses: setup.statuses,
      clock: { now: () => Date.now() },
      signal: new AbortController().signal,
      origin: "poll",
    });
    for (const { surface, reading } of parts) {
      if (!reading.ok) lacks.push(`${name} ${surface}: ${reading.failure.message}`);
      else if (reading.doubt !== undefined)
        lacks.push(`${name} ${surface}: ${reading.doubt.reason}`);
      else for (const { kind, id, facts } of reading.entities) entities.set(`${kind} ${id}`, facts);
    }
  }
  client.close();
  return { entities, lacks };
}
