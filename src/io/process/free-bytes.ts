import { statfsSync } from "node:fs";

/** How many bytes of a place are free, for others than root too; none if that cannot be read. */
export function freeBytes(place: string): number {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Whether an error of the system or of SQLite is that a disk, or the user's share of it, is full. */
export function saysDiskIsFull(message: string): boolean {
  return /ENOSPC|EDQUOT|disk is full/.test(message);
}
