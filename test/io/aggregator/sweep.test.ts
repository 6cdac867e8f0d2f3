import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sweep } from "../../../src/io/aggregator/sweep.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const after = <Value>(ms: number, value: Value): Promise<Value> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(value), ms);
  });
const { signal } = new AbortController();

describe("a sweep", () => {
  it("asks so many at once and no more, and all of them", async () => {
    let [running, most] = [0, 0];
    const done = sweep(
      range(100),
      async (item) => {
        running += 1;
        most = Math.max(most, running);
        await after(10, item);
        running -= 1;
        return item;
      },
      { atOnce: 7, paceMs: 0, signal },
    );
    await vi.runAllTimersAsync();
    expect((await done).toSorted((one, other) => one - other)).toEqual(range(100));
    expect(most).toBe(7);
  });

  it("spreads the starts, and does not make up for a wait in a burst", async () => {
    const starts: number[] = [];
    const from = performance.now();
    const done = sweep(
      range(20),
      (item) => {
        starts.push(performance.now() - from);
        // The first two hold all places for a second.
        return after(item < 2 ? 1_000 : 1, item);
      },
      { atOnce: 2, paceMs: 100, signal },
    );
    await vi.runAllTimersAsync();
    await done;
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    expect(starts.slice(0, 2)).toEqual([0, 100]);
    expect(gaps.filter((gap) => gap < 90)).toHaveLength(1);
    expect(starts.at(-1)).toBeGreaterThan(2_500);
  });

  it("tells every second what has come, so that one that is slow delays no other", async () => {
    const pieces: number[][] = [];
    const done = sweep(range(50), (item) => after(item === 3 ? 9_500 : 20, item), {
      atOnce: 10,
      paceMs: 0,
      signal,
      onPiece: async (piece) => void pieces.push([...piece]),
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(pieces).toEqual([expect.arrayContaining(range(50).filter((item) => item !== 3))]);
    await vi.advanceTimersByTimeAsync(8_600);
    expect(await done).toEqual([3]);
    expect(pieces).toHaveLength(1);
  });

  it("begins no more while a piece of a second before is not taken, and gives none before that", async () => {
    const pieces: number[] = [];
    const begun: number[] = [];
    const taken: Array<() => void> = [];
    const done = sweep(
      range(100),
      (item) => {
        begun.push(item);
        return after(100, item);
      },
      {
        atOnce: 1,
        paceMs: 0,
        signal,
        onPiece: (piece) =>
          new Promise((resolve) => {
            pieces.push(piece.length);
            taken.push(resolve);
          }),
      },
    );
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ pieces, begun: begun.length }).toEqual({ pieces: [9], begun: 20 });
    taken.shift()?.();
    await vi.advanceTimersByTimeAsync(1_000);
    expect({ pieces, begun: begun.length }).toEqual({ pieces: [9, 20], begun: 31 });
    for (let left = 10; left > 0; left -= 1) {
      taken.shift()?.();
      await vi.advanceTimersByTimeAsync(2_000);
    }
    expect(begun).toEqual(range(100));
    expect((await done).length + pieces.reduce((sum, one) => sum + one, 0)).toBe(100);
  });

  it("waits for no pace once it is to end", async () => {
    const ending = new AbortController();
    const done = sweep(range(1_000), (item) => Promise.resolve(item), {
      atOnce: 4,
      paceMs: 60_000,
      signal: ending.signal,
    });
    await vi.advanceTimersByTimeAsync(1_000);
    ending.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(await done).toHaveLength(1_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
