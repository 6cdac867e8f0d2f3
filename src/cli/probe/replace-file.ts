import { randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";

/**
 * Writes a whole file beside the one of this name and puts it in its place, so that who reads it sees the one or the
 * other, and a failure changes nothing. A link stays one, and owner and permissions stay what they were.
 */
export function replaceFile(path: string, text: string): void {
  const isNew = lstatSync(path, { throwIfNoEntry: false }) === undefined;
  const file = isNew ? path : realpathSync(path);
  const before = isNew ? undefined : statSync(file);
  if (before?.isFile() === false) throw new Error("it is no plain file");
  const unfinished = `${file}.unfinished-${randomUUID()}`;
  try {
    writeFileSync(unfinished, text, { flag: "wx", mode: before?.mode });
    if (before !== undefined) keepAccess(unfinished, before);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** As whoever reads the file now may read no other. */
function keepAccess(file: string, { uid, gid, mode }: Stats): void {
  const own = statSync(file);
  if (own.uid !== uid || own.gid !== gid) chownSync(file, uid, gid);
  chmodSync(file, mode);
}
