import { Worker } from "node:worker_threads";
import { ownModule } from "../process/own-files.ts";

/** What a check of a journal's file found. */
export type FileCheck =
  | { readonly outcome: "sound" }
  | { readonly outcome: "damaged"; readonly problems: readonly string[] }
  /** It is not known: the check itself failed. */
  | { readonly outcome: "failed"; readonly error: unknown };

/** It keeps little in memory; a bound, as without one a thread would take what the main one does. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/**
 * Checks a file that does not change, in a thread of its own, as the check of a large one takes a while. Gives what
 * ends it, after which `onEnd` is not called; a thread within SQLite ends with the process at the latest.
 */
export function checkFile(file: string, onEnd: (check: FileCheck) => void): () => void {
  const entry = ownModule("io/journal/check-thread.ts");
  const worker = new Worker(entry, { workerData: file, resourceLimits: MEMORY, argv: [], env: {} });
  let isOver = false;
  const end = (check: FileCheck): void => {
    if (isOver) return;
    isOver = true;
    onEnd(check);
  };
  worker.on("message", (problems: readonly string[]) =>
    end(problems.length === 0 ? { outcome: "sound" } : { outcome: "damaged", problems }),
  );
  worker.on("error", (error) => end({ outcome: "failed", error }));
  worker.on("exit", () => end({ outcome: "failed", error: new Error("its thread ended") }));
  return () => {
    isOver = true;
    void worker.terminate();
  };
}
