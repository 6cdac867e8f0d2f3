import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MINUTE } from "../../../src/domain/time.ts";
import { MOST_NAMED, refusedCallsLog } from "../../../src/run/service/refused-calls.ts";

function logOf() {
  const lines: unknown[] = [];
  const minutes: Array<() => void> = [];
  const refused = refusedCallsLog(
    { warn: (fields: unknown, msg: unknown) => void lines.push([msg, fields]) },
    (run) => void minutes.push(run),
  );
  return {
    refused,
    /** The lines since the last call. */
    lines: () => lines.splice(0),
    /** Lets a minute pass; gives whether one was waited for. */
    minute: (): boolean => {
      const due = minutes.splice(0);
      for (const run of due) run();
      expect(due.length).toBeLessThan(2);
      return due.length > 0;
    },
  };
}

const FIRST = "writing call refused";
const MORE = "more writing calls refused within a minute";

describe("the log of refused calls", () => {
  it("names each caller and reason at the first call, and counts the others once a minute", () => {
    const { refused, lines, minute } = logOf();
    for (let call = 0; call < 1_000; call += 1) refused("::1", "unknown token");
    refused("::1", "a bearer token is needed");
    refused("::2", "unknown token");
    expect(lines()).toEqual([
      [FIRST, { client: "::1", reason: "unknown token" }],
      [FIRST, { client: "::1", reason: "a bearer token is needed" }],
      [FIRST, { client: "::2", reason: "unknown token" }],
    ]);
    minute();
    const calls = [{ client: "::1", reason: "unknown token", count: 999 }];
    expect(lines()).toEqual([[MORE, { calls }]]);
    refused("::1", "unknown token");
    expect(lines()).toEqual([]);
    minute();
    expect(lines()).toEqual([[MORE, { calls: [{ ...calls[0], count: 1 }] }]]);
  });

  it("names a caller anew after a minute without a call, and waits for nothing then", () => {
    const { refused, lines, minute } = logOf();
    refused("::1", "unknown token");
    expect(minute()).toBe(true);
    expect(minute()).toBe(false);
    refused("::1", "unknown token");
    expect(lines()).toEqual([
      [FIRST, { client: "::1", reason: "unknown token" }],
      [FIRST, { client: "::1", reason: "unknown token" }],
    ]);
    expect(minute()).toBe(true);
  });

  it("counts together those that are beyond the number that it names, however many there are", () => {
    const { refused, lines, minute } = logOf();
    for (let client = 0; client < 5_000; client += 1) refused(`::${client}`, "unknown token");
    expect(lines()).toHaveLength(MOST_NAMED);
    minute();
    expect(lines()).toEqual([[MORE, { calls: [], others: 5_000 - MOST_NAMED }]]);
    expect(minute()).toBe(false);
    refused("::1", "unknown token");
    refused("::1", "unknown token");
    expect(lines()).toHaveLength(1);
    minute();
    const calls = [{ client: "::1", reason: "unknown token", count: 1 }];
    expect(lines()).toEqual([[MORE, { calls }]]);
  });

  it("counts after a real minute, which does not keep the process alive", () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => {
      for (const { value } of timers.mock.results) clearTimeout(value as NodeJS.Timeout);
      timers.mockRestore();
    });
    const warn = vi.fn();
    const refused = refusedCallsLog({ warn });
    for (let call = 0; call < 3; call += 1) refused("::1", "unknown token");
    const [[end, length] = [], ...others] = timers.mock.calls;
    expect([length, others]).toEqual([MINUTE, []]);
    const timer = timers.mock.results[0]?.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
    clearTimeout(timer);
    expect(warn).toHaveBeenCalledOnce();
    end?.();
    const calls = [{ client: "::1", reason: "unknown token", count: 2 }];
    expect(warn).toHaveBeenLastCalledWith({ calls }, MORE);
  });
});
