import { Worker } from "node:worker_threads";
import { ownModule } from "../process/own-files.ts";

/** The files that a browser loads for the console; all of one version have one hash in their addresses. */
export type ConsoleFiles = {
  /** The hash of all files' content, so that a browser may keep each forever under its address. */
  readonly hash: string;
  /** The path of the module that starts the console. */
  readonly entry: string;
  /** The paths of all modules that it needs to start. */
  readonly first: readonly string[];
  readonly style: string;
  /** Where the browser finds the libraries; empty in the package, whose one module holds them. */
  readonly imports: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, ConsoleFile>;
};

export type ConsoleFile = {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
};

/**
 * The files, read at the first call. A thread strips the types and compresses, so that the loop goes on meanwhile. If
 * it fails, the next call tries again.
 */
export function createConsoleFiles(): () => Promise<ConsoleFiles> {
  let files: Promise<ConsoleFiles> | undefined;
  return () => {
    files ??= readInThread().catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  };
}

function readInThread(): Promise<ConsoleFiles> {
  return new Promise((resolve, reject) => {
    // Node warns that stripping types is experimental; the warning goes to the thread's own standard error.
    const worker = new Worker(ownModule("io/console/files-thread.ts"), {
      stderr: true,
      argv: [],
      env: {},
    });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread that reads the console's files ended")));
  });
}
