import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openJournal } from "../../../src/io/journal/journal.ts";

/** Journals that are damaged where no start reads them: in old findings, in their indexes, in free pages. */

const PAGE = 4_096;
const FIRST_FREE_PAGE = 32;

/** A journal with findings on some hundred pages, which are a minute old. */
export function fillJournal(directory: string, at: number): void {
  const journal = openJournal(directory);
  if (!journal.ok) throw new Error(journal.problem);
  const findings = Array.from({ length: 4_000 }, (_, index) => ({
    at: at + index,
    finding: { type: "kill", source: "operator", on: false, detail: "x".repeat(200) } as const,
  }));
  const committed = journal.value.commit({ at, changes: [], findings });
  if (!committed.ok) throw new Error(committed.problem);
  journal.value.close();
}

/** Half of its rows are in its file, and the other half in its log: so together they need more room than either. */
export function killedJournal(directory: string): string {
  const live = join(directory, "live");
  const killed = join(directory, "killed");
  mkdirSync(killed);
  for (const half of ["in the file", "in the log"]) {
    const journal = openJournal(live);
    if (!journal.ok) throw new Error(journal.problem);
    for (let row = 0; row < 15; row += 1) {
      const value = { text: "x".repeat(100_000) };
      const changed = { table: "entity", key: `${half} ${row}`, value } as const;
      const committed = journal.value.commit({ at: 1, changes: [changed], findings: [] });
      if (!committed.ok) throw new Error(committed.problem);
    }
    for (const name of readdirSync(live)) copyFileSync(join(live, name), join(killed, name));
    journal.value.close();
  }
  return killed;
}

export function overwrite(file: string, at: number, bytes: Buffer): void {
  const handle = openSync(file, "r+");
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
}

/** Overwrites the leaf that has so large a part of a table before it. */
export function overwriteLeaf(file: string, table: string, part: number): void {
  const pages: number[] = [];
  change(file, (database) => {
    const leaves = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path";
    for (const { pageno } of database.prepare(leaves).all(table)) pages.push(Number(pageno));
  });
  const page = pages.at(Math.floor(part * (pages.length - 1)));
  if (page === undefined) throw new Error(`${table} has no leaf`);
  overwritePage(file, page);
}

function overwritePage(file: string, page: number): void {
  overwrite(file, (page - 1) * PAGE, Buffer.alloc(PAGE, 0xa5));
}

export function change(file: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file);
  database.enableDefensive(false);
  try {
    work(database);
  } finally {
    database.close();
  }
}

/** A page in the middle of a table or an index. */
function pageOf(file: string, name: string): number {
  const pages: number[] = [];
  change(file, (database) => {
    const rows = database.prepare("SELECT pageno FROM dbstat WHERE name = ? ORDER BY pageno");
    for (const { pageno } of rows.all(name)) pages.push(Number(pageno));
  });
  const page = pages[Math.floor(pages.length / 2)];
  if (page === undefined) throw new Error(`${name} has no page`);
  return page;
}

/** The index is not there while a row is written, and is there again afterwards. */
function leaveOutOfIndex(file: string): void {
  const isIndex = "type = 'index' AND name = 'finding_at'";
  change(file, (database) => {
    database.exec("PRAGMA writable_schema = ON");
    database.exec(`CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE ${isIndex}`);
    database.exec(`DELETE FROM sqlite_schema WHERE ${isIndex}`);
  });
  change(file, (database) => {
    database.exec("INSERT INTO finding (at, type, body) VALUES (1, 'kill', '{}')");
    database.exec("PRAGMA writable_schema = ON");
    database.exec("INSERT INTO sqlite_schema SELECT * FROM kept");
  });
  change(file, (database) => database.exec("DROP TABLE kept"));
}

export type Damage = readonly [what: string, damage: (file: string) => void, found: RegExp];

export const DAMAGES: readonly Damage[] = [
  [
    "a page of old findings is overwritten",
    (file) => overwritePage(file, pageOf(file, "finding")),
    /invalid page number|btreeInitPage|malformed/,
  ],
  [
    "a row is missing from an index",
    leaveOutOfIndex,
    /row \d+ missing from index finding_at|wrong # of entries in index finding_at/,
  ],
  [
    "the list of free pages is overwritten",
    (file) => {
      change(file, (database) => database.exec("DELETE FROM finding WHERE seq % 1000 > 300"));
      overwritePage(file, readFileSync(file).readUInt32BE(FIRST_FREE_PAGE));
    },
    /Freelist|malformed/,
  ],
  [
    "a page of an index is overwritten",
    (file) => overwritePage(file, pageOf(file, "finding_at")),
    /invalid page number|btreeInitPage|malformed/,
  ],
  [
    "an old finding is not what was written",
    (file) =>
      change(file, (database) => database.exec("UPDATE finding SET body = 'x' WHERE seq = 7")),
    /the finding 7: not JSON/,
  ],
];
