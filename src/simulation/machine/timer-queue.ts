import type { Instant, Millis } from "../../domain/time.ts";
import type { Machine } from "./machines.ts";

export type Timer = {
  at: Instant;
  readonly sequence: number;
  readonly run: () => void;
  readonly owner: Owner;
  ended: boolean;
};

/** What ends its timers with itself; undefined if nothing does. */
export type Owner = Machine | "process" | undefined;

/** Soonest first; at equal times, in the order of adding. A binary heap. */
export function createQueue() {
  let heap: Timer[] = [];
  const isBefore = (one: Timer, other: Timer): boolean =>
    one.at < other.at || (one.at === other.at && one.sequence < other.sequence);
  const at = (index: number): Timer => heap[index] as Timer;
  const swap = (one: number, other: number): void => {
    [heap[one], heap[other]] = [at(other), at(one)];
  };
  function push(timer: Timer): void {
    heap.push(timer);
    let index = heap.length - 1;
    for (let parent = (index - 1) >> 1; index > 0; parent = (index - 1) >> 1) {
      if (!isBefore(at(index), at(parent))) return;
      swap(index, parent);
      index = parent;
    }
  }
  function take(): void {
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    heap[0] = last;
    for (let index = 0; ;) {
      let least = 2 * index + 1;
      if (least + 1 < heap.length && isBefore(at(least + 1), at(least))) least += 1;
      if (least >= heap.length || !isBefore(at(least), at(index))) return;
      swap(index, least);
      index = least;
    }
  }
  return {
    push,
    /** The next that is due by then and was not ended. */
    pop: (end: Instant): Timer | undefined => {
      for (let next = heap[0]; next !== undefined && next.at <= end; next = heap[0]) {
        take();
        if (!next.ended) return next;
      }
      return undefined;
    },
    delayOf: (owner: Owner, length: Millis) => {
      const all = heap;
      heap = [];
      for (const timer of all) {
        if (timer.owner === owner) timer.at += length;
        push(timer);
      }
    },
    dropOf: (owner: Owner) => {
      const kept = heap.filter((timer) => timer.owner !== owner);
      heap = [];
      for (const timer of kept) push(timer);
    },
  };
}
