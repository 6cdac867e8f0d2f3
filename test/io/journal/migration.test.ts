/** Tests src/io/journal: migration. */
import { toEnd } from "../../../src/domain/slices.ts";
import { copyFileSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { restore } from "../../../src/core/start.ts";
import { JOURNAL_FILE, openJournal } from "../../../src/io/journal/journal.ts";
import { versionOf } from "../../../src/io/journal/database.ts";
import { MIGRATIONS, migrate } from "../../../src/io/journal/schema.ts";
import { salvageJournal } from "../../../src/io/journal/salvage/salvage.ts";
import { checkJournal, copyJournal } from "../../../src/io/journal/tools.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");
const AT = Date.UTC(2026, 0, 1);

let room: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  room = temporaryDirectory();
});
afterEach(() => room.remove());

function useFixture(schema: number): string {
  const file = join(room.path, JOURNAL_FILE);
  copyFileSync(join(FIXTURES, `journal-schema-${schema}.sqlite`), file);
  return file;
}

/** What the fixture holds, by way of the state that is made of it. */
function expectTheFixture(schema: number): void {
  const journal = openJournal(room.path);
  if (!journal.ok) throw new Error(journal.problem);
  const state = restore(journal.value.rows());
  expect(state.at).toBe(AT + 70_000);
  expect(state.tables.entity.get("sim/exchange/BINANCE")?.firstSeen).toBe(AT - 86_400_000);
  expect([...state.tables.alert.values()]).toMatchObject([{ state: "firing", startedAt: AT }]);
  expect([...state.unsettled]).toEqual([["sim/exchange/BINANCE", "r1"]]);
  expect(state.ledger).toHaveLength(1);
  expect(journal.value.findings(1)).toMatchObject([{ finding: { detail: `of schema ${schema}` } }]);
  journal.value.close();
}

describe("a journal of an older schema", () => {
  it.each(MIGRATIONS.map((_, index) => index + 1))("%i opens, with all that it knew", (schema) => {
    useFixture(schema);
    expectTheFixture(schema);
    expect(toEnd(checkJournal(room.path))).toMatchObject({
      value: { problems: [], info: { schema: MIGRATIONS.length } },
    });
  });

  it.each(MIGRATIONS.map((_, index) => index + 1))(
    "%i is sound to a check, a backup and a repair, before it takes a step",
    (schema) => {
      useFixture(schema);
      const target = join(room.path, "backup.sqlite");
      expect(toEnd(copyJournal(room.path, target))).toMatchObject({ ok: true });
      for (const path of [room.path, target])
        expect(toEnd(checkJournal(path))).toMatchObject({
          value: { problems: [], info: { schema, lastAt: AT + 70_000 } },
        });
      const saved = toEnd(salvageJournal(room.path, AT));
      expect(saved).toMatchObject({ value: { rows: 6, lost: [] } });
      if (saved.ok) renameSync(saved.value.file, join(room.path, JOURNAL_FILE));
      expectTheFixture(schema);
    },
  );

  it("has a fixture for every schema that there ever was", () => {
    const fixtures = readdirSync(FIXTURES).filter((name) => name.endsWith(".sqlite"));
    expect(fixtures).toHaveLength(MIGRATIONS.length);
  });

  it("takes the steps that it lacks, and keeps its rows", () => {
    const database = new DatabaseSync(useFixture(1));
    const next = "ALTER TABLE finding ADD COLUMN note TEXT NOT NULL DEFAULT 'none'";
    migrate(database, [MIGRATIONS[0] ?? "", next]);
    expect(versionOf(database)).toBe(2);
    expect(database.prepare("SELECT note, type FROM finding").all()).toEqual([
      { note: "none", type: "kill" },
    ]);
    expect(database.prepare("SELECT count(*) AS rows FROM state").get()?.["rows"]).toBe(6);
    database.close();
  });

  it("stays as it is if a step fails", () => {
    const database = new DatabaseSync(useFixture(1));
    const broken = "DELETE FROM state; ALTER TABLE nowhere ADD COLUMN note TEXT";
    expect(() => migrate(database, [MIGRATIONS[0] ?? "", broken])).toThrow("nowhere");
    database.close();
    expectTheFixture(1);
  });
});
