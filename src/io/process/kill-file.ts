import { statSync } from "node:fs";

/**
 * Whether the kill file exists. Only its plain absence says that it does not: a directory that may not
 * be read, or a mount that is gone, leaves it open, and then no action is sent.
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
