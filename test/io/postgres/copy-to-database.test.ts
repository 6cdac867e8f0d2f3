import { readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { fail } from "../../../src/domain/result.ts";
import { JOURNAL_FILE, openJournal } from "../../../src/io/journal/journal.ts";
import { copyToDatabase } from "../../../src/io/postgres/copy-to-database.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** The data directory of an aggwatch that has ended. */
function stoppedJournal(context: TestContext): string {
  const { path, remove } = temporaryDirectory();
  context.onTestFinished(remove);
  const journal = openJournal(path);
  if (!journal.ok) throw new Error(journal.problem);
  journal.value.close();
  return path;
}

it("reads a copy beside the journal if there is room for two, and removes it", async (context) => {
  const path = stoppedJournal(context);
  let during: readonly string[] = [];
  const transaction = async () => {
    during = readdirSync(path);
    return await Promise.resolve(fail({ detail: "refused" } as never));
  };
  const copied = await copyToDatabase(path, { transaction });
  expect(copied).toEqual({ ok: false, problem: "nothing was copied: refused" });
  expect(during).toEqual([JOURNAL_FILE, expect.stringContaining(`${JOURNAL_FILE}.copy-`)]);
  expect(readdirSync(path)).toEqual([JOURNAL_FILE]);
  // What is written from the first copy is another one.
  const { size } = statSync(join(path, JOURNAL_FILE));
  const freeIn = (place: string): number => (place === path ? 1.5 * size : Infinity);
  await copyToDatabase(path, { transaction }, undefined, freeIn);
  expect(during).toEqual([JOURNAL_FILE]);
});

it("takes a backup by the name of its file, and names what is not there", async (context) => {
  const path = stoppedJournal(context);
  const backup = join(path, "backup.sqlite");
  renameSync(join(path, JOURNAL_FILE), backup);
  const transaction = async () => await Promise.resolve(fail({ detail: "refused" } as never));
  expect(await copyToDatabase(backup, { transaction })).toEqual(
    fail("nothing was copied: refused"),
  );
  expect(readdirSync(path)).toEqual(["backup.sqlite"]);
  const missing = await copyToDatabase(path, { transaction });
  expect(missing).toEqual(fail(`there is no journal in ${path}: ${JOURNAL_FILE} is missing`));
});
