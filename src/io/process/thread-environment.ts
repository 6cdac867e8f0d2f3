import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/**
 * The environment of a thread of our own: only the folder of the compiled modules. Without it a thread compiles its
 * modules each time, because it does not inherit a cache that was enabled while the process ran.
 */
export function threadEnvironment(): Readonly<Record<string, string>> {
  const ofThisVersion = getCompileCacheDir();
  return ofThisVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisVersion) };
}
