import type { Slices } from "../domain/slices.ts";
import type { Instant } from "../domain/time.ts";

/**
 * What is due when time has passed: a heap by instant for each group, so that a tick costs what is due and not what is
 * watched. A key of a group has one timer at the most; setting it again replaces the old one.
 */
export type Timers = {
  /** The groups that have timers, by name. There may be one for each rule. */
  readonly groups: Map<string, TimerGroup>;
  /** How many timers there are. */
  count: number;
};

/**
 * The timers of a group are numbered from 0 on, and stand in arrays: as objects they would take twice the memory, and each
 * garbage collection would mark every one of them. The arrays of numbers have room for more timers than there are.
 */
export type TimerGroup = {
  readonly name: string;
  readonly numbers: Map<string, number>;
  /** Indexed by number, like `instants` and `places`. */
  readonly keys: string[];
  instants: Float64Array;
  /** A binary heap of numbers: the timer that is due next comes first. */
  heap: Int32Array;
  /** Where in the heap each number stands. */
  places: Int32Array;
};

export type Timer = { readonly group: TimerGroup; readonly key: string };

/** Timers that are taken in one slice; each takes some microseconds. */
const TAKEN_A_SLICE = 256;

/** The least number of timers that a group has room for. */
const LEAST_ROOM = 8;

export function newTimers(): Timers {
  return { groups: new Map(), count: 0 };
}

export function setTimer(timers: Timers, name: string, key: string, at: Instant): void {
  const group = timers.groups.get(name) ?? newGroup(timers, name);
  const { numbers, keys, instants, places } = group;
  const known = numbers.get(key);
  if (known !== undefined) {
    if (instants[known] === at) return;
    instants[known] = at;
    settle(group, places[known] as number);
    return;
  }
  const number = keys.push(key) - 1;
  numbers.set(key, number);
  if (number === instants.length) setRoom(group, 2 * number);
  group.instants[number] = at;
  stand(group, number, number);
  timers.count += 1;
  settle(group, number);
}

export function clearTimer(timers: Timers, name: string, key: string): void {
  const group = timers.groups.get(name);
  const number = group?.numbers.get(key);
  if (group === undefined || number === undefined) return;
  const { keys, heap, places } = group;
  const place = places[number] as number;
  const left = keys.length - 1;
  const last = heap[left] as number;
  if (last !== number) {
    stand(group, last, place);
    settle(group, place, left);
  }
  dropNumber(group, number);
  timers.count -= 1;
  if (left === 0) timers.groups.delete(name);
}

/** Clears all timers of a group. */
export function clearTimers(timers: Timers, name: string): void {
  timers.count -= timers.groups.get(name)?.keys.length ?? 0;
  timers.groups.delete(name);
}

/** The instant of the next one, and undefined if there is none. */
export function nextDue(timers: Timers): Instant | undefined {
  const group = nextGroup(timers);
  return group && nextOf(group);
}

/** Removes and gives the timers that are due, in the order of their instants. There may be many. */
export function* takeDue(timers: Timers, at: Instant): Slices<Timer[]> {
  const taken: Timer[] = [];
  for (;;) {
    const group = nextGroup(timers);
    if (group === undefined || nextOf(group) > at) return taken;
    const key = group.keys[group.heap[0] as number] as string;
    clearTimer(timers, group.name, key);
    taken.push({ group, key });
    if (taken.length % TAKEN_A_SLICE === 0) yield;
  }
}

function newGroup({ groups }: Timers, name: string): TimerGroup {
  const group: TimerGroup = {
    name,
    numbers: new Map(),
    keys: [],
    instants: new Float64Array(LEAST_ROOM),
    heap: new Int32Array(LEAST_ROOM),
    places: new Int32Array(LEAST_ROOM),
  };
  groups.set(name, group);
  return group;
}

/** Makes room for so many timers, at least as many as there are. */
function setRoom(group: TimerGroup, room: number): void {
  const { instants, heap, places } = group;
  group.instants = new Float64Array(room);
  group.heap = new Int32Array(room);
  group.places = new Int32Array(room);
  group.instants.set(instants.subarray(0, room));
  group.heap.set(heap.subarray(0, room));
  group.places.set(places.subarray(0, room));
}

/** The group whose next timer is due first; among equals, the first by name. */
function nextGroup({ groups }: Timers): TimerGroup | undefined {
  let next: TimerGroup | undefined;
  for (const group of groups.values()) {
    const at = nextOf(group);
    const first = next === undefined ? Infinity : nextOf(next);
    if (next === undefined || at < first || (at === first && group.name < next.name)) next = group;
  }
  return next;
}

function nextOf({ heap, instants }: TimerGroup): Instant {
  return instants[heap[0] as number] as Instant;
}

/** Frees a number that is no longer in the heap. The last number takes its place, so that there are no gaps. */
function dropNumber(group: TimerGroup, number: number): void {
  const { numbers, keys, instants, places } = group;
  numbers.delete(keys[number] as string);
  const key = keys.pop() as string;
  const last = keys.length;
  if (number !== last) {
    numbers.set(key, number);
    keys[number] = key;
    instants[number] = instants[last] as Instant;
    stand(group, number, places[last] as number);
  }
  if (last >= LEAST_ROOM && last < instants.length / 4) setRoom(group, instants.length / 2);
}

/** Restores the order of the heap, whose first `size` places count, after the timer at a place has got another instant. */
function settle(group: TimerGroup, at: number, size = group.keys.length): void {
  let place = at;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (!isBefore(group, place, parent)) break;
    swap(group, place, parent);
    place = parent;
  }
  for (;;) {
    const left = 2 * place + 1;
    const right = left + 1;
    let least = place;
    if (left < size && isBefore(group, left, least)) least = left;
    if (right < size && isBefore(group, right, least)) least = right;
    if (least === place) return;
    swap(group, place, least);
    place = least;
  }
}

/** By instant, then by key, so that the order never depends on how the heap came to be. */
function isBefore({ heap, instants, keys }: TimerGroup, one: number, other: number): boolean {
  const first = heap[one] as number;
  const second = heap[other] as number;
  const at = instants[first] as Instant;
  const than = instants[second] as Instant;
  return at === than ? (keys[first] as string) < (keys[second] as string) : at < than;
}

function swap(group: TimerGroup, one: number, other: number): void {
  const first = group.heap[one] as number;
  stand(group, group.heap[other] as number, one);
  stand(group, first, other);
}

function stand({ heap, places }: TimerGroup, number: number, place: number): void {
  heap[place] = number;
  places[number] = place;
}
