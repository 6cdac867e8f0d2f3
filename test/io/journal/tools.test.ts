import { inOneSlice, toEnd, type Slices } from "../../../src/domain/slices.ts";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { succeed } from "../../../src/domain/result.ts";
import { backUp, MOST_BACKUPS } from "../../../src/io/journal/backup.ts";
import { makeRoom } from "../../../src/io/journal/copy-room.ts";
import { explainOpening } from "../../../src/io/journal/file.ts";
import { MOST_PROBLEMS } from "../../../src/io/journal/inspect.ts";
import { JOURNAL_FILE, openJournal, type Journal } from "../../../src/io/journal/journal.ts";
import { salvageJournal } from "../../../src/io/journal/salvage/salvage.ts";
import { checkJournal, copyInSlices, copyJournal } from "../../../src/io/journal/tools.ts";
import { MIGRATIONS } from "../../../src/io/journal/schema.ts";
import { rowOf } from "./row-of.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const AT = Date.UTC(2026, 0, 1);

let room: ReturnType<typeof temporaryDirectory>;
let data: string;
let file: string;

beforeEach(() => {
  room = temporaryDirectory();
  data = join(room.path, "data");
  file = join(data, JOURNAL_FILE);
});
afterEach(() => room.remove());

function opened(directory = data): Journal {
  const journal = openJournal(directory);
  if (!journal.ok) throw new Error(journal.problem);
  return journal.value;
}

/** A journal of so many remediations and findings, each with so long a text. */
function fill(count = 10, length = 10): Journal {
  const journal = opened();
  const changes = Array.from({ length: count }, (_, index) => ({
    table: "remediation" as const,
    key: `r${index + 1}`,
    value: { id: `r${index + 1}`, text: "x".repeat(length) },
  }));
  const findings = changes.map(({ key }, index) => ({
    at: AT + index,
    finding: { type: "kill", source: "operator", on: true, detail: key } as const,
  }));
  const counters = [
    { table: "counter" as const, key: "remediation", value: count },
    { table: "counter" as const, key: "at", value: AT + count },
  ];
  // In small commits, as they come: each row is where the one before it ends.
  const all = [...changes, ...counters];
  for (let from = 0; from < all.length; from += 400) {
    const part = {
      at: AT,
      changes: all.slice(from, from + 400),
      findings: findings.slice(from, from + 400),
    };
    expect(journal.commit(part).ok).toBe(true);
  }
  return journal;
}

