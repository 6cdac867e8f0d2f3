import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What every process that a test starts has of the environment; all else would be the host's own. */
export function childEnvironment(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE: cache } = process.env;
  return { PATH, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) };
}

/**
 * Vitest's global setup. The processes that tests start share one cache of compiled modules, which goes with the run: most of the processor
 * time of a short command is the compiling of its modules.
 */
export function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-compile-cache-"));
  process.env["NODE_COMPILE_CACHE"] = directory;
  // A process that is just ending may still write to it.
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
}
