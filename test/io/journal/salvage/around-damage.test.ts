/** Tests src/io/journal/salvage/salvage.ts: what is before and after a damage. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { toEnd } from "../../../../src/domain/slices.ts";
import {
  JOURNAL_FILE,
  journalOf,
  openJournal,
  type Journal,
} from "../../../../src/io/journal/journal.ts";
import { isComplete } from "../../../../src/io/journal/large-commit.ts";
import { explainNotWritten } from "../../../../src/io/journal/salvage/new-file.ts";
import { salvageJournal } from "../../../../src/io/journal/salvage/salvage.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { change, overwriteLeaf } from "../damages.ts";

let room: ReturnType<typeof temporaryDirectory>;
let file: string;
beforeEach(() => {
  room = temporaryDirectory();
  file = join(room.path, JOURNAL_FILE);
});
afterEach(() => room.remove());

const number = (_: unknown, index: number): number => index + 1;

/** So many of each: entities, findings and pages of the record. */
function fill(count: number): void {
  const opened = openJournal(room.path);
  if (!opened.ok) throw new Error(opened.problem);
  const numbers = Array.from({ length: count }, number);
  const detail = "x".repeat(100);
  const committed = opened.value.commit({
    at: 1,
    changes: numbers.map((n) => ({ table: "entity", key: `e${1_000 + n}`, value: { detail } })),
    findings: numbers.map((at) => ({
      at,
      finding: { type: "kill", source: "operator", on: true, detail },
    })),
    pages: numbers.map((at) => ({ at, until: at, whole: true, body: `["${detail}"]` })),
  });
  expect(committed).toMatchObject({ ok: true });
  opened.value.close();
}

function saved() {
  const done = toEnd(salvageJournal(room.path, 1));
  if (!done.ok) throw new Error(done.problem);
  const database = new DatabaseSync(done.value.file, { readOnly: true });
  const all = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => row["one"]);
  const found = {
    entities: all("SELECT key AS one FROM state WHERE name = 'entity' ORDER BY key"),
    findings: all("SELECT seq AS one FROM finding ORDER BY seq"),
    pages: all("SELECT seq AS one FROM record ORDER BY seq"),
    kills: all("SELECT key AS one FROM state WHERE name = 'kill'"),
  };
  database.close();
  return { ...done.value, ...found };
}

it("everything on both sides of a damage is saved, and the damage is named once", () => {
  fill(900);
  for (const table of ["state", "record"]) overwriteLeaf(file, table, 0.5);
  const { lost, entities, findings, pages } = saved();
  for (const [first, last, all] of [
    ["e1001", "e1900", entities],
    [1, 900, pages],
  ] as const) {
    expect([all[0], all.at(-1)]).toEqual([first, last]);
    expect(all.length).toBeGreaterThan(800);
    expect(all.length).toBeLessThan(900);
  }
  expect(findings).toHaveLength(900);
  const why = "it is not known how many: database disk image is malformed";
  expect(lost).toEqual([`rows of entity, ${why}`, `pages of the record, ${why}`]);
});

it.for([
  ["first", 0],
  ["last", 1],
] as const)("of findings whose %s page is damaged, all others are saved", ([, part]) => {
  fill(900);
  overwriteLeaf(file, "finding", part);
  const { lost, findings } = saved();
  expect(findings.length).toBeGreaterThan(800);
  expect(findings.includes(1)).toBe(part === 1);
  expect(findings.includes(900)).toBe(part === 0);
  expect(lost).toEqual([expect.stringMatching(/^at most \d+ findings that cannot be read$/)]);
});

it("a single finding is saved", () => {
  fill(1);
  expect(saved()).toMatchObject({ lost: [], findings: [1] });
});

it.for([
  ["NULL", "NOT NULL constraint failed"],
  ["'no instant'", "cannot store TEXT value"],
] as const)("a row whose instant a damage made %s is left out, and named", ([instant, why]) => {
  fill(9);
  change(file, (database) => {
    database.exec("PRAGMA writable_schema = ON");
    const lax = "replace(replace(sql, 'STRICT', ''), 'NOT NULL', '')";
    database.exec(`UPDATE sqlite_schema SET sql = ${lax} WHERE name IN ('finding', 'record')`);
  });
  change(file, (database) => {
    database.exec(`UPDATE finding SET at = ${instant} WHERE seq = 4`);
    database.exec(`UPDATE record SET at = ${instant} WHERE seq = 6`);
  });
  const { lost, findings, pages, kills } = saved();
  expect(findings).toEqual([1, 2, 3, 5, 6, 7, 8, 9]);
  expect(pages).toEqual([1, 2, 3, 4, 5, 7, 8, 9]);
  expect(lost).toEqual([
    "1 finding that cannot be read",
    expect.stringMatching(`^pages of the record, it is not known how many: ${why}`),
  ]);
  expect(kills).toEqual(["operator"]);
});

it("a large commit whose parts are damaged is named", () => {
  fill(1);
  const database = new DatabaseSync(file);
  const journal: Journal = journalOf(database, room.path, { rowsAtOnce: () => 0 });
  const changes = [{ table: "entity", key: "late", value: {} }] as const;
  const work = journal.commitInSlices({ at: 2, changes, findings: [] });
  while (!isComplete(database) && work.next().done !== true);
  database.exec("UPDATE large_commit SET body = '{'");
  journal.close();
  const { lost, entities, kills } = saved();
  expect(lost).toEqual(["a part of a large commit, which could not be brought in"]);
  expect([entities, kills]).toEqual([["e1001"], ["operator"]]);
});

it.for([
  ["database or disk is full", " Free some room on its disk."],
  ["disk I/O error", " Is its disk full, or does it fail?"],
  ["unable to open database file", " Make /data writable, or repair a copy of it in a directory"],
  ["out of memory", ""],
])("what helps against %j is said", ([message = "", advice = ""]) => {
  const said = explainNotWritten("/data/new", new Error(message));
  const start = `/data/new cannot be written (${message}).`;
  expect(said.slice(0, (start + advice).length)).toBe(start + advice);
  expect(said === start).toBe(advice === "");
});
