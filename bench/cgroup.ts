import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A control group of Linux with a limit of memory, in which programs can be started. Needs root. */
export type Cgroup = {
  readonly version: 1 | 2;
  /** The command line that runs another one within the group. */
  readonly within: (command: readonly string[]) => readonly string[];
  /** How many processes were killed because there was no memory. */
  readonly oomKills: () => number;
  /** Without page cache that could be given back, in bytes. */
  readonly usedBytes: () => number;
  /** Fails while a process is in it. */
  readonly remove: () => void;
};

const ROOT = "/sys/fs/cgroup";

/** Throws if there is no memory controller that may be written to. */
export function createCgroup(name: string, limitBytes: number): Cgroup {
  const controllers = join(ROOT, "cgroup.controllers");
  const isTwo = existsSync(controllers) && /\bmemory\b/.test(readFileSync(controllers, "utf8"));
  const path = join(ROOT, ...(isTwo ? [] : ["memory"]), name);
  if (isTwo) writeFileSync(join(ROOT, "cgroup.subtree_control"), "+memory");
  mkdirSync(path);
  const file = (one: string): string => join(path, one);
  writeFileSync(file(isTwo ? "memory.max" : "memory.limit_in_bytes"), String(limitBytes));
  if (isTwo) writeFileSync(file("memory.swap.max"), "0");
  const figure = (from: string, key: string): number =>
    Number(new RegExp(`^${key} (\\d+)$`, "m").exec(readFileSync(file(from), "utf8"))?.[1] ?? 0);
  return {
    version: isTwo ? 2 : 1,
    within: (command) => [
      "sh",
      "-c",
      'echo $$ > "$0" && exec "$@"',
      file("cgroup.procs"),
      ...command,
    ],
    oomKills: () => figure(isTwo ? "memory.events" : "memory.oom_control", "oom_kill"),
    usedBytes: () => figure("memory.stat", isTwo ? "anon" : "rss"),
    remove: () => rmdirSync(path),
  };
}
