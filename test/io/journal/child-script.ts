import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

/** A second process: a module's text that is run by this Node, with arguments in `process.argv`. */
export type ChildScript = {
  readonly process: ChildProcess;
  /** The next line of its standard output; undefined at its end. */
  readonly nextLine: () => Promise<string | undefined>;
  /** All lines to the end of its output. */
  readonly rest: () => Promise<string[]>;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  readonly errors: () => string;
};

/** The URL of a file of src, for a child's import. */
export function sourceUrl(path: string): string {
  return pathToFileURL(join(import.meta.dirname, "../../../src", path)).href;
}

export function runScript(
  script: string,
  args: readonly string[],
  options: { readonly largestFileBlocks?: number } = {},
): ChildScript {
  const node = [process.execPath, "--input-type=module", "-e", script, ...args];
  const blocks = options.largestFileBlocks;
  const command =
    blocks === undefined
      ? node
      : ["/bin/sh", "-c", `ulimit -f ${blocks}; exec "$@"`, "sh", ...node];
  const child = spawn(command[0] ?? "", command.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString("utf8")));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string | undefined> => {
    const next = await lines.next();
    return next.done === true ? undefined : next.value;
  };
  return {
    process: child,
    nextLine,
    rest: async () => {
      const all: string[] = [];
      for (let line = await nextLine(); line !== undefined; line = await nextLine()) all.push(line);
      return all;
    },
    ended: new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal))),
    errors: () => errors,
  };
}
