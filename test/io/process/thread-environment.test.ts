/** Tests src/io/process/thread-environment.ts. */
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { threadEnvironment } from "../../../src/io/process/thread-environment.ts";

/** Where a thread with that environment keeps its compiled modules, and what else it knows of the process. */
async function seenIn(env: Readonly<Record<string, string>>): Promise<unknown> {
  const code = `require("node:worker_threads").parentPort.postMessage({
    directory: require("node:module").getCompileCacheDir(), names: Object.keys(process.env),
  })`;
  const thread = new Worker(code, { eval: true, env });
  const [seen] = (await once(thread, "message")) as [unknown];
  return seen;
}

it("a thread keeps its compiled modules where its process does, and knows nothing else of it", async () => {
  const directory = getCompileCacheDir();
  expect(directory).toBeDefined();
  expect(await seenIn(threadEnvironment())).toEqual({ directory, names: ["NODE_COMPILE_CACHE"] });
  expect(await seenIn({})).toEqual({ directory: undefined, names: [] });
});
