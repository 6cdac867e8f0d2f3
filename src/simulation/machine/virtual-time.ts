import type { Instant, Millis } from "../../domain/time.ts";
import { createMachine, currentMachine, type Machine } from "./machines.ts";
import { createQueue, type Owner, type Timer } from "./timer-queue.ts";

/**
 * The virtual time of a machine: it stands still while code runs, and jumps from one timer to the next.
 * It replaces the global timers, `Date` and `performance.now`, so that libraries run on it unchanged.
 * It therefore needs a thread of its own.
 */
export type VirtualTime = {
  /** True time, in whole milliseconds since the epoch. It only counts up. */
  readonly now: () => Instant;
  /** The machine's wall clock, which may be wrong. */
  readonly wall: () => Instant;
  /** Sets the wall clock off true time by `error`; `Date` follows it, timers do not. */
  readonly setWallError: (error: Millis) => void;
  /** Calls `run` at that time, even if the process has died; at equal times, in the order of the calls. */
  readonly at: (at: Instant, run: () => void) => Pick<Timer, "ended">;
  /** The process is busy for this long: time passes, and no timer fires. */
  readonly block: (length: Millis) => void;
  /** The machine sleeps for this long: its timers and its steady clock stand still, and its wall clock goes on. */
  readonly suspend: (length: Millis) => void;
  /** The machine's steady clock. */
  readonly steady: () => Millis;
  /** Another machine, with clocks, timers and pauses of its own; `rate` is the speed of its steady clock. */
  readonly createMachine: (rate: number) => Machine;
  /** Ends all timers of the process, as its death does. */
  readonly dropTimers: () => void;
  /** Runs until that time, timer by timer; everything that one causes is over before the next. */
  readonly runUntil: (end: Instant) => Promise<void>;
  /** Replaces the global timers and clocks; gives a function that puts the real ones back. */
  readonly install: () => () => void;
};

/** As in Node: a timer with a longer delay fires at once, and none fires before the next millisecond. */
const LONGEST_DELAY: Millis = 2 ** 31 - 1;

export function createVirtualTime(start: Instant): VirtualTime {
  let now = start;
  let wallError: Millis = 0;
  let sequence = 0;
  let suspendedMs: Millis = 0;
  const queue = createQueue();
  const add = (at: Instant, owner: Owner, run: () => void): Timer => {
    sequence += 1;
    const timer = { at: whole(at), sequence, run, owner, ended: false };
    queue.push(timer);
    return timer;
  };
  const at = (due: Instant, run: () => void): Timer => add(Math.max(due, now), undefined, run);
  const wall = (): Instant => now + wallError;
  const steady = (): Millis => now - start - suspendedMs;
  return {
    now: () => now,
    wall,
    setWallError: (error) => {
      wallError = error;
    },
    at,
    block: (length) => {
      now += length;
    },
    suspend: (length) => {
      now += length;
      suspendedMs += length;
      queue.delayOf("process", length);
    },
    steady,
    dropTimers: () => queue.dropOf("process"),
    createMachine: (rate) => createMachine({ ...queue, start, now: () => now, at }, rate),
    runUntil: async (end) => {
      for (const turn of turns()) {
        await turn;
        const next = queue.pop(end);
        if (next === undefined) break;
        now = Math.max(now, next.at);
        if (isPaused(next.owner, now)) {
          next.at = next.owner.wakesAt();
          queue.push(next);
        } else next.run();
      }
      now = Math.max(now, end);
    },
    install: () => {
      const putBackTimers = installGlobals(
        () => (currentMachine()?.wall ?? wall)(),
        (delay, run) => addHere(add, now, delay, run),
      );
      const putBackSteady = installSteady(() => (currentMachine()?.steady ?? steady)());
      return () => {
        putBackTimers();
        putBackSteady();
      };
    },
  };
}

/** A fraction would pass into the clocks of all that runs here, and from there into replies. */
function whole(at: Instant): Instant {
  if (!Number.isInteger(at)) throw new Error(`virtual time: ${at} is no whole millisecond`);
  return at;
}

const realSetImmediate = setImmediate;

/** So many timers run in one pass through the event loop, as a pass takes longer than what most timers do. */
const AT_ONCE = 32;

/** Between two immediates of one pass, Node ends all microtasks and ticks; nothing that is simulated waits for a pass. */
function* turns(): Generator<Promise<void>> {
  const turn = (): Promise<void> => new Promise((resolve) => void realSetImmediate(resolve));
  for (;;) yield* Array.from({ length: AT_ONCE }, turn);
}

/** Adds a timer of the machine that the caller runs on, or of the process if it runs alone. */
function addHere(
  add: (at: Instant, owner: Owner, run: () => void) => Timer,
  now: Instant,
  delay: Millis,
  run: () => void,
): Timer {
  const machine = currentMachine();
  if (machine === undefined) return add(now + delay, "process", run);
  return add(now + Math.ceil(delay / machine.rate), machine, () => machine.run(run));
}

function isPaused(owner: Owner, now: Instant): owner is Machine {
  return typeof owner === "object" && owner.wakesAt() > now;
}

type AddTimer = (delay: Millis, run: () => void) => Timer;

/** What `setTimeout` gives. Nothing depends on whether it keeps the process alive. */
class Handle {
  timer: Timer | undefined;
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

function installGlobals(wall: () => Instant, add: AddTimer): () => void {
  const real = { setTimeout, clearTimeout, setInterval, clearInterval, Date };
  const arm = (handle: Handle, delay: number, run: () => void): void => {
    const length = Math.trunc(delay);
    handle.timer = add(length >= 1 && length <= LONGEST_DELAY ? length : 1, run);
  };
  const end = (handle: unknown): void => {
    if (!(handle instanceof Handle)) return;
    if (handle.timer !== undefined) handle.timer.ended = true;
    handle.timer = undefined;
  };
  // Its dates are real ones, as libraries look at their constructor: CEL does not know those of a class of its own.
  const virtualDate = new Proxy(Date, {
    construct: (made, given) =>
      given.length === 0 ? new made(wall()) : new made(...(given as [number])),
    apply: (made) => new made(wall()).toString(),
    get: (made, key) => (key === "now" ? wall : (Reflect.get(made, key) as unknown)),
  });
  Object.assign(globalThis, {
    Date: virtualDate,
    setTimeout: (run: (...given: unknown[]) => void, delay = 1, ...given: unknown[]) => {
      const handle = new Handle();
      arm(handle, delay, () => run(...given));
      return handle;
    },
    setInterval: (run: (...given: unknown[]) => void, delay = 1, ...given: unknown[]) => {
      const handle = new Handle();
      const again = (): void => {
        const fired = handle.timer;
        run(...given);
        // A timer that was ended while it ran is not armed again.
        if (handle.timer === fired && fired !== undefined) arm(handle, delay, again);
      };
      arm(handle, delay, again);
      return handle;
    },
    clearTimeout: end,
    clearInterval: end,
  });
  return () => void Object.assign(globalThis, real);
}

/** Replaces `now` of the object that `node:perf_hooks` and the global name share. */
function installSteady(steady: () => Millis): () => void {
  const real = Object.getOwnPropertyDescriptor(performance, "now");
  Object.defineProperty(performance, "now", { value: steady, configurable: true, writable: true });
  return () => {
    Reflect.deleteProperty(performance, "now");
    if (real !== undefined) Object.defineProperty(performance, "now", real);
  };
}
