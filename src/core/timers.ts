import type { Slices } from "../domain/slices.ts";
import type { Instant } from "../domain/time.ts";

/**
 * What is due when time has passed: a heap by instant, so that a tick costs what is due
 * and not what is watched. A key of a group has one timer at the most; setting it again replaces the old one.
 */
export type Timers = {
  readonly heap: Timer[];
  /** The timers that count, by group and key; what else is in the heap is left over. */
  readonly due: Map<string, TimerGroup>;
  /** How many those are. */
  count: number;
};

/** There may be a timer of each rule for each entity, so that they share the names of both. */
export type TimerGroup = { readonly name: string; readonly timers: Map<string, Timer> };

export type Timer = { readonly at: Instant; readonly group: TimerGroup; readonly key: string };

/** Some microseconds each. */
const TAKEN_A_SLICE = 256;

export function newTimers(): Timers {
  return { heap: [], due: new Map(), count: 0 };
}

export function setTimer(timers: Timers, name: string, key: string, at: Instant): void {
  const group = timers.due.get(name) ?? { name, timers: new Map<string, Timer>() };
  timers.due.set(name, group);
  const known = group.timers.get(key);
  if (known?.at === at) return;
  if (known === undefined) timers.count += 1;
  const timer = { at, group, key: known?.key ?? key };
  group.timers.set(timer.key, timer);
  push(timers.heap, timer);
  // Left-overs of timers that were set again must not pile up.
  if (timers.heap.length > 64 && timers.heap.length > 4 * timers.count) rebuild(timers);
}

export function clearTimer(timers: Timers, name: string, key: string): void {
  const group = timers.due.get(name);
  if (group?.timers.delete(key) !== true) return;
  timers.count -= 1;
  if (group.timers.size === 0) timers.due.delete(name);
}

/** The instant of the next one, and undefined if there is none. */
export function nextDue({ heap }: Timers): Instant | undefined {
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    if (isLive(first)) return first.at;
    removeFirst(heap);
  }
  return undefined;
}

/** Takes out those whose instant has come, in the order of their instants. Many may be due at once. */
export function* takeDue(timers: Timers, at: Instant): Slices<Timer[]> {
  const taken: Timer[] = [];
  for (let first = timers.heap[0]; first !== undefined && first.at <= at; first = timers.heap[0]) {
    removeFirst(timers.heap);
    if (!isLive(first)) continue;
    clearTimer(timers, first.group.name, first.key);
    taken.push(first);
    if (taken.length % TAKEN_A_SLICE === 0) yield;
  }
  return taken;
}

/** It is not a left-over of one that was set again, or cleared. */
function isLive(timer: Timer): boolean {
  return timer.group.timers.get(timer.key) === timer;
}

function rebuild({ heap, due }: Timers): void {
  const live = [...due.values()].flatMap(({ timers }) => [...timers.values()]);
  heap.length = 0;
  // In order, so that each finds its place at once.
  for (const timer of live.sort((one, other) => one.at - other.at)) push(heap, timer);
}

function push(heap: Timer[], timer: Timer): void {
  heap.push(timer);
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!isBefore(heap, child, parent)) break;
    swap(heap, child, parent);
    child = parent;
  }
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

/** By instant, then by group and key, so that the order never depends on how the heap came to be. */
function isBefore(heap: readonly Timer[], one: number, other: number): boolean {
  const first = heap[one];
  const second = heap[other];
  if (first === undefined || second === undefined) return false;
  if (first.at !== second.at) return first.at < second.at;
  if (first.group.name !== second.group.name) return first.group.name < second.group.name;
  return first.key < second.key;
}

function swap(heap: Timer[], one: number, other: number): void {
  const first = heap[one];
  const second = heap[other];
  if (first === undefined || second === undefined) return;
  heap[one] = second;
  heap[other] = first;
}
