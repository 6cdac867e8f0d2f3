import { parentPort, workerData } from "node:worker_threads";
import { createTaskRunner, type Campaign, type Task } from "./task.ts";

/** The entry of a worker thread: virtual time takes the place of the thread's own timers. */
const run = createTaskRunner(workerData as Campaign);

parentPort?.on("message", (task: Task) => {
  void run(task).then((outcome) => parentPort?.postMessage(outcome, []));
});
