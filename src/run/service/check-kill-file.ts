import type { Loop } from "../loop.ts";

/**
 * The kill file is checked before every tick, so it takes effect within a second, and before all events that wait.
 */
export function checkKillFile(
  killFile: string,
  fileExists: (path: string) => boolean,
  loop: Pick<Loop, "stateSoFar" | "askFirst">,
): void {
  const exists = fileExists(killFile);
  // No other event than this one's command changes it.
  if (exists === loop.stateSoFar().tables.kill.has("file")) return;
  loop.askFirst({
    type: "command",
    by: killFile,
    reason: exists ? `the file ${killFile} exists` : `the file ${killFile} is gone`,
    command: { name: exists ? "kill" : "unkill", source: "file" },
  });
}
