import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Failure } from "../../../src/domain/http.ts";
import { fail } from "../../../src/domain/result.ts";
import { retryRead, type Retries } from "../../../src/io/http/read-retry.ts";

/** Tests src/io/http/read-retry.ts: when a read is tried again. */

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const TIMEOUT: Failure = { reason: "timeout", message: "" };
const RETRIES: Retries = { limit: 3, firstDelayMs: 1_000, longestDelayMs: 3_000 };

type Options = Parameters<typeof retryRead>[1];

/** The instants at which a read that always fails is tried, until it is given up. */
async function triedAt(
  options: Partial<Omit<Options, "clock" | "random">> = {},
  failure = TIMEOUT,
): Promise<{ readonly tries: readonly number[]; readonly endedAt: number }> {
  const tries: number[] = [];
  const attempt = async () => {
    tries.push(Date.now());
    return await Promise.resolve(fail(failure));
  };
  const reading = retryRead(attempt, {
    retries: RETRIES,
    signal: new AbortController().signal,
    clock: { now: () => Date.now() },
    random: () => 1,
    ...options,
  }).then(() => Date.now());
  await vi.runAllTimersAsync();
  return { tries, endedAt: await reading };
}

describe("a read that fails again and again", () => {
  it("is tried after waits that double up to the longest", async () => {
    expect(await triedAt()).toEqual({ tries: [0, 1_000, 3_000, 6_000], endedAt: 6_000 });
  });

  it("waits as long as the server asked for, and half of its own wait", async () => {
    const asked = { ...TIMEOUT, retryAfterMs: 10_000 };
    const retries = { ...RETRIES, limit: 1 };
    expect(await triedAt({ retries }, asked)).toMatchObject({ tries: [0, 10_500] });
  });

  it("is given up at once if the next try would come at its deadline or later", async () => {
    expect(await triedAt({ deadlineAt: 3_000 })).toEqual({ tries: [0, 1_000], endedAt: 1_000 });
    expect(await triedAt({ deadlineAt: 6_002 })).toMatchObject({ tries: [1_000, 2_000, 4_000] });
  });

  it("is given up as soon as it is aborted, though it waits", async () => {
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(), 1_500);
    expect(await triedAt({ signal: stopping.signal })).toEqual({
      tries: [0, 1_000],
      endedAt: 1_500,
    });
  });

  it("is not tried again if it may not be, except if it was held back and never sent", async () => {
    const mayRetry = () => false;
    expect(await triedAt({ mayRetry })).toMatchObject({ tries: [0] });
    const held = await triedAt({ mayRetry, wasHeld: () => true, deadlineAt: Date.now() + 1_700 });
    expect(held.tries.length).toBeGreaterThan(2);
  });

  it("is not tried again for a failure that stays, though its status is one that passes", async () => {
    const mismatch: Failure = { reason: "mismatch", status: 503, message: "" };
    expect(await triedAt({}, mismatch)).toMatchObject({ tries: [0] });
  });
});
