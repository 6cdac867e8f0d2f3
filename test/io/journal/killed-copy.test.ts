/** Tests src/io/journal: tools. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toEnd } from "../../../src/domain/slices.ts";
import { openJournal } from "../../../src/io/journal/journal.ts";
import { checkFile, copyJournal } from "../../../src/io/journal/tools.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { runScript, sourceUrl } from "./child-script.ts";

/** Writes a part of the backup, and dies. */
const SCRIPT = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  import { toEnd } from ${JSON.stringify(sourceUrl("domain/slices.ts"))};
  const [, directory, target] = process.argv;
  const copy = fs.copyFileSync;
  fs.copyFileSync = (from, to, mode) => {
    if (!to.startsWith(target)) return copy(from, to, mode);
    fs.writeFileSync(to, fs.readFileSync(from).subarray(0, 5_000));
    process.kill(process.pid, "SIGKILL");
  };
  syncBuiltinESMExports();
  const { copyJournal } = await import(${JSON.stringify(sourceUrl("io/journal/tools.ts"))});
  toEnd(copyJournal(directory, target));
`;

it("a backup that is killed while it is written leaves nothing under its name, and the next one is whole", async (context) => {
  const room = temporaryDirectory();
  context.onTestFinished(room.remove);
  const data = join(room.path, "data");
  const journal = openJournal(data);
  if (!journal.ok) throw new Error(journal.problem);
  journal.value.close();
  const target = join(room.path, "backup.sqlite");
  const child = runScript(SCRIPT, [data, target]);
  expect(await child.ended, child.errors()).toBe("SIGKILL");
  expect(existsSync(target)).toBe(false);
  expect(toEnd(copyJournal(data, target)).ok).toBe(true);
  expect(toEnd(checkFile(target))).toMatchObject({ value: { problems: [] } });
  expect(readdirSync(room.path).toSorted()).toEqual(["backup.sqlite", "data"]);
});
