/**
 * Loaded into a daemon by NODE_OPTIONS: what production code has no way to do.
 *
 * - SIGUSR2 blocks the event loop for good.
 * - SIGURG ends the timers of a second (the tick, among others), and the event loop lives on.
 * - SIGVTALRM ends the timers of the schedules, as a scheduler that dies would.
 * - SIGALRM sets the wall clock ahead by CLOCK_STEP_MS, by default ten minutes, as a machine that was suspended
 *   finds it.
 * - SIGIO lets the wall clock run twice as fast, so that no step of it is as long as a gap.
 */
import { isMainThread } from "node:worker_threads";

const STEP_MS = Number(process.env.CLOCK_STEP_MS ?? 600_000);

/** From now on the wall clock says this, of what it would have said. */
function setClock(said) {
  const before = globalThis.Date;
  globalThis.Date = class extends before {
    constructor(...given) {
      if (given.length === 0) super(said(before.now()));
      else super(...given);
    }
    static now() {
      return said(before.now());
    }
  };
}

if (isMainThread) {
  const everySecond = [];
  const { setInterval, setTimeout } = globalThis;
  globalThis.setInterval = (work, length, ...rest) => {
    const timer = setInterval(work, length, ...rest);
    if (length === 1_000) everySecond.push(timer);
    return timer;
  };
  let scheduleLives = true;
  globalThis.setTimeout = (work, length, ...rest) => {
    if (!new Error().stack.includes("slot-timer.ts")) return setTimeout(work, length, ...rest);
    return setTimeout((...args) => scheduleLives && work(...args), length, ...rest);
  };
  process.on("SIGUSR2", () => {
    for (;;);
  });
  process.on("SIGURG", () => {
    for (const timer of everySecond) clearInterval(timer);
  });
  process.on("SIGVTALRM", () => {
    scheduleLives = false;
  });
  process.on("SIGALRM", () => setClock((now) => now + STEP_MS));
  process.on("SIGIO", () => {
    const since = Date.now();
    setClock((now) => since + 2 * (now - since));
  });
}
