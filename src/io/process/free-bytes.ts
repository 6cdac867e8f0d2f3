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
