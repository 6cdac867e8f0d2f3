import { enableCompileCache, getCompileCacheDir } from "node:module";
import { isAbsolute, join } from "node:path";
import { SECOND, type Millis } from "../domain/time.ts";
import { keepCode } from "../io/process/code-cache.ts";
import { isSource } from "../io/process/own-files.ts";
import type { CliContext } from "./context.ts";

/**
 * By then a daemon has called the functions of its start, and those for its first viewers. It must not be later: V8
 * drops the code of functions that are no longer called, the sooner the more garbage it collects.
 */
const KEPT_AFTER: readonly Millis[] = [SECOND / 2, 5 * SECOND];

/**
 * Keeps the compiled code of modules loaded from here on, so that the next start need not compile them. It is kept in
 * the user's own directory, as whoever can write to it (anyone, in /tmp) decides what the next start runs. If the user
 * has no such directory, nothing is kept.
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
