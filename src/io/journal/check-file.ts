import { beginThread } from "../process/endable-thread.ts";
import { ownModule } from "../process/own-files.ts";

/** What a check of a journal's file found. */
export type FileCheck =
  | { readonly outcome: "sound" }
  | { readonly outcome: "damaged"; readonly problems: readonly string[] }
  /** The check itself failed, so the file may be damaged or not. */
  | { readonly outcome: "failed"; readonly error: unknown };

/** The check needs little memory; without a bound, the thread would get as much as the main one. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/**
 * Checks a file that does not change, in its own thread, because a large file takes a while. Returns a function that
 * ends the check without a call of `onEnd`; a thread inside SQLite ends with the process at the latest.
 */
export function checkFile(file: string, onEnd: (check: FileCheck) => void): () => void {
  const { worker, end: endThread } = beginThread(ownModule("io/journal/check-thread.ts"), {
    data: { file },
    memory: MEMORY,
  });
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
    void endThread();
  };
}
