/** Tests src/run/inbox.ts, src/io/aggregator/sweep.ts: a process that is too slow for a while, on the virtual clock. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DAY, SECOND } from "../../src/domain/time.ts";
import type { SendFailure } from "../../src/io/http/send-failure.ts";
import type { HttpReply } from "../../src/domain/http.ts";
import { succeed, type Result } from "../../src/domain/result.ts";
import { openJournal } from "../../src/io/journal/journal.ts";
import { createCleanup } from "../../src/io/process/lifecycle.ts";
import { NOTHING_WATCHED } from "../../src/pollers/poller.ts";
import { createDaemon } from "../../src/run/daemon.ts";
import { rule } from "../core/fixtures.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { aggregatorSetup, EVERY_POLLER, watchdogSetup } from "./watchdog-setup.ts";

const START = Date.UTC(2026, 0, 1);
const SENDERS = 300;
const SWAPS_EACH = 8;
const PAIRS = 320;

const directory = temporaryDirectory();
beforeEach(() => vi.useFakeTimers({ now: START }));
afterEach(() => {
  vi.useRealTimers();
  directory.remove();
});

/** An aggregator that answers in five milliseconds, and whose swaps are others each time. */
function createAggregator() {
  let amount = 0;
  const bodyOf = (url: URL): unknown => {
    if (url.pathname.endsWith("exchange/list")) return ["BINANCE"];
    if (url.pathname.endsWith("exchange/disabled")) return { exchanges: [], pairs };
    const sender = url.searchParams.get("sender") ?? "";
    return Array.from({ length: SWAPS_EACH }, (_, index) => swapOf(sender, index, (amount += 1)));
  };
  const pairs = Array.from({ length: PAIRS }, (_, index) => ({
    exchange: "BINANCE",
    assetPair: `A${index}-USDT`,
  }));
  return () => ({
    send: ({ url }: { readonly url: URL }): Promise<Result<HttpReply, SendFailure>> =>
      new Promise((resolve) => {
        const reply = { status: 200, headers: {}, body: JSON.stringify(bodyOf(url)) };
        setTimeout(() => resolve(succeed(reply)), 5);
      }),
    close: () => undefined,
  });
}

function swapOf(sender: string, index: number, amount: number): unknown {
  const order = (asset: string) => ({
    secretHash: `0x${sender.slice(2)}${String(index).padStart(24, "0")}`,
    user: sender,
    sender: `0x${"ab".repeat(20)}`,
    asset,
    amount,
    expiration: START + DAY,
    used: false,
    sourceNetworkCode: "ETH",
    targetNetworkCode: "BSC",
    lockTransactionHash: `0x${"cd".repeat(32)}`,
  });
  const orders = { lockOrder: order("ETH"), redeemOrder: order("BNB") };
  return { sender, status: "ACTIVE", creationTime: START, ...orders };
}

/** Each slice takes so long. */
function slowSlice(costMs: () => number) {
  return {
    begin: () => undefined,
    isOver: () => true,
    next: () =>
      new Promise<void>((resolve) => {
        setTimeout(resolve, costMs());
      }),
  };
}

it("makes nothing unknown while it reads more slowly than its schedule asks, and ends with that", async () => {
  const every = (name: string, seconds: number) =>
    EVERY_POLLER.filter((own) => own.name === name).map((own) => ({
      ...own,
      schedule: `*/${seconds} * * * * *`,
      intervalMs: seconds * SECOND,
      staleAfterMs: 3 * seconds * SECOND,
    }));
  const senders = Array.from({ length: SENDERS }, (_, index) => {
    const address = `0x${index.toString(16).padStart(40, "0")}`;
    return { address, alias: address };
  });
  const aggregator = aggregatorSetup("http://aggregator.invalid", {
    pollers: [...every("exchanges", 10), ...every("swaps", 20)],
    watch: { ...NOTHING_WATCHED, senders },
  });
  const setup = watchdogSetup(directory.path, [aggregator], {
    rules: [rule({ alert: "PairDisabled", kind: "pair" })],
  });
  const journal = openJournal(directory.path);
  if (!journal.ok) throw new Error(journal.problem);
  let costMs = 1;
  const unknown: string[] = [];
  const failed: string[] = [];
  let handledAt = 0;
  const daemon = createDaemon(setup, undefined, {
    clock: { now: Date.now },
    random: () => 0.5,
    createSender: createAggregator(),
    fileExists: () => false,
    journal: journal.value,
    slice: slowSlice(() => costMs),
    onStep: (event, { findings }, at) => {
      if (event.type === "tick") handledAt = at;
      if (event.type === "observed")
        for (const { surface, reading } of event.observation.parts)
          if (!reading.ok) failed.push(`${surface}: ${reading.failure.message}`);
      for (const finding of findings)
        if (finding.type === "alert" && finding.change === "unknown")
          unknown.push(finding.alert.key);
    },
  });
  const cleanup = createCleanup(() => undefined);
  daemon.begin(cleanup);
  await vi.advanceTimersByTimeAsync(60 * SECOND);
  expect(daemon.loop.state().firing.size + daemon.loop.state().tables.alert.size).toBeGreaterThan(
    PAIRS,
  );
  // Handling a sweep takes several times its schedule now.
  costMs = 90;
  await vi.advanceTimersByTimeAsync(240 * SECOND);
  expect([...unknown, ...failed]).toEqual([]);
  costMs = 1;
  await vi.advanceTimersByTimeAsync(10 * SECOND);
  expect([...unknown, ...failed]).toEqual([]);
  expect(Date.now() - handledAt).toBeLessThanOrEqual(SECOND);
  await cleanup.run();
  await daemon.close();
  journal.value.close();
});
