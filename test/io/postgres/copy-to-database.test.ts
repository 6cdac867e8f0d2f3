import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { fail } from "../../../src/domain/result.ts";
import { JOURNAL_FILE, openJournal } from "../../../src/io/journal/journal.ts";
import { copyToDatabase } from "../../../src/io/postgres/copy-to-database.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

it("reads a copy beside the journal, as the temporary directory may be memory, and removes it", async (context) => {
  const { path, remove } = temporaryDirectory();
  context.onTestFinished(remove);
  const journal = openJournal(path);
  if (!journal.ok) throw new Error(journal.problem);
  journal.value.close();
  let during: readonly string[] = [];
  const transaction = async () => {
    during = readdirSync(path);
    return await Promise.resolve(fail({ detail: "refused" } as never));
  };
  const copied = await copyToDatabase(path, { transaction });
  expect(copied).toEqual({ ok: false, problem: "nothing was copied: refused" });
  expect(during).toEqual([JOURNAL_FILE, expect.stringContaining(`${JOURNAL_FILE}.copy-`)]);
  expect(readdirSync(path)).toEqual([JOURNAL_FILE]);
});
