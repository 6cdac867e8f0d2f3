import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/**
 * The environment of a thread of our own: nothing of the process's but where its compiled modules are kept. Else a
 * thread compiles its modules again each time, as it does not know what was set while the process ran.
 */
export function threadEnvironment(): Readonly<Record<string, string>> {
  const ofThisVersion = getCompileCacheDir();
  return ofThisVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisVersion) };
}
