import type { Instant } from "../domain/time.ts";

/**
 * What is due when time has passed: a heap by instant, so that a tick costs what is due
 * and not what is watched. A key has one timer at the most; setting it anew replaces the old one.
 */
export type Timers = {
  readonly heap: Timer[];
  /** The instant that counts for a key; heap entries of another instant are left-overs. */
  readonly due: Map<string, Instant>;
};

type Timer = { readonly at: Instant; readonly key: string };

export function newTimers(): Timers {
  return { heap: [], due: new Map() };
}

export function setTimer(timers: Timers, key: string, at: Instant): void {
  if (timers.due.get(key) === at) return;
  timers.due.set(key, at);
  const { heap } = timers;
  heap.push({ at, key });
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!isBefore(heap, child, parent)) break;
    swap(heap, child, parent);
    child = parent;
  }
  // Left-overs of timers that were set anew must not pile up.
  if (heap.length > 64 && heap.length > 4 * timers.due.size) rebuild(timers);
}

export function clearTimer(timers: Timers, key: string): void {
  timers.due.delete(key);
}

/** Takes out the keys whose instant has come, in the order of their instants. */
export function takeDue(timers: Timers, at: Instant): string[] {
  const keys: string[] = [];
  for (let first = timers.heap[0]; first !== undefined && first.at <= at; first = timers.heap[0]) {
    removeFirst(timers.heap);
    if (timers.due.get(first.key) !== first.at) continue;
    timers.due.delete(first.key);
    keys.push(first.key);
  }
  return keys;
}

function rebuild(timers: Timers): void {
  const live = [...timers.due].map(([key, at]): Timer => ({ at, key }));
  timers.heap.length = 0;
  timers.due.clear();
  // In order, so that each finds its place at once.
  for (const { key, at } of live.sort((one, other) => one.at - other.at)) setTimer(timers, key, at);
}

function removeFirst(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  for (let parent = 0; ;) {
    const left = 2 * parent + 1;
    const right = left + 1;
    let least = parent;
    if (left < heap.length && isBefore(heap, left, least)) least = left;
    if (right < heap.length && isBefore(heap, right, least)) least = right;
    if (least === parent) return;
    swap(heap, parent, least);
    parent = least;
  }
}

/** By instant, then by key, so that the order never depends on how the heap came to be. */
function isBefore(heap: readonly Timer[], one: number, other: number): boolean {
  const first = heap[one];
  const second = heap[other];
  if (first === undefined || second === undefined) return false;
  return first.at < second.at || (first.at === second.at && first.key < second.key);
}

function swap(heap: Timer[], one: number, other: number): void {
  const first = heap[one];
  const second = heap[other];
  if (first === undefined || second === undefined) return;
  heap[one] = second;
  heap[other] = first;
}