function tamper(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** Overwrites pages with nonsense. */
function scratch(from: number, bytes: number): void {
  const content = readFileSync(file);
  content.fill(0xa5, from, from + bytes);
  writeFileSync(file, content);
}

/** A journal as a SIGKILL leaves it: ten remediations in its file, and one more in its log, with a damaged header. */
function damageHeader(): void {
  fill().close();
  const live = opened();
  const changes = [{ table: "remediation" as const, key: "r11", value: { id: "r11" } }];
  const findings = [{ at: AT, finding: killed }];
  expect(live.commit({ at: AT, changes, findings })).toMatchObject({ ok: true });
  const left = [file, `${file}-wal`].map((name) => readFileSync(name));
  live.close();
  const [content = Buffer.alloc(0), log = Buffer.alloc(0)] = left;
  log.fill(0, 0, 32);
  writeFileSync(file, content);
  writeFileSync(`${file}-wal`, log);
}

const killed = { type: "kill", source: "operator", on: true, detail: "r11" } as const;

const picture = () =>
  readdirSync(data).map((name) => [
    name,
    createHash("sha256")
      .update(readFileSync(join(data, name)))
      .digest("hex"),
  ]);

const checked = () => {
  const result = toEnd(checkJournal(data));
  if (!result.ok) throw new Error(result.problem);
  return result.value;
};

const salvaged = () => {
  const result = toEnd(salvageJournal(data, AT));
  if (!result.ok) throw new Error(result.problem);
  return result.value;
};

/** Does what the message of a repair says, and gives the journal that is then opened. */
function useRepaired(repaired: string): Journal {
  for (const name of [JOURNAL_FILE, `${JOURNAL_FILE}-wal`])
    rmSync(join(data, name), { force: true });
  renameSync(repaired, file);
  return opened();
}

describe("a log whose header is damaged", () => {
  const DAMAGE = /the header of journal\.sqlite-wal is damaged, and commits follow/;

  it("refuses the start, and keeps every byte", () => {
    damageHeader();
    const before = picture();
    expect(openJournal(data)).toEqual({ ok: false, problem: expect.stringMatching(DAMAGE) });
    expect(checked().problems).toEqual([expect.stringMatching(DAMAGE)]);
    expect(picture()).toEqual(before);
  });

  it("is named by a repair, which stops acting", () => {
    damageHeader();
    const { lost, file: repaired } = salvaged();
    expect(lost).toEqual([expect.stringMatching(DAMAGE)]);
    const journal = useRepaired(repaired);
    expect([...journal.rows("kill")]).toHaveLength(1);
    journal.close();
  });
});

describe("a check", () => {
  it("says what is in a sound journal, and leaves every byte as it is", () => {
    fill().close();
    const before = picture();
    expect(checked()).toEqual({
      problems: [],
      isNewer: false,
      info: {
        file,
        bytes: statSync(file).size,
        schema: MIGRATIONS.length,
        rows: { counter: 2, remediation: 10 },
        findings: 10,
        oldestFinding: AT,
        newestFinding: AT + 9,
        lastAt: AT + 10,
      },
    });
    expect(picture()).toEqual(before);
  });

  it("names every row and finding that cannot be read", () => {
    fill().close();
    tamper("UPDATE state SET value = '{' WHERE key IN ('r2', 'r3')");
    tamper("UPDATE finding SET body = 'no' WHERE seq = 4");
    expect(checked().problems).toEqual([
      expect.stringContaining("the row remediation r2: not JSON"),
      expect.stringContaining("the row remediation r3: not JSON"),
      "the finding 4: not JSON",
    ]);
  });

  it("names what is JSON and no state, and passes over the tables of a later version", () => {
    fill().close();
    const insert = "INSERT OR REPLACE INTO state (name, key, value) VALUES";
    tamper(`${insert} ('hold', 'a', 'null'), ('hold', 'b', '7'), ('hold', 'c', '"text"')`);
    tamper(`${insert} ('counter', 'at', '"9"'), ('counter', 'hold', '{}'), ('later', 'd', '7')`);
    expect(checked().problems).toEqual([
      "the row counter at: not a number",
      "the row counter hold: not a number",
      "the row hold a: not an object",
      "the row hold b: not an object",
      "the row hold c: not an object",
    ]);
  });

  it("names as many problems as a person reads", () => {
    fill(30).close();
    tamper("UPDATE state SET value = '{' WHERE name = 'remediation'");
    expect(checked().problems).toHaveLength(MOST_PROBLEMS);
  });

  it.each([
    ["cut short", () => truncateSync(file, 20_000)],
    ["scratched", () => scratch(8_192, 4_096)],
    ["no database", () => writeFileSync(file, "no database".repeat(1_000))],
  ])("finds a file that is %s", (_, damage) => {
    fill(500, 200).close();
    damage();
    const before = picture();
    const result = toEnd(checkJournal(data));
    const problems = result.ok ? result.value.problems : [result.problem];
    expect(problems).toEqual([...new Set(problems)]);
    expect(problems.join("\n")).toMatch(/malformed|not a database|page|damaged/i);
    expect(picture()).toEqual(before);
  });

  it("says of one of a newer aggwatch that it is that, and neither repairs nor copies it", () => {
    fill().close();
    tamper("PRAGMA user_version = 999");
    const why = `${file} was written by a newer aggwatch (schema 999; this one knows ${MIGRATIONS.length}). Run that version, or go back to a backup from before it ran. A new journal would know no kill switch, no hold and no budget that is spent.`;
    expect(checked()).toMatchObject({ problems: [why], isNewer: true, info: { schema: 999 } });
    expect(toEnd(salvageJournal(data, AT))).toEqual({ ok: false, problem: why });
    expect(toEnd(copyJournal(data, join(room.path, "copy")))).toEqual({ ok: false, problem: why });
    expect(readdirSync(data)).toEqual([JOURNAL_FILE]);
  });

  it("says of another database that it is no journal", () => {
    mkdirSync(data);
    tamper("CREATE TABLE other (x)");
    expect(checked()).toMatchObject({
      problems: ["it is not a journal: it has no schema", "no such table: finding"],
      info: { schema: 0, rows: {}, findings: 0, lastAt: undefined },
    });
  });

  it("does not take a directory that cannot be looked into for one without a journal", () => {
    // As the directory of another user is; root may look into all but this.
    symlinkSync(data, data);
    const problem = expect.stringMatching(/journal\.sqlite cannot be read \(ELOOP/) as string;
    expect(toEnd(checkJournal(data))).toEqual({ ok: false, problem });
    expect(toEnd(salvageJournal(data, AT))).toEqual({ ok: false, problem });
  });

  it("says why one cannot be opened", () => {
    mkdirSync(file, { recursive: true });
    const cannot = { ok: false, problem: expect.stringContaining(`${file} cannot be opened`) };
    expect(toEnd(checkJournal(data))).toEqual(cannot);
    expect(toEnd(salvageJournal(data, AT))).toEqual(cannot);
  });

  it.for(["database or disk is full", "ENOSPC: no space left on device, write"])(
    "says what to do about a disk that is full: %s",
    (message) => {
      expect(explainOpening(file, new Error(message))).toBe(
        `${file} cannot be opened: its disk is full (${message}). Free some room, and try again: nothing is lost.`,
      );
    },
  );

  it("does not take a path that is called so for a full disk", () => {
    const denied = "EACCES: permission denied, open '/srv/full/journal.sqlite'";
    expect(explainOpening(file, new Error(denied))).toContain("cannot be written");
  });

  it("refuses one that is in use, that is not there, and that is empty", () => {
    expect(toEnd(checkJournal(data))).toMatchObject({
      problem: expect.stringContaining("no journal in"),
    });
    const journal = fill();
    expect(toEnd(checkJournal(data))).toMatchObject({
      problem: expect.stringContaining("is in use"),
    });
    journal.close();
    truncateSync(file, 0);
    const empty = {
      problem: expect.stringMatching(/0 bytes.*There is nothing to be read from it/),
    };
    expect(toEnd(checkJournal(data))).toMatchObject(empty);
    expect(toEnd(salvageJournal(data, AT))).toMatchObject(empty);
  });
});

describe("the copy that is looked at", () => {
  const full = (): never => {
    throw new Error("ENOSPC: no space left on device, copyfile");
  };
  /** No directory can be made in it, not even by root. */
  const closed = "/proc";

  it("is beside the journal, as the temporary directory may be memory, and is then removed", () => {
    fill().close();
    const location = inOneSlice((database: DatabaseSync) => succeed(String(database.location())));
    const seen = toEnd(copyInSlices(data, location));
    expect(seen).toMatchObject({ value: expect.stringContaining(`${file}.copy-`) });
    expect(readdirSync(data)).toEqual([JOURNAL_FILE]);
  });

  it("is elsewhere if the data directory cannot be written, or has no room for all of it", () => {
    fill().close();
    const nothing = () => 0;
    const taken = makeRoom([closed, room.path], nothing, () => undefined);
    expect(taken).toMatchObject({ value: expect.stringContaining(`${room.path}/journal.sqlite.`) });
    const roomy = makeRoom([data, room.path], nothing, (path) => {
      if (path.startsWith(data)) full();
    });
    expect(roomy).toMatchObject({ value: expect.stringContaining(`${room.path}/journal.sqlite.`) });
    expect(readdirSync(data)).toEqual([JOURNAL_FILE]);
  });

  it("is elsewhere if the data directory has room for it, and not for what is written after it", () => {
    fill().close();
    const location = inOneSlice((database: DatabaseSync) => succeed(String(database.location())));
    const freeIn = (place: string): number =>
      place === data ? 1.5 * statSync(file).size : Infinity;
    const directoryOf = (target?: string) => {
      const seen = toEnd(copyInSlices(data, location, { freeIn, ...(target && { target }) }));
      if (!seen.ok) throw new Error(seen.problem);
      return dirname(dirname(seen.value));
    };
    expect(directoryOf()).toBe(data);
    expect(directoryOf(`${file}.repaired`)).toBe(realpathSync(tmpdir()));
  });

  it("is tried in each place if none is known to have the room", () => {
    fill().close();
    const made = makeRoom(
      [data, room.path],
      () => 1,
      () => undefined,
      () => 0,
    );
    expect(made).toMatchObject({ value: expect.stringContaining(`${file}.copy-`) });
  });

  it("is refused with each place that cannot hold it, and not as if the journal were at fault", () => {
    fill().close();
    const refused = makeRoom([closed, data], () => 0, full);
    expect(refused).toMatchObject({
      problem: expect.stringMatching(/no room for a copy.*\/proc \(.*ENO.*data \(ENOSPC/),
    });
    expect(readdirSync(data)).toEqual([JOURNAL_FILE]);
  });
});

describe("what is ended before its end", () => {
  type Begin = (onProgress: (stage: string) => void) => Slices<unknown>;

  it.each<readonly [string, string, Begin]>([
    ["a check", "checking every page and index", (say) => checkJournal(data, say)],
    ["a check", "reading every row of state", (say) => checkJournal(data, say)],
    ["a repair", "saving rows of state", (say) => salvageJournal(data, AT, say)],
    ["a repair", "saving pages of the record", (say) => salvageJournal(data, AT, say)],
    ["a backup", "writing the copy", (say) => copyJournal(data, join(room.path, "copy"), say)],
  ])("can be, and leaves nothing but the journal: %s, %s", (_, last, begin) => {
    fill().close();
    const before = picture();
    const stages: string[] = [];
    const work = begin((stage) => void stages.push(stage));
    while (stages.at(-1) !== last && work.next().done !== true);
    expect(stages.at(-1)).toBe(last);
    expect(work.return(undefined)).toEqual({ done: true, value: undefined });
    expect(picture()).toEqual(before);
    expect(existsSync(join(room.path, "copy"))).toBe(false);
  });
});

describe("a repair", () => {
  it("saves everything of a sound journal, and does not stop acting", () => {
    fill().close();
    const { lost, rows, findings, file: repaired } = salvaged();
    expect({ lost, rows, findings }).toEqual({ lost: [], rows: 12, findings: 10 });
    const journal = useRepaired(repaired);
    expect(rowOf(journal, "remediation", "r7")).toMatchObject({ id: "r7" });
    expect(rowOf(journal, "kill", "operator")).toBeUndefined();
    expect(journal.findings(1)).toMatchObject([{ at: AT + 9 }]);
    journal.close();
  });

  it("leaves out what cannot be read, names it, and turns the kill switch on", () => {
    fill().close();
    tamper("UPDATE state SET value = '{' WHERE key = 'r2'");
    tamper("DELETE FROM state WHERE name = 'counter'");
    const before = picture();
    const { lost, rows, file: repaired } = salvaged();
    expect(lost).toEqual([expect.stringContaining("the row remediation r2: not JSON")]);
    expect(rows).toBe(9);
    expect(picture()).toEqual(expect.arrayContaining(before));
    const journal = useRepaired(repaired);
    expect(rowOf(journal, "kill", "operator")).toMatchObject({ by: "aggwatch journal repair" });
    // No id is given twice, although the counter was lost.
    expect(rowOf(journal, "counter", "remediation")).toBe(10);
    journal.close();
  });

  it.each([
    ["cut short", () => truncateSync(file, Math.floor(statSync(file).size / 2 / 4_096) * 4_096)],
    ["scratched", () => scratch(Math.floor(statSync(file).size / 2 / 4_096) * 4_096, 4_096)],
  ])("saves what there is in a file that is %s, and says that something is lost", (_, damage) => {
    fill(2_000, 100).close();
    damage();
    const { lost, rows, findings, file: repaired } = salvaged();
    expect(lost.length).toBeGreaterThan(0);
    expect(rows + findings).toBeGreaterThan(100);
    const journal = useRepaired(repaired);
    expect(rowOf(journal, "kill", "operator")).toBeDefined();
    journal.close();
  });

  it.for([
    [
      "empty",
      () => truncateSync(file, 0),
      /what was only in journal\.sqlite: it is empty, 0 bytes/,
    ],
    ["gone", () => rmSync(file), /what was only in journal\.sqlite: it is gone, and its/],
  ] as const)(
    "saves what is in the log of a journal that is %s, and stops acting",
    ([, happen, why]) => {
      const live = fill(100, 1_000);
      const left = [file, `${file}-wal`].map((name) => readFileSync(name));
      live.close();
      for (const [index, name] of [file, `${file}-wal`].entries())
        writeFileSync(name, left[index] ?? "");
      happen();
      const before = picture();
      expect(toEnd(checkJournal(data))).toMatchObject({
        problem: expect.stringMatching(/journal repair` saves what its journal\.sqlite-wal has\.$/),
      });
      const { lost, file: repaired } = salvaged();
      expect(lost[0]).toMatch(why);
      expect(picture().filter(([name]) => !name?.includes("repaired"))).toEqual(before);
      const journal = useRepaired(repaired);
      expect(rowOf(journal, "remediation", "r10")).toMatchObject({ id: "r10" });
      expect([...journal.rows("kill")]).toHaveLength(1);
      journal.close();
    },
  );

  it("leaves out a page of the record that cannot be read, and names it", () => {
    const journal = fill();
    const page = { at: AT, until: AT, whole: true, body: "[]" };
    const pages = [page, { ...page }, { ...page }];
    expect(journal.commit({ at: AT, changes: [], findings: [], pages }).ok).toBe(true);
    journal.close();
    tamper("UPDATE record SET body = x'0001' WHERE seq = 2");
    const damaged = [expect.stringContaining("page 2 of the record: ") as string];
    expect(checked().problems).toEqual(damaged);
    const { lost, file: repaired } = salvaged();
    expect(lost).toEqual(damaged);
    const sound = useRepaired(repaired);
    expect(sound.pagesFrom(0, 10).map(({ seq }) => seq)).toEqual([1, 3]);
    expect(rowOf(sound, "kill", "operator")).toBeDefined();
    sound.close();
    expect(checked().problems).toEqual([]);
  });

  it("never overwrites, and makes nothing of what is not a database", () => {
    fill().close();
    const { file: repaired } = salvaged();
    const content = readFileSync(repaired);
    expect(toEnd(salvageJournal(data, AT)).ok).toBe(false);
    expect(readFileSync(repaired)).toEqual(content);
    writeFileSync(file, "no database".repeat(1_000));
    // It does not advise what was just done.
    expect(toEnd(salvageJournal(data, AT + 1))).toEqual({
      ok: false,
      problem: `nothing can be read from ${file} (file is not a database). Keep a copy of it, and go back to a backup: DATA/backups has what \`aggwatch journal backup\` made.`,
    });
    expect(readdirSync(data).toSorted()).toEqual([JOURNAL_FILE, repaired.split("/").at(-1)]);
  });
});

describe("a backup", () => {
  it("of a stopped journal is a whole file of its own, with what was in the log", () => {
    const journal = fill();
    // As a killed process leaves it: the newest is in the log alone.
    const target = join(room.path, "copy", JOURNAL_FILE);
    expect(toEnd(copyJournal(data, target))).toMatchObject({
      problem: expect.stringContaining("in use"),
    });
    journal.close();
    opened(join(room.path, "copy")).close();
    expect(toEnd(copyJournal(data, target))).toEqual({
      ok: false,
      problem: `${target} exists already, and nothing is overwritten: give another file`,
    });
    rmSync(target);
    const stages: string[] = [];
    const copied = toEnd(copyJournal(data, target, (stage) => void stages.push(stage)));
    expect(copied).toEqual({ ok: true, value: statSync(target).size });
    // It needs no log: https://www.sqlite.org/fileformat2.html#file_format_version_numbers
    expect([...readFileSync(target).subarray(18, 20)]).toEqual([1, 1]);
    expect(stages).toEqual([
      "copying it, to look at the copy",
      "checking every page and index",
      "reading every row of state",
      "reading every page of the record",
      "writing the copy",
    ]);
    const copy = opened(join(room.path, "copy"));
    expect(rowOf(copy, "remediation", "r10")).toMatchObject({ id: "r10" });
    copy.close();
  });

  it("that cannot be written says so of its file, and not of the data directory", () => {
    fill().close();
    const target = join(room.path, "no such directory", "copy.sqlite");
    expect(toEnd(copyJournal(data, target))).toMatchObject({
      problem: expect.stringMatching(/^\S.*copy\.sqlite cannot be written: ENOENT/),
    });
  });

  it("of a damaged one is refused", () => {
    fill().close();
    tamper("UPDATE state SET value = '{' WHERE key = 'r2'");
    const target = join(room.path, "copy.sqlite");
    expect(toEnd(copyJournal(data, target))).toMatchObject({
      problem: expect.stringMatching(
        /journal\.sqlite is damaged: the row remediation r2: not JSON.*\. Of one in a data directory, `aggwatch journal repair` saves what can be read\.$/,
      ),
    });
    expect(existsSync(target)).toBe(false);
  });

  it("while it runs holds all that was committed, and commits go on after it", () => {
    const journal = fill(5_000, 500);
    const made = journal.backUp(AT);
    const changes = [{ table: "kill" as const, key: "file", value: {} }];
    if (!made.ok) throw new Error(made.problem);
    expect(made.value.file).toBe(join(data, "backups", "journal-2026-01-01T00-00-00.000Z.sqlite"));
    expect(journal.commit({ at: AT, changes, findings: [] }).ok).toBe(true);
    journal.close();
    rmSync(file);
    renameSync(made.value.file, file);
    expect(checked().problems).toEqual([]);
    expect(checked().info).toMatchObject({ findings: 5_000, rows: { remediation: 5_000 } });
  });

  it("saves a journal that was deleted under the process that has it open", () => {
    const journal = fill();
    for (const name of [file, `${file}-wal`]) rmSync(name);
    expect(journal.inPlace().ok).toBe(false);
    const made = journal.backUp(AT);
    journal.close();
    const checked = toEnd(checkJournal(made.ok ? made.value.file : made.problem));
    expect(checked).toMatchObject({ value: { problems: [], info: { rows: { remediation: 10 } } } });
  });

  it("is not made if the journal would have less room than the backup takes", () => {
    fill(5_000, 500).close();
    const database = new DatabaseSync(file);
    const bytes = statSync(file).size;
    const free = (more: number) => backUp(database, data, AT, () => 2 * bytes + more);
    expect(free(-1)).toMatchObject({
      problem: expect.stringMatching(/is not made, as it would leave too little room: .* MB/),
    });
    expect(readdirSync(join(data, "backups"))).toEqual([]);
    // What is left of one that was cut off goes first.
    const left = join(data, "backups", "journal-2025-01-01T00-00-00.000Z.sqlite.unfinished");
    writeFileSync(left, "");
    expect(backUp(database, data, AT - 1, () => (existsSync(left) ? 0 : Infinity)).ok).toBe(true);
    expect(free(0).ok).toBe(true);
    database.close();
  });

  it("is kept with the newest, and no file of another name is touched", () => {
    const journal = fill();
    for (let index = 0; index < MOST_BACKUPS + 3; index += 1) {
      expect(journal.backUp(AT + index).ok).toBe(true);
      if (index === 0) writeFileSync(join(data, "backups", "mine.sqlite"), "");
    }
    expect(journal.backUp(AT + MOST_BACKUPS).ok).toBe(false);
    journal.close();
    const names = readdirSync(join(data, "backups"));
    expect(names).toHaveLength(MOST_BACKUPS + 1);
    expect(names).toContain("mine.sqlite");
    expect(names).not.toContain("journal-2026-01-01T00-00-00.002Z.sqlite");
  });

  it("is made though what is older cannot be deleted, and loops of links are deleted as others are", () => {
    const journal = fill();
    const backups = join(data, "backups");
    const stays = [
      "journal-2025-01-01T00-00-00.000Z.sqlite",
      "journal-2025-01-01T00-00-00.000Z.sqlite.unfinished",
    ];
    for (const name of stays) mkdirSync(join(backups, name), { recursive: true });
    const loop = "journal-2025-01-02T00-00-00.000Z.sqlite";
    symlinkSync(loop, join(backups, loop));
    for (let index = 0; index < MOST_BACKUPS; index += 1)
      expect(journal.backUp(AT + index)).toMatchObject({ ok: true });
    journal.close();
    const names = readdirSync(backups);
    expect(names).toHaveLength(MOST_BACKUPS + stays.length);
    expect(names).toEqual(expect.arrayContaining(stays));
  });

  it("deletes what is left of one that was cut off", () => {
    const journal = fill();
    const backups = join(data, "backups");
    mkdirSync(backups);
    const cutOff = "journal-2025-12-31T23-59-59.999Z.sqlite.unfinished";
    for (const name of [cutOff, `${cutOff}-journal`, "mine.sqlite.unfinished"])
      writeFileSync(join(backups, name), "");
    expect(journal.backUp(AT).ok).toBe(true);
    journal.close();
    expect(readdirSync(backups).toSorted()).toEqual([
      "journal-2026-01-01T00-00-00.000Z.sqlite",
      "mine.sqlite.unfinished",
    ]);
  });
});
