import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Processor time of the whole machine since its start, in ticks of the kernel. */
export type MachineTimes = {
  readonly busy: number;
  readonly stolen: number;
  /** How many tasks run or could run now, for each core. */
  readonly tasksPerCore?: number;
};

const CHECKED_EVERY_MS = 500;
/** However much is taken, a wait for what never comes must end. */
const LEAST_SHARE = 0.1;

/**
 * Calls `onEnd` after so much of the time that the machine gave us, and returns what cancels that. A virtual machine on
 * a busy host stands still for most of some minutes, and on a busy machine each task has its turn among many; a limit by
 * the wall clock then says nothing about what waited.
 */
export function afterMachineTime(
  limitMs: number,
  onEnd: () => void,
  readTimes: () => MachineTimes | undefined = timesOfProc,
): () => void {
  let left = limitMs;
  let times = readTimes();
  let at = performance.now();
  const check = (): void => {
    const now = { times: readTimes(), at: performance.now() };
    left -= (now.at - at) * shareGiven(times, now.times);
    ({ times, at } = now);
    if (left <= 0) onEnd();
    else timer = start();
  };
  const start = (): NodeJS.Timeout => setTimeout(check, Math.min(left, CHECKED_EVERY_MS)).unref();
  let timer = start();
  return () => clearTimeout(timer);
}

/** How much of the time that was wanted was given: 1 if the host took none, and every task has a core. */
export function shareGiven(
  before: MachineTimes | undefined,
  now: MachineTimes | undefined,
): number {
  if (before === undefined || now === undefined) return 1;
  const busy = now.busy - before.busy;
  const stolen = now.stolen - before.stolen;
  const left = stolen <= 0 ? 1 : busy / (busy + stolen);
  return Math.max(LEAST_SHARE, left / Math.max(1, now.tasksPerCore ?? 1));
}

/** What /proc/stat has, as in proc(5); undefined on a machine that has none. */
function timesOfProc(): MachineTimes | undefined {
  try {
    const text = readFileSync("/proc/stat", "utf8");
    const line = text.split("\n", 1)[0] ?? "";
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = line
      .split(/\s+/)
      .slice(1)
      .map(Number);
    const tasks = Number(/^procs_running (\d+)$/m.exec(text)?.[1] ?? 1);
    const tasksPerCore = tasks / availableParallelism();
    return { busy: user + nice + system + irq + softirq, stolen, tasksPerCore };
  } catch {
    return undefined;
  }
}
