import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  backUp,
  dropOldestBackups,
  dropUnfinished,
  MOST_BACKUPS,
  MOST_BACKUPS_OF_REPLICA,
} from "../../../src/io/journal/backup.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

let room: ReturnType<typeof temporaryDirectory>;
let backups: string;
beforeEach(() => {
  room = temporaryDirectory();
  backups = join(room.path, "backups");
  mkdirSync(backups);
});
afterEach(() => room.remove());

const nameOf = (kind: string, second: number): string =>
  `${kind}-2026-01-01T00-00-${String(second).padStart(2, "0")}.000Z.sqlite`;
const AT_SECOND_5 = Date.UTC(2026, 0, 1, 0, 0, 5);
const AT_LAST = Date.UTC(2026, 0, 1, 0, 0, MOST_BACKUPS + 1);

it("backups of one kind leave those of the other, and what is begun later", () => {
  const seconds = [...Array(MOST_BACKUPS + 2).keys()];
  const names = ["journal", "replicas"].flatMap((kind) => [
    ...seconds.map((second) => nameOf(kind, second)),
    ...[4, 5, 6].map((second) => `${nameOf(kind, second)}.unfinished`),
  ]);
  for (const name of names) writeFileSync(join(backups, name), "");
  expect(dropUnfinished(room.path, AT_SECOND_5)).toEqual([]);
  expect(dropOldestBackups(room.path, AT_LAST, "replicas")).toEqual([]);
  expect(dropOldestBackups(room.path, AT_LAST)).toEqual([]);
  expect(readdirSync(backups).toSorted()).toEqual(
    [
      ...seconds.slice(-MOST_BACKUPS).map((second) => nameOf("journal", second)),
      ...[5, 6].map((second) => `${nameOf("journal", second)}.unfinished`),
      ...seconds.slice(-MOST_BACKUPS_OF_REPLICA).map((second) => nameOf("replicas", second)),
      ...[4, 5, 6].map((second) => `${nameOf("replicas", second)}.unfinished`),
    ].toSorted(),
  );
});

it("a backup is kept although as many are named after a later instant, as the clock was set back", () => {
  const seconds = [...Array(MOST_BACKUPS).keys()].map((second) => second + 10);
  for (const second of seconds) writeFileSync(join(backups, nameOf("journal", second)), "");
  const database = new DatabaseSync(":memory:");
  for (const at of [AT_SECOND_5, AT_SECOND_5 + 1_000])
    expect(backUp(database, room.path, at)).toMatchObject({ ok: true });
  database.close();
  expect(readdirSync(backups).toSorted()).toEqual(
    [5, 6, ...seconds.slice(2)].map((second) => nameOf("journal", second)),
  );
});

it("a backup names what it cannot delete", () => {
  const database = new DatabaseSync(":memory:");
  const old = nameOf("journal", 1);
  mkdirSync(join(backups, `${old}.unfinished`));
  expect(backUp(database, room.path, AT_SECOND_5)).toMatchObject({
    value: { undeleted: [{ file: join(backups, `${old}.unfinished`) }] },
  });
  database.close();
});

it("a backup that the disk cuts off leaves nothing", () => {
  class FullDisk extends DatabaseSync {
    override prepare(sql: string): StatementSync {
      if (sql.startsWith("VACUUM")) throw new Error("database or disk is full");
      return super.prepare(sql);
    }
  }
  const database = new FullDisk(":memory:");
  expect(backUp(database, room.path, AT_SECOND_5)).toEqual({
    ok: false,
    problem: expect.stringMatching(/sqlite could not be written: database or disk is full$/),
  });
  expect(readdirSync(backups)).toEqual([]);
  database.close();
});
