import { statSync } from "node:fs";

/**
 * Whether the kill file exists. Only its plain absence (ENOENT) counts as no. A directory that may not be read, or a
 * stale mount, counts as yes, so that no action is sent.
 */
export function killFileExists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code !== "ENOENT";
  }
}
