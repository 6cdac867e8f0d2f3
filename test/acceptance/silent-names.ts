import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import type { Finishing } from "./events.ts";

const HOOK = pathToFileURL(join(import.meta.dirname, "silent-names-hook.mjs")).href;

/** A host whose name server does not answer, in a process with the environment of `silentNames`. */
export const SILENT_HOST = "host.silent.invalid";

export function silentNames(context: Finishing): Readonly<Record<string, string>> {
  const directory = temporaryDirectory();
  context.onTestFinished(directory.remove);
  const fifo = join(directory.path, "fifo");
  execFileSync("mkfifo", [fifo]);
  return { NODE_OPTIONS: `--import ${HOOK}`, SILENT_FIFO: fifo };
}
