import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createThreadEnd, endThread } from "../../../src/io/process/thread-end.ts";

/** A process that begins threads which inflate, and ends each: an abort would end all of it. */
let ended = 0;
while (ended < Number(process.argv[2])) {
  const end = createThreadEnd();
  const thread = new Worker(join(import.meta.dirname, "inflating-thread.ts"), { workerData: end });
  await once(thread, "message");
  await endThread(thread, end);
  ended += 1;
}
process.stdout.write(`${ended} ended\n`);
