import { enableCompileCache, getCompileCacheDir } from "node:module";
import { isAbsolute, join } from "node:path";
import { SECOND, type Millis } from "../domain/time.ts";
import { keepCode } from "../io/process/code-cache.ts";
import { isSource } from "../io/process/own-files.ts";
import type { CliContext } from "./context.ts";

/**
 * When a daemon has called what it starts with, and what its first viewers need. Not later, as V8 drops the code of
 * what is not called any more, the sooner the more garbage it collects.
 */
const KEPT_AFTER: readonly Millis[] = [SECOND / 2, 5 * SECOND];

/**
 * Modules that are loaded from here on are compiled once, and not at every start. In a directory of the user's own:
 * whoever could write to it, as to one in /tmp, could have the next start run what they like. If there is none,
 * nothing is kept.
 *
 * A daemon and a short command call different functions of the same modules, so each has code of its own.
 */
export function keepCompiledModules(
  { HOME, XDG_CACHE_HOME }: CliContext["env"],
  isDaemon: boolean,
  onExit: (listener: () => void) => void,
): void {
  const own = XDG_CACHE_HOME ?? (HOME === undefined ? "" : join(HOME, ".cache"));
  if (isAbsolute(own)) enableCompileCache(join(own, "aggwatch"));
  const directory = getCompileCacheDir();
  if (directory === undefined || isSource) return;
  const what = isDaemon ? "daemon" : "command";
  const keepNext = keepCode(import.meta.dirname, (name) => join(directory, `${what}-${name}.code`));
  onExit(() => {
    while (keepNext());
  });
  // One at a time, as each takes some milliseconds.
  const keepSome = (): void => {
    if (keepNext()) setTimeout(keepSome).unref();
  };
  if (isDaemon) for (const after of KEPT_AFTER) setTimeout(keepSome, after).unref();
}
