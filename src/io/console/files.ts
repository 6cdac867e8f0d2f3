import { Worker } from "node:worker_threads";
import { ownModule } from "../process/own-files.ts";

/** What a browser loads for the console; everything of one version has one hash in its address. */
export type ConsoleFiles = {
  /** Of the content of all files, so that each may be kept forever under its address. */
  readonly hash: string;
  /** The path of the module that starts the console, and of its style. */
  readonly entry: string;
  /** The paths of all modules that have to be there before it starts. */
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
 * The files, read at the first call. A thread strips the types and compresses, so that the loop goes on meanwhile;
 * a failure is tried again at the next call.
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
    // Node warns that stripping types is an experiment; it says so on the thread's own standard error.
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
