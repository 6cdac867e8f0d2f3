import { isMainThread } from "node:worker_threads";
import { watchLoop } from "../io/process/loop-guard-thread.ts";

/** The only thread that is started from `main.ts` again is the one that guards the loop. */
export const isGuardThread = !isMainThread;

/** What `main.ts` runs in that thread: `end` ends the whole process. */
export function runGuardThread(end: () => void): void {
  watchLoop(end);
}
