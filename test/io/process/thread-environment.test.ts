/** Tests src/io/process/thread-environment.ts. */
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { threadEnvironment } from "../../../src/io/process/thread-environment.ts";

type Seen = { readonly directory: string | undefined; readonly names: readonly string[] };

/**
 * Where a thread with that environment keeps its compiled modules, and what else it knows of the process. In that
 * directory is one for each set of V8's flags, which another test may have changed since the process began.
 */
async function seenIn(env: Readonly<Record<string, string>>): Promise<Seen> {
  const code = `require("node:worker_threads").parentPort.postMessage({
    kept: require("node:module").getCompileCacheDir(), names: Object.keys(process.env),
  })`;
  const thread = new Worker(code, { eval: true, env });
  const [{ kept, names }] = (await once(thread, "message")) as [{ kept?: string; names: string[] }];
  return { directory: kept && dirname(kept), names };
}

it("a thread keeps its compiled modules where its process does, and knows nothing else of it", async () => {
  const directory = dirname(getCompileCacheDir() ?? "");
  expect(directory).not.toBe(".");
  expect(await seenIn(threadEnvironment())).toEqual({ directory, names: ["NODE_COMPILE_CACHE"] });
  expect(await seenIn({})).toEqual({ directory: undefined, names: [] });
});
