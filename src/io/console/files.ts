import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { constants, gzip } from "node:zlib";
import { ownModule } from "../process/own-files.ts";

/** The files that a browser loads for the console; all of one version have one hash in their addresses. */
export type ConsoleFiles = FilesOf<ConsoleFile>;

/** What the thread posts. */
export type ReadFiles = FilesOf<ReadFile>;

type FilesOf<File> = {
  /** The hash of all files' content, so that a browser may keep each forever under its address. */
  readonly hash: string;
  /** The path of the module that starts the console. */
  readonly entry: string;
  /** The paths of all modules that it needs to start. */
  readonly first: readonly string[];
  readonly style: string;
  /** Where the browser finds the libraries; empty in the package, whose one module holds them. */
  readonly imports: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, File>;
};

export type ReadFile = { readonly type: string; readonly body: Uint8Array<ArrayBuffer> };

export type ConsoleFile = ReadFile & { readonly gzipped: () => Promise<Uint8Array<ArrayBuffer>> };

/**
 * The files, read at the first call. A thread strips the types, so that the loop goes on meanwhile. If it fails, the
 * next call tries again.
 */
export function createConsoleFiles(): () => Promise<ConsoleFiles> {
  let files: Promise<ConsoleFiles> | undefined;
  return () => {
    files ??= readInThread().then(withGzip, (error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  };
}

const gzipAway = promisify(gzip);
const SMALLEST = { level: constants.Z_BEST_COMPRESSION };

/** Each file is compressed once, if it is asked for: away from the loop, and as small as it gets. */
function withGzip({ files, ...rest }: ReadFiles): ConsoleFiles {
  const all = files.entries().map(([path, file]): [string, ConsoleFile] => {
    let gzipped: ReturnType<typeof gzipAway> | undefined;
    return [path, { ...file, gzipped: () => (gzipped ??= gzipAway(file.body, SMALLEST)) }];
  });
  return { ...rest, files: new Map(all) };
}

function readInThread(): Promise<ReadFiles> {
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
