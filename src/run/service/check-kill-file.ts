import type { Loop } from "../loop.ts";

/**
 * The kill file is checked before every tick, so it takes effect within a second, and before all events that wait.
 */
export function checkKillFile(
  killFile: string,
  fileExists: (path: string) => boolean,
  loop: Pick<Loop, "stateSoFar" | "askFirst">,
): void {
  // No other event than this one's command changes it.
  const killed = loop.stateSoFar().tables.kill.get("file");
  const isNamed = fileExists(killFile);
  // Before a restart, the config may have named another file, which still has to be removed.
  const exists = isNamed || (killed !== undefined && fileExists(killed.by));
  if (exists === (killed !== undefined)) return;
  const file = killed?.by ?? killFile;
  loop.askFirst({
    type: "command",
    by: file,
    reason: exists ? `the file ${file} exists` : `the file ${file} is gone`,
    command: { name: exists ? "kill" : "unkill", source: "file" },
  });
}
