import { execFileSync, spawnSync } from "node:child_process";
import type { Daemon } from "./daemon.ts";

/**
 * The kernel refuses the daemon's writes beyond a limit that can be moved while it runs. To SQLite it
 * is what a full disk is: a write that fails.
 */
export const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;
export const WITHOUT_PRLIMIT = hasPrlimit ? "" : " (skipped: there is no prlimit, of util-linux)";

export function limitFiles(daemon: Daemon, bytes: string): void {
  execFileSync("prlimit", ["--pid", String(daemon.process.pid), `--fsize=${bytes}:unlimited`]);
}
