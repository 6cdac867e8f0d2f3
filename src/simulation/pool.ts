import type { Worker } from "node:worker_threads";
import { beginThread, type EndableThread } from "../io/process/endable-thread.ts";
import { ownModule } from "../io/process/own-files.ts";
import type { Outcome } from "./outcome.ts";
import { EMPTY_TALLY } from "./tally.ts";
import type { Campaign, Task } from "./task.ts";

/** Worker threads that run the tasks of a campaign, each in virtual time of its own. */
export type Pool = ReturnType<typeof createPool>;

export function createPool(campaign: Campaign, size: number) {
  const all = new Map<Worker, EndableThread>();
  const idle: Worker[] = [];
  const waiting: Array<(worker: Worker) => void> = [];
  const add = (): Worker => {
    const thread = beginThread(ownModule("simulation/worker.ts"), { data: campaign, memory: {} });
    const { worker } = thread;
    // What it does is waited for.
    worker.ref();
    all.set(worker, thread);
    return worker;
  };
  const give = (worker: Worker): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(worker);
    else next(worker);
  };
  const take = async (): Promise<Worker> =>
    idle.pop() ?? (await new Promise<Worker>((resolve) => void waiting.push(resolve)));
  for (let count = 0; count < size; count += 1) idle.push(add());
  const runOnOne = async (worker: Worker, task: Task): Promise<Outcome> => {
    const { outcome, isGone } = await runOn(worker, task);
    if (isGone) all.delete(worker);
    give(isGone ? add() : worker);
    return outcome;
  };
  return {
    /** Waits for a free worker. An error that ends a worker is reported as a violation. */
    run: async (task: Task): Promise<Outcome> => await runOnOne(await take(), task),
    /** As `run`, unless the signal is aborted before its turn comes. */
    runUnless: async (signal: AbortSignal, task: Task): Promise<Outcome | undefined> => {
      const worker = await take();
      if (!signal.aborted) return await runOnOne(worker, task);
      give(worker);
      return undefined;
    },
    close: async (): Promise<void> => {
      await Promise.all([...all.values()].map(({ end }) => end()));
    },
  };
}

async function runOn(
  worker: Worker,
  task: Task,
): Promise<{ readonly outcome: Outcome; readonly isGone: boolean }> {
  return await new Promise((resolve) => {
    const onMessage = (outcome: Outcome): void => {
      worker.off("error", onError);
      resolve({ outcome, isGone: false });
    };
    const onError = (error: unknown): void => {
      worker.off("message", onMessage);
      resolve({ outcome: brokenOutcome(task, error), isGone: true });
    };
    worker.once("message", onMessage);
    worker.once("error", onError);
    worker.postMessage(task, []);
  });
}

/** An uncaught exception: in production, it would end the process. */
function brokenOutcome({ of }: Task, error: unknown): Outcome {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    seed: "plan" in of ? of.plan.seed : of.seed,
    hash: "",
    steps: 0,
    simulatedMs: 0,
    violations: [{ at: 0, invariant: "0 no bugs", text: `uncaught: ${text}` }],
    tally: EMPTY_TALLY,
    worstDetection: undefined,
    narration: [],
    moments: [],
  };
}
