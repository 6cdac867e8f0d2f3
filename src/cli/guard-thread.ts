import { isMainThread } from "node:worker_threads";
import { guardLoop } from "../io/process/loop-guard-thread.ts";

/** `main.ts` runs in two threads: the main one, and the one that guards the loop. */
export const isGuardThread = !isMainThread;

/** Guards the loop from that thread; `end` ends the whole process. */
export function runGuardThread(end: () => void): void {
  guardLoop(end);
}
