/** Tests src/io/aggregator: simulator. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ReadEndpoint } from "../../../src/aggregator/endpoints/index.ts";
import { READ_ENDPOINTS } from "../../../src/aggregator/endpoints/index.ts";
import type { Failure } from "../../../src/domain/http.ts";
import type { Result } from "../../../src/domain/result.ts";
import { pollOutcome } from "../../../src/domain/observation.ts";
import { runPoll } from "../../../src/io/aggregator/poll-runner.ts";
import type { RunningServer } from "../../../src/io/http/listen.ts";
import { startSimulatorServer } from "../../../src/io/http/simulator-server.ts";
import type { Client } from "../../../src/io/aggregator/client.ts";
import { pollers } from "../../../src/pollers/index.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../../src/pollers/status-words.ts";
import { DEFAULT_ACT_KEY } from "../../../src/simulator/routes/authority.ts";
import {
  DEFAULT_LIQUIDATIONS,
  DEFAULT_SENDERS,
} from "../../../src/simulator/model/default-world.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import { createSimulator } from "../../../src/simulator/simulator.ts";
import { never, clientTo } from "./client-fixture.ts";

/** The simulator was written from the documents alone, so that it cannot share our mistakes. */
const BASE_PATH = "/bsc-mainnet/backend";
let simulator: Simulator;
let server: RunningServer;
let client: Client;

beforeAll(async () => {
  const clock = { now: () => Date.now() };
  simulator = createSimulator({ seed: 1, clock, basePath: BASE_PATH });
  server = await startSimulatorServer({ simulator, host: "127.0.0.1", port: 0 });
  const act = {
    type: "header",
    name: DEFAULT_ACT_KEY.header,
    value: DEFAULT_ACT_KEY.value,
  } as const;
  client = clientTo(`${server.url}${BASE_PATH}`, { auth: { read: { type: "none" }, act } });
});

afterAll(async () => {
  client.close();
  await server.close();
});

const sender = DEFAULT_SENDERS[0];
const orderId = DEFAULT_LIQUIDATIONS[0];
const args: Readonly<Partial<Record<ReadEndpoint, Record<string, string>>>> = {
  ordersByStatus: { status: "NEW" },
  futuresByStatus: { status: "NEW" },
  orderHistory: { address: sender, limit: "5" },
  futuresHistory: { address: sender },
  liquidation: { orderId },
  exchangeInfo: { exchange: "BINANCE" },
  pairInfo: { pair: "ORN-USDT" },
  pairOnExchange: { pair: "ORN-USDT", exchange: "BINANCE" },
  poolReserves: { factory: "OrionV2", pair: "ORN-USDT" },
  estimations: { amount: "1.5", side: "BUY" },
  poolEstimation: { factory: "OrionV2", pair: "ORN-USDT", amount: "1.5", side: "BUY" },
  activeSwaps: { sender },
  swapHistory: { sender, limit: "3" },
};

/** An order and its owner can only be known from a listing. */
const fromListing: ReadonlySet<ReadEndpoint> = new Set(["order", "futuresOrder"]);

describe("the client and the simulator", () => {
  test.each(READ_ENDPOINTS.filter((name) => !fromListing.has(name)))(
    "agree on %s",
    async (name) => {
      const result: Result<unknown, Failure> = await client.read(name, args[name] ?? {}, {
        signal: never,
      });
      expect(result.ok ? "decoded" : result.problem.message).toBe("decoded");
    },
  );

  test.each(pollers)("agree on all that the poller $name reads", async (poller) => {
    const observation = await runPoll({
      aggregator: "simulated",
      poller,
      client,
      watch: {
        ...NOTHING_WATCHED,
        senders: DEFAULT_SENDERS.map((address) => ({ address })),
        liquidations: DEFAULT_LIQUIDATIONS.map((id) => ({ id })),
        orderStatuses: { spot: ["NEW", "FILLED"], futures: ["NEW"] },
      },
      statuses: DEFAULT_STATUSES,
      clock: { now: () => Date.now() },
      signal: never,
      origin: "poll",
    });
    expect(pollOutcome(observation.parts)).toBe("complete");
    const seen = observation.parts.flatMap(({ reading }) => (reading.ok ? reading.entities : []));
    expect(seen.length).toBeGreaterThan(0);
    for (const { kind } of seen) expect(kinds.has(kind)).toBe(true);
  });

  test("agree on the three actions, and on who may act", async () => {
    const exchanges = await client.read("exchanges", {}, { signal: never });
    const exchange = (exchanges.ok && exchanges.value[0]) || "none";
    const enable = { endpoint: "enableExchange", args: { exchange } } as const;
    const toggled = await fetch(`${server.url}${BASE_PATH}/api/v1/exchange/toggle/${exchange}`, {
      method: "DELETE",
      headers: { [DEFAULT_ACT_KEY.header]: DEFAULT_ACT_KEY.value },
    });
    expect(toggled.status).toBe(200);
    const disabled = await client.read("disabled", {}, { signal: never });
    expect(disabled.ok && disabled.value.exchanges).toContain(exchange);
    expect((await client.act(enable, { signal: never })).outcome).toBe("acknowledged");
    const after = await client.read("disabled", {}, { signal: never });
    expect(after.ok && after.value.exchanges).not.toContain(exchange);
    const cancel = { endpoint: "forceCancel", args: { orderId } } as const;
    expect((await client.act(cancel, { signal: never })).outcome).toBe("acknowledged");
    const stranger = clientTo(`${server.url}${BASE_PATH}`);
    const refused = await stranger.act(cancel, { signal: never });
    stranger.close();
    expect(refused.outcome).toBe("rejected");
    expect(refused.detail).toMatch(/status 40[13]: /);
  });
});
