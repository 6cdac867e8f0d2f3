import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import { createReadings } from "../../../src/io/aggregator/readings.ts";
import { runPoll } from "../../../src/io/aggregator/poll-runner.ts";
import type { Client } from "../../../src/io/aggregator/client.ts";
import { createClient, DEFAULT_CLIENT_SETTINGS } from "../../../src/io/aggregator/client.ts";
import { pollOutcome } from "../../../src/domain/observation.ts";
import { DAY } from "../../../src/domain/time.ts";
import { exchangesPoller } from "../../../src/pollers/exchanges.ts";
import type { Poller } from "../../../src/pollers/poller.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../../src/pollers/status-words.ts";
import { poolsPoller } from "../../../src/pollers/pools.ts";
import { swapsPoller } from "../../../src/pollers/swaps.ts";
import type { Handler, LocalServer } from "../local-server.ts";
import { sendJson, startServer } from "../local-server.ts";

const nothing = NOTHING_WATCHED;
const open: Array<() => void | Promise<void>> = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function connect(handler: Handler): Promise<{ server: LocalServer; client: Client }> {
  const server = await startServer(handler, "/bsc-mainnet/backend");
  const profile = compileProfile({});
  if (!profile.ok) throw new Error("the default profile has problems");
  const client = createClient({
    settings: {
      ...DEFAULT_CLIENT_SETTINGS,
      baseUrl: server.baseUrl,
      retries: { limit: 0, firstDelayMs: 1, longestDelayMs: 1 },
    },
    profile: profile.value,
    clock: { now: () => Date.now() },
    random: () => 0.5,
  });
  open.push(server.close, client.close);
  return { server, client };
}

function poll(poller: Poller, client: Pick<Client, "read" | "readings">, watch = nothing) {
  return runPoll({
    aggregator: "local",
    poller,
    client,
    watch,
    statuses: DEFAULT_STATUSES,
    clock: { now: () => Date.now() },
    signal: new AbortController().signal,
    origin: "poll",
  });
}

function longPoll(read: Client["read"], startedAt: number, timeoutMs = 5_000, count = 200) {
  const senders = Array.from({ length: count }, (_, index) => ({ address: `0x${index}` }));
  return runPoll({
    aggregator: "local",
    poller: swapsPoller,
    client: { read, readings: createReadings() },
    watch: { ...nothing, senders },
    statuses: DEFAULT_STATUSES,
    clock: { now: () => startedAt },
    signal: new AbortController().signal,
    origin: "poll",
    timeoutMs,
    atOnce: 2,
  });
}

