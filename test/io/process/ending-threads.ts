import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { beginThread } from "../../../src/io/process/endable-thread.ts";

/** A process that begins threads which use zlib, and ends each: an abort would end all of it. */
const entry = pathToFileURL(join(import.meta.dirname, "zlib-thread.ts"));
let ended = 0;
for (; ended < Number(process.argv[2]); ended += 1) {
  const { worker, end } = beginThread(entry);
  worker.ref();
  await once(worker, "message");
  await end();
}
process.stdout.write(`${ended} ended\n`);
