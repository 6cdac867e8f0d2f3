import { isMainThread } from "node:worker_threads";
import { abortProcess } from "../io/process/abort.ts";
import { guardLoop } from "../io/process/loop-guard-thread.ts";

/** `main.ts` runs in two threads: the main one, and the one that guards the loop. */
export const isGuardThread = !isMainThread;

/** Guards the loop from that thread, and ends the whole process if it stands still. */
export function runGuardThread(own: Parameters<typeof abortProcess>[0]): void {
  guardLoop(() => abortProcess(own));
}
