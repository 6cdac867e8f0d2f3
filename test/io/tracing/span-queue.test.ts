import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSpanQueue, MOST_WAITING } from "../../../src/io/tracing/span-queue.ts";

const SPAN = {} as ReadableSpan;

type Done = Parameters<SpanExporter["export"]>[1];

/** An exporter whose answers are given by hand. */
function exporter() {
  const asked: Array<{ readonly count: number; readonly done: Done }> = [];
  const own: SpanExporter = {
    export: (spans, done) => void asked.push({ count: spans.length, done }),
    shutdown: () => Promise.resolve(),
  };
  return { own, asked };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("spans that wait", () => {
  it("are sent every two seconds, one batch at a time", async () => {
    const { own, asked } = exporter();
    const queue = createSpanQueue(own);
    queue.onEnd(SPAN);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    queue.onEnd(SPAN);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toHaveLength(1);
    asked[0]?.done({ code: 0 });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked).toHaveLength(2);
    expect(queue.reading()).toEqual({ exported: 1, dropped: 0 });
  });

  it("are said once to be lost, with the reason, and once to be taken again", async () => {
    const { own, asked } = exporter();
    const said: Array<string | undefined> = [];
    const queue = createSpanQueue(own, (problem) => said.push(problem));
    for (const error of [undefined, new Error("refused"), new Error("refused"), undefined]) {
      queue.onEnd(SPAN);
      await vi.advanceTimersByTimeAsync(2_000);
      asked.at(-1)?.done(error === undefined ? { code: 0 } : { code: 1, error });
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(said).toEqual(["refused", undefined]);
  });

  it("are bounded, and what has no room or is not taken is counted", async () => {
    const { own, asked } = exporter();
    const queue = createSpanQueue(own);
    // The first batch is on its way forever.
    for (let span = 0; span < 512 + MOST_WAITING + 7; span += 1) queue.onEnd(SPAN);
    expect(asked.map(({ count }) => count)).toEqual([512]);
    expect(queue.reading()).toEqual({ exported: 0, dropped: 7 });
    asked[0]?.done({ code: 1 });
    await vi.advanceTimersByTimeAsync(0);
    expect(queue.reading()).toEqual({ exported: 0, dropped: 519 });
    expect(asked).toHaveLength(2);
  });

  it("hold up no end: what cannot be sent in half a second is dropped", async () => {
    const { own } = exporter();
    const queue = createSpanQueue({ ...own, shutdown: () => new Promise(() => undefined) });
    queue.onEnd(SPAN);
    queue.onEnd(SPAN);
    const ended = vi.fn<() => void>();
    void queue.shutdown().then(ended);
    await vi.advanceTimersByTimeAsync(500);
    expect(ended).toHaveBeenCalledOnce();
    // They are with the exporter, which never answered.
    expect(queue.reading()).toEqual({ exported: 0, dropped: 0 });
  });

  it("are dropped if the exporter throws", async () => {
    const own: SpanExporter = {
      export: () => {
        throw new Error("a bug of the library");
      },
      shutdown: () => Promise.resolve(),
    };
    const queue = createSpanQueue(own);
    queue.onEnd(SPAN);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(queue.reading()).toEqual({ exported: 0, dropped: 1 });
    await queue.shutdown();
  });
});
