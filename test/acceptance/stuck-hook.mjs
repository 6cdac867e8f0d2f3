/**
 * Loaded into a daemon by NODE_OPTIONS: what production code has no way to do. SIGUSR2 blocks the event loop
 * for good; SIGURG ends the timers of a second (the tick, among others), and the event loop lives on.
 */
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  const everySecond = [];
  const { setInterval } = globalThis;
  globalThis.setInterval = (work, length, ...rest) => {
    const timer = setInterval(work, length, ...rest);
    if (length === 1_000) everySecond.push(timer);
    return timer;
  };
  process.on("SIGUSR2", () => {
    for (;;);
  });
  process.on("SIGURG", () => {
    for (const timer of everySecond) clearInterval(timer);
  });
}
