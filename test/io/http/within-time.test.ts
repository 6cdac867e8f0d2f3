import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY } from "../../../src/domain/time.ts";
import { SendError } from "../../../src/io/http/send-failure.ts";
import { withinTime } from "../../../src/io/http/within-time.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A step that is under way, with what ends it. */
function step(connectMs = 1_000, controller = new AbortController()) {
  const ended = vi.fn();
  let resolve: (value: string) => void = () => undefined;
  let refuse: (why: string | Error) => void = () => undefined;
  const limits = { connectMs, signal: controller.signal, late: "too late" };
  const outcome = withinTime<string>(limits, (...given) => {
    [resolve, refuse] = given;
    return ended;
  }).catch((error: unknown) => error);
  const isIdle = (): boolean =>
    vi.getTimerCount() === 0 && getEventListeners(controller.signal, "abort").length === 0;
  return { outcome, ended, resolve, refuse, isIdle, abort: () => controller.abort() };
}

const notSent = (message: string) => new SendError({ reason: "connect", message, neverSent: true });

describe("a step of connecting", () => {
  it("gives its value, is not ended, and leaves nothing behind", async () => {
    const { outcome, resolve, ended, isIdle, abort } = step();
    resolve("value");
    expect(await outcome).toBe("value");
    expect(isIdle()).toBe(true);
    abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ended).not.toHaveBeenCalled();
  });

  it("is ended once it takes too long, and nothing was sent", async () => {
    const { outcome, ended, isIdle } = step();
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toEqual(notSent("too late"));
    expect(ended).toHaveBeenCalledOnce();
    expect(isIdle()).toBe(true);
  });

  it("may take longer than a timer can wait", async () => {
    const { outcome, resolve } = step(60 * DAY);
    await vi.advanceTimersByTimeAsync(DAY);
    resolve("value");
    expect(await outcome).toBe("value");
  });

  it("is ended if it fails, with its own error or with a text of ours", async () => {
    const error = new Error("ECONNREFUSED");
    for (const [why, rejection] of [
      [error, error],
      ["the proxy refuses", notSent("the proxy refuses")],
    ] as const) {
      const { outcome, refuse, ended, isIdle } = step();
      refuse(why);
      expect(await outcome).toEqual(rejection);
      expect(ended).toHaveBeenCalledOnce();
      expect(isIdle()).toBe(true);
    }
  });

  it("is ended if it is given up, also before it began", async () => {
    const later = step();
    later.abort();
    const aborted = new AbortController();
    aborted.abort();
    for (const { outcome, ended, isIdle } of [later, step(1_000, aborted)]) {
      expect(await outcome).toEqual(notSent("given up while connecting"));
      expect(ended).toHaveBeenCalledOnce();
      expect(isIdle()).toBe(true);
    }
  });
});