describe("a long poll", () => {
  test.each([
    { count: 200, everyMs: 30_000 },
    { count: 60, everyMs: 60_000 },
    { count: 20, everyMs: 30_000 },
  ])("of $count begins elsewhere each time, and reads all the same", async ({ count, everyMs }) => {
    const firsts: string[] = [];
    for (const startedAt of [0, everyMs, 2 * everyMs]) {
      const asked: string[] = [];
      const read = ((_name: string, args: Record<string, string>) => {
        asked.push(args["sender"] ?? "");
        return Promise.resolve({ ok: true, value: [] });
      }) as unknown as Client["read"];
      const { parts } = await longPoll(read, startedAt, 5_000, count);
      expect(new Set(parts.map(({ surface }) => surface)).size).toBe(count);
      firsts.push(asked[0] ?? "");
    }
    expect(new Set(firsts).size).toBe(3);
  });

  test("says of what it had no time for that it was not asked", async () => {
    const read = ((_name: string, _args: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((resolve) => {
        const failure = { reason: "timeout", message: "too slow" };
        signal.addEventListener("abort", () => resolve({ ok: false, problem: failure }));
      })) as unknown as Client["read"];
    const { parts } = await longPoll(read, 0, 20);
    expect(pollOutcome(parts)).toBe("failed");
    const messages = parts.map(({ reading }) => (reading.ok ? "" : reading.failure.message));
    expect(messages.filter((message) => message === "too slow")).toHaveLength(2);
    expect(messages).toContain("not asked: the poll has taken 20ms already");
  });
});

describe("a sweep that is slower than the configured rate", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** 200 senders, two at a time, by default in the time of 5 s; `answersIn` says how long each takes, counted from 0. */
  async function sweep(answersIn: (asked: number) => number | "never", timeoutMs = 5_000) {
    const from = performance.now();
    let asked = 0;
    const read = ((_name: string, _args: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((resolve) => {
        const takes = answersIn((asked += 1));
        const failure = { reason: "timeout", message: "too slow" };
        signal.addEventListener("abort", () => resolve({ ok: false, problem: failure }));
        if (takes !== "never") setTimeout(() => resolve({ ok: true, value: [] }), takes);
      })) as unknown as Client["read"];
    let endedAt = 0;
    const running = longPoll(read, 0, timeoutMs).finally(() => {
      endedAt = performance.now() - from;
    });
    await vi.advanceTimersByTimeAsync(120_000);
    const { parts } = await running;
    return { parts, endedAt, ok: parts.filter(({ reading }) => reading.ok).length };
  }

  test("is whole, as it goes on reading", async () => {
    const { parts, endedAt, ok } = await sweep(() => 250);
    expect([pollOutcome(parts), ok, endedAt]).toEqual(["complete", 200, 25_000]);
  });

  test("is whole too if it may take longer than a timer can wait", async () => {
    const { parts, endedAt, ok } = await sweep(() => 250, 93 * DAY);
    expect([pollOutcome(parts), ok, endedAt]).toEqual(["complete", 200, 25_000]);
  });

  test("is cut off if it stands still, and not before that", async () => {
    // It reads for ten seconds, and nothing more from then on.
    const { parts, endedAt, ok } = await sweep((asked) => (asked <= 80 ? 250 : "never"));
    expect([pollOutcome(parts), ok]).toEqual(["partial", 80]);
    expect(endedAt).toBeGreaterThanOrEqual(15_000);
    expect(endedAt).toBeLessThanOrEqual(16_000);
  });

  test("is cut off at its time if it reads so little that it would take more than ten times as long", async () => {
    const { endedAt, ok } = await sweep(() => 600);
    expect([ok, endedAt]).toEqual([16, 5_000]);
  });
});

describe("runPoll", () => {
  test("reads both listings of a real server, below the base URL's own path", async () => {
    const { server, client } = await connect(({ url }, response) => {
      if (url === "/bsc-mainnet/backend/api/v1/exchange/list")
        return sendJson(response, ["BINANCE"]);
      return sendJson(response, {
        exchanges: ["KUCOIN"],
        pairs: [{ exchange: "BINANCE", assetPair: "ORN-USDT" }],
      });
    });
    const observation = await poll(exchangesPoller, client);
    expect(pollOutcome(observation.parts)).toBe("complete");
    expect(server.seen.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
      "GET /bsc-mainnet/backend/api/v1/exchange/disabled",
      "GET /bsc-mainnet/backend/api/v1/exchange/list",
    ]);
    const reading = observation.parts[0]?.reading;
    expect(reading?.ok === true && reading.entities.map(({ kind, id }) => `${kind} ${id}`)).toEqual(
      ["exchange BINANCE", "exchange KUCOIN", "pair BINANCE/ORN-USDT"],
    );
  });

  test("makes a surface fail as a whole if one of its asks fails", async () => {
    const { client } = await connect(({ url }, response) => {
      if (url.endsWith("/list")) return sendJson(response, ["BINANCE"]);
      const error = { error: { code: 7, reason: "database is away" }, timestamp: "now" };
      return sendJson(response, error, 503);
    });
    const { parts } = await poll(exchangesPoller, client);
    expect(parts).toMatchObject([
      {
        surface: "all",
        reading: {
          ok: false,
          failure: {
            reason: "status",
            status: 503,
            endpoint: "disabled",
            message: "status 503: database is away (code 7)",
          },
        },
      },
    ]);
  });

  test("makes just the senders unknown that failed", async () => {
    const { client } = await connect(({ url }, response) =>
      url.includes("0xbb") ? sendJson(response, "no", 500) : sendJson(response, []),
    );
    const watch = { ...nothing, senders: [{ address: "0xAA" }, { address: "0xbb" }] };
    const { parts } = await poll(swapsPoller, client, watch);
    expect(pollOutcome(parts)).toBe("partial");
    expect(parts.map(({ surface, reading }) => [surface, reading.ok])).toEqual([
      ["0xaa", true],
      ["0xbb", false],
    ]);
  });

  describe("of watched ids that are answered with 404", () => {
    const watch = {
      ...nothing,
      senders: [{ address: "0xAA" }, { address: "0xbb", alias: "desk-b" }],
    };
    const readingOf = async (poller: Poller, isThere: (url: string) => boolean) => {
      const { client } = await connect(({ url }, response) =>
        isThere(url) ? sendJson(response, []) : sendJson(response, "none", 404),
      );
      return await poll(poller, client, watch);
    };

    test("takes one for a fact of that entity alone", async () => {
      const { parts } = await readingOf(swapsPoller, (url) => url.includes("0xAA"));
      expect(pollOutcome(parts)).toBe("complete");
      expect(parts.find(({ surface }) => surface === "0xbb")?.reading).toEqual({
        ok: true,
        complete: false,
        missing: true,
        entities: [
          {
            kind: "sender",
            id: "0xbb",
            facts: { address: "0xbb", alias: "desk-b", missing: true },
          },
        ],
      });
    });

    test("hints at the path if all are", async () => {
      const { parts } = await readingOf(swapsPoller, () => false);
      expect(pollOutcome(parts)).toBe("complete");
      const note =
        "every watched id is answered with 404: wire.activeSwaps.path or base_url may be wrong";
      expect(parts.map(({ reading }) => reading)).toMatchObject([{ note }, { note }]);
    });

    test("takes the 404 of a listing for a failure", async () => {
      const { parts } = await readingOf(poolsPoller, () => false);
      expect(pollOutcome(parts)).toBe("failed");
      expect(parts[0]?.reading).toMatchObject({ ok: false, failure: { status: 404 } });
    });
  });

  test("stamps a surface with the instant at which its first request left", async () => {
    let now = 1_000;
    const client: Pick<Client, "read" | "readings"> = {
      read: async (endpoint, _args, { onSent }) => {
        now += 500;
        onSent?.(now);
        await Promise.resolve();
        const value = endpoint === "exchanges" ? [] : { exchanges: [], pairs: [] };
        return { ok: true, value: value as never };
      },
      readings: createReadings(),
    };
    const observation = await runPoll({
      aggregator: "local",
      poller: exchangesPoller,
      client,
      watch: nothing,
      statuses: DEFAULT_STATUSES,
      clock: { now: () => now },
      signal: new AbortController().signal,
      origin: "probe",
    });
    expect(observation).toMatchObject({ origin: "probe", durationMs: 1_000 });
    expect(observation.parts[0]?.askedAt).toBe(1_500);
  });

  test("turns a bug in a poller into a failed surface, and throws nothing", async () => {
    const { client } = await connect((_seen, response) => sendJson(response, []));
    const broken: Poller = {
      ...poolsPoller,
      read: () => {
        throw new TypeError("oops");
      },
    };
    const { parts } = await poll(broken, client);
    expect(parts[0]?.reading).toMatchObject({ ok: false, failure: { reason: "internal" } });
    const planless: Poller = {
      ...poolsPoller,
      plan: () => {
        throw new TypeError("oops");
      },
    };
    const unplanned = await poll(planless, client);
    expect(pollOutcome(unplanned.parts)).toBe("failed");
  });

  test("gives up at its own deadline, which makes what is missing a failure", async () => {
    const { client } = await connect(() => undefined);
    const { parts } = await runPoll({
      aggregator: "local",
      poller: poolsPoller,
      client,
      watch: nothing,
      statuses: DEFAULT_STATUSES,
      clock: { now: () => Date.now() },
      signal: new AbortController().signal,
      origin: "poll",
      timeoutMs: 30,
    });
    const message = "no answer within the 30ms that the poll may take";
    expect(parts[0]?.reading).toEqual({ ok: false, failure: { reason: "timeout", message } });
  });

  test("asks for one surface alone if a probe names it", async () => {
    const { server, client } = await connect((_seen, response) => sendJson(response, []));
    const observation = await runPoll({
      aggregator: "local",
      poller: swapsPoller,
      client,
      watch: { ...nothing, senders: [{ address: "0xaa" }, { address: "0xbb" }] },
      statuses: DEFAULT_STATUSES,
      clock: { now: () => Date.now() },
      signal: new AbortController().signal,
      origin: "probe",
      only: new Set(["0xbb"]),
    });
    expect(observation.parts.map(({ surface }) => surface)).toEqual(["0xbb"]);
    expect(server.seen).toHaveLength(1);
  });

  test("leaves nothing on the signal of the shutdown, however many surfaces it reads", async () => {
    const { client } = await connect((_seen, response) => sendJson(response, []));
    const shutdown = new AbortController();
    const senders = Array.from({ length: 40 }, (_, index) => ({ address: `0x${index}` }));
    const { parts } = await runPoll({
      aggregator: "local",
      poller: swapsPoller,
      client,
      watch: { ...nothing, senders },
      statuses: DEFAULT_STATUSES,
      clock: { now: () => Date.now() },
      signal: shutdown.signal,
      origin: "poll",
    });
    expect(pollOutcome(parts)).toBe("complete");
    expect(getEventListeners(shutdown.signal, "abort")).toHaveLength(0);
  });
});
