/** Tests src/io/journal: tools. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { toEnd } from "../../../src/domain/slices.ts";
import { openJournal } from "../../../src/io/journal/journal.ts";
import { salvageJournal } from "../../../src/io/journal/salvage/salvage.ts";
import { checkJournal, copyJournal } from "../../../src/io/journal/tools.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { runScript, sourceUrl } from "./child-script.ts";

/** Writes a part of the backup, and then dies, has no more room, or goes on once it reads a line. */
const SCRIPT = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  import { toEnd } from ${JSON.stringify(sourceUrl("domain/slices.ts"))};
  const [, directory, target, then] = process.argv;
  const copy = fs.copyFileSync;
  fs.copyFileSync = (from, to, mode) => {
    if (!to.startsWith(target)) return copy(from, to, mode);
    const whole = fs.readFileSync(from);
    const file = fs.openSync(to, "w");
    fs.writeSync(file, whole, 0, 5_000, 0);
    if (then === "dies") process.kill(process.pid, "SIGKILL");
    if (then === "is full") throw new Error("ENOSPC: no space left on device");
    console.log("a part is written");
    fs.readSync(0, Buffer.alloc(1));
    fs.writeSync(file, whole, 5_000, whole.length - 5_000, 5_000);
    fs.closeSync(file);
  };
  syncBuiltinESMExports();
  const { copyJournal } = await import(${JSON.stringify(sourceUrl("io/journal/tools.ts"))});
  console.log(toEnd(copyJournal(directory, target)).problem);
`;

let room: ReturnType<typeof temporaryDirectory>;
beforeEach(() => (room = temporaryDirectory()));
afterEach(() => room.remove());

/** The data directory of a journal with so many rows. */
function fill(name: string, rows = 0): string {
  const directory = join(room.path, name);
  const journal = openJournal(directory);
  if (!journal.ok) throw new Error(journal.problem);
  const changes = Array.from({ length: rows }, (_row, index) => {
    return { table: "counter", key: `of ${index}`, value: index } as const;
  });
  expect(journal.value.commit({ at: 7, changes, findings: [] }).ok).toBe(true);
  journal.value.close();
  return directory;
}

it("a backup that is killed while it is written leaves nothing under its name, and the next one is whole", async () => {
  const data = fill("data");
  const target = join(room.path, "backup.sqlite");
  const child = runScript(SCRIPT, [data, target, "dies"]);
  expect(await child.ended, child.errors()).toBe("SIGKILL");
  expect(existsSync(target)).toBe(false);
  expect(toEnd(copyJournal(data, target)).ok).toBe(true);
  expect(toEnd(checkJournal(target))).toMatchObject({ value: { problems: [] } });
  expect(readdirSync(room.path).toSorted()).toEqual(["backup.sqlite", "data"]);
});

it("a backup for which there is no room leaves nothing, and the journal is not named for it", async () => {
  const data = fill("data");
  const target = join(room.path, "backup.sqlite");
  const child = runScript(SCRIPT, [data, target, "is full"]);
  expect(await child.nextLine(), child.errors()).toBe(
    `${target} cannot be written: ENOSPC: no space left on device`,
  );
  expect(await child.ended, child.errors()).toBe(0);
  expect(readdirSync(room.path)).toEqual(["data"]);
  expect(readdirSync(data)).toEqual(["journal.sqlite"]);
});

it("of two backups into one file at once, the first that is done is whole, and the other is refused", async () => {
  const target = join(room.path, "backup.sqlite");
  const child = runScript(SCRIPT, [fill("large", 900), target]);
  expect(await child.nextLine(), child.errors()).toBe("a part is written");
  const made = toEnd(copyJournal(fill("small"), target));
  child.process.stdin?.end("\n");
  expect(await child.nextLine(), child.errors()).toContain("exists already");
  expect(made).toEqual({ ok: true, value: statSync(target).size });
  expect(toEnd(checkJournal(target))).toMatchObject({ value: { problems: [] } });
  expect(readdirSync(room.path).toSorted()).toEqual(["backup.sqlite", "large", "small"]);
});

it("a repair that is killed leaves nothing under the name of a repaired journal", async () => {
  const data = fill("data", 9);
  const child = runScript(
    `
    import { toEnd } from ${JSON.stringify(sourceUrl("domain/slices.ts"))};
    import { salvageJournal } from ${JSON.stringify(sourceUrl("io/journal/salvage/salvage.ts"))};
    toEnd(salvageJournal(process.argv[1], 7, (stage) => {
      if (stage === "saving findings") process.kill(process.pid, "SIGHUP");
    }));
  `,
    [data],
  );
  expect(await child.ended, child.errors()).toBe("SIGHUP");
  const names = readdirSync(data).filter((name) => name.startsWith("journal.sqlite.repaired-"));
  expect(names).toEqual([]);
  const repaired = toEnd(salvageJournal(data, 8));
  expect(repaired).toMatchObject({ value: { rows: 9, lost: [] } });
  const file = repaired.ok ? repaired.value.file : "";
  expect(toEnd(checkJournal(file))).toMatchObject({ value: { problems: [] } });
});
