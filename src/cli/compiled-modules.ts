import { enableCompileCache } from "node:module";
import { isAbsolute, join } from "node:path";
import type { CliContext } from "./context.ts";

/**
 * Modules that are loaded from here on are compiled once, and not at every start. In a directory of the user's own: whoever
 * could write to it, as to one in /tmp, could have the next start run what they like. Where there is none, nothing is kept.
 */
export function keepCompiledModules({ HOME, XDG_CACHE_HOME }: CliContext["env"]): void {
  const own = XDG_CACHE_HOME ?? (HOME === undefined ? "" : join(HOME, ".cache"));
  if (isAbsolute(own)) enableCompileCache(join(own, "aggwatch"));
}
