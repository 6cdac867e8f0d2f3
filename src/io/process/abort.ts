import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";

/**
 * Ends the process at once, from any of its threads, even if the main one stands still. Process 1 of a container is
 * spared each signal of its own that it does not handle, SIGKILL too (pid_namespaces(7)); no function of Node's aborts
 * it from a thread. So there V8 is told to stop at a trap, which ends any process, by SIGTRAP.
 */
export function abortProcess({ pid, kill }: Pick<NodeJS.Process, "pid" | "kill">): void {
  kill(pid, "SIGABRT");
  if (pid !== 1) return;
  setFlagsFromString("--allow-natives-syntax");
  runInThisContext("%SystemBreak()");
}
