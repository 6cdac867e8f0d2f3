import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { HttpReply } from "../../../src/domain/http.ts";
import { fail, succeed, type Result } from "../../../src/domain/result.ts";
import { SECOND } from "../../../src/domain/time.ts";
import type { CreateSender } from "../../../src/io/http/http-send.ts";
import type { SendFailure } from "../../../src/io/http/send-failure.ts";
import { openJournal } from "../../../src/io/journal/journal.ts";
import { createGapDetector } from "../../../src/io/process/gap.ts";
import { createCleanup } from "../../../src/io/process/lifecycle.ts";
import { createDaemon, LONGEST_USUAL_GAP } from "../../../src/run/daemon.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import type { Lease } from "../../../src/run/replica/lease.ts";
import { endActions, shutdownGrace } from "../../../src/run/service/shutdown-grace.ts";
import { aggregatorSetup, EVERY_POLLER, watchdogSetup } from "../watchdog-setup.ts";

const directory = temporaryDirectory();
beforeEach(() => vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
afterEach(() => {
  vi.useRealTimers();
  directory.remove();
});

/** An exchange is disabled, and what is posted is never answered. */
function createAggregator(onPost: () => void): CreateSender {
  const bodyOf = ({ pathname }: URL): unknown =>
    pathname.endsWith("disabled") ? { exchanges: ["BINANCE"], pairs: [] } : [];
  return () => ({
    send: ({ method, url }, signal): Promise<Result<HttpReply, SendFailure>> => {
      if (method === "GET")
        return Promise.resolve(
          succeed({ status: 200, headers: {}, body: JSON.stringify(bodyOf(url)) }),
        );
      onPost();
      const cutOff = fail({ reason: "cancelled", message: "cut off", neverSent: false } as const);
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(cutOff));
      });
    },
    close: () => undefined,
  });
}

it("is no gap, if an action has no answer: the process runs while it waits for one", async () => {
  const pollers = EVERY_POLLER.filter(({ name }) => name === "exchanges");
  const aggregator = aggregatorSetup("http://aggregator.invalid", { pollers });
  const journal = openJournal(directory.path);
  if (!journal.ok) throw new Error(journal.problem);
  const types: string[] = [];
  const posted = vi.fn<() => void>();
  const daemon = createDaemon(watchdogSetup(directory.path, [aggregator]), undefined, {
    clock: { now: Date.now },
    gaps: createGapDetector(LONGEST_USUAL_GAP, { wall: Date.now, steady: Date.now }),
    random: () => 0.5,
    createSender: createAggregator(posted),
    fileExists: () => false,
    journal: journal.value,
    onStep: ({ type }) => void types.push(type),
  });
  const cleanup = createCleanup(() => undefined);
  daemon.begin(cleanup);
  await vi.advanceTimersByTimeAsync(2.5 * SECOND);
  expect(posted).toHaveBeenCalledOnce();
  const ended = cleanup.run();
  await vi.advanceTimersByTimeAsync(5 * SECOND);
  await ended;
  await daemon.close();
  journal.value.close();
  expect(types.at(-1)).toBe("acted");
  expect(types).not.toContain("resumed");
});

it("is within the time that a shutdown may take, and short if another replica waits for the lease", () => {
  expect(shutdownGrace(undefined)).toEqual({ notificationsMs: SECOND, actionsMs: 3 * SECOND });
  expect(shutdownGrace({} as Lease)).toEqual({ notificationsMs: 200, actionsMs: 400 });
});

it.each([
  ["an answer that comes in time is waited for", 2_999, 2_999],
  ["an action without an answer is aborted", Infinity, 3_000],
])("ends when it must: %s", async (_, answeredAfterMs, abortedAfterMs) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (answeredAfterMs < Infinity) setTimeout(resolve, answeredAfterMs);
  const startedAt = Date.now();
  const abort = vi.fn(() => {
    expect(Date.now() - startedAt).toBe(abortedAfterMs);
    // What is aborted settles a little later.
    setTimeout(resolve, 10);
  });
  const noteRunning = vi.fn<() => void>();
  let isEnded = false;
  const gaps = { noteRunning } as unknown as Parameters<typeof endActions>[3];
  const ending = endActions({ settle: () => promise }, 3_000, abort, gaps).finally(() => {
    isEnded = true;
  });
  expect(noteRunning).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(abortedAfterMs - 1);
  expect(abort).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(abort).toHaveBeenCalledOnce();
  expect(isEnded).toBe(answeredAfterMs < Infinity);
  await vi.advanceTimersByTimeAsync(10);
  await ending;
  expect(noteRunning.mock.calls.length).toBeGreaterThanOrEqual(3);
  expect(vi.getTimerCount()).toBe(0);
});
