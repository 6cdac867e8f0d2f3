import { counted } from "../../../domain/wording.ts";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { fail, succeed, type Result } from "../../../domain/result.ts";
import type { Slices } from "../../../domain/slices.ts";
import { STATE_TABLES } from "../../../domain/step.ts";
import { formatInstant, type Instant } from "../../../domain/time.ts";
import { messageOf } from "../../../domain/error-message.ts";
import { giveName, isDamage, JOURNAL_FILE, makePrivateFile, obviousDamage } from "../file.ts";
import { logDamage } from "../log-damage.ts";
import { pageProblem, storedPage } from "../record-pages.ts";
import { brokenFinding, named, rowProblem } from "../rows.ts";
import { jsonProblem, schemaOf } from "../database.ts";
import { isComplete, recoverIfPossible } from "../large-commit.ts";
import { migrate, newerSchema, RECORD_SCHEMA } from "../schema.ts";
import { copyInSlices, hasLogAlone } from "../tools.ts";
import { explainNotWritten, NotWritten, restoreCounters, saving, stopActing } from "./new-file.ts";

/** How much of a damaged journal was saved, and what was lost. */
export type Salvage = {
  readonly file: string;
  readonly rows: number;
  readonly findings: number;
  /** One line for each thing that is lost, as far as it can be known. */
  readonly lost: readonly string[];
};

/**
 * Saves the rows that can be read into a new file beside the damaged one, which stays as it is. If anything is lost,
 * the kill switch of the new journal is on: lost remediations would not count for budgets, and aggwatch would not wait
 * for them.
 */
export function* salvageJournal(
  directory: string,
  at: Instant,
  onProgress: (stage: string) => void = () => undefined,
): Slices<Result<Salvage, string>> {
  const stamp = formatInstant(at).replaceAll(":", "-");
  const file = join(directory, JOURNAL_FILE);
  const target = `${file}.repaired-${stamp}`;
  const unfinished = `${file}.unfinished-${stamp}`;
  const ofLogAlone = hasLogAlone(file);
  const ofFile = ofLogAlone
    ? `what was only in ${JOURNAL_FILE}: ${obviousDamage(file)}`
    : undefined;
  if (existsSync(target)) return fail(`${target} exists already`);
  const work = function* (damaged: DatabaseSync): Slices<Result<Salvage, string>> {
    // Lets SQLite read a file that is shorter than its header says.
    damaged.enableDefensive(false);
    damaged.exec("PRAGMA writable_schema = ON");
    recoverIfPossible(damaged);
    // Only the newer version knows what its rows mean.
    const newer = readable(() => newerSchema(damaged, file), file);
    if (!newer.ok) return newer;
    if (newer.value !== undefined) return fail(newer.value);
    let made: DatabaseSync | undefined;
    try {
      makePrivateFile(unfinished);
      made = new DatabaseSync(unfinished);
      migrate(made);
      made.exec("BEGIN");
      const lost = [ofFile, logDamage(file)].filter((line) => line !== undefined);
      yield onProgress("saving rows of state");
      if (isComplete(damaged)) lost.push("a part of a large commit, which could not be brought in");
      const rows = saveState(damaged, made, lost);
      yield onProgress("saving findings");
      const findings = saveFindings(damaged, made, lost);
      yield onProgress("saving pages of the record");
      if (schemaOf(damaged) >= RECORD_SCHEMA) lost.push(...savePages(damaged, made));
      if (lost.length > 0) {
        restoreCounters(made);
        stopActing(made, at);
      }
      made.exec("COMMIT");
      made.close();
      // It gets its name once it is whole: a part of a journal would know no kill switch and no budget that is spent.
      const isOfUse = rows + findings > 0;
      if (isOfUse && !giveName(unfinished, target)) return fail(`${target} exists already`);
      return succeed({ file: target, rows, findings, lost });
    } catch (error) {
      if (isDamage(error)) throw error;
      return fail(explainNotWritten(target, error));
    } finally {
      if (made?.isOpen === true) made.close();
    }
  };
  try {
    const saved = yield* copyInSlices(directory, work, { target, ofLogAlone });
    if (!saved.ok || saved.value.rows + saved.value.findings > 0) return saved;
    return fail(["nothing could be read from it:", ...saved.value.lost].join("\n  "));
  } finally {
    if (existsSync(unfinished)) rmSync(unfinished);
  }
}

/** What is read first; if not even that can be, the advice to repair it would lead nowhere. */
function readable<Value>(read: () => Value, file: string): Result<Value, string> {
  try {
    return succeed(read());
  } catch (error) {
    if (!isDamage(error)) throw error;
    return fail(
      `nothing can be read from ${file} (${messageOf(error)}). Keep a copy of it, and go back to a backup: DATA/backups has what \`aggwatch journal backup\` made.`,
    );
  }
}

type Row = Record<string, SQLOutputValue>;

function saveState(damaged: DatabaseSync, made: DatabaseSync, lost: string[]): number {
  const save = saving(
    made,
    "INSERT INTO state (name, key, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  let saved = 0;
  for (const table of STATE_TABLES) {
    const problems = new Set<string>();
    const unread = readBothEnds(
      damaged,
      (order) => `SELECT key, value FROM state WHERE name = '${table}' ORDER BY key ${order}`,
      (row) => {
        const [key, value] = [String(row["key"]), String(row["value"])];
        const problem = rowProblem(table, key, value);
        if (problem === undefined) saved += save(table, key, value);
        else problems.add(problem);
      },
    );
    const stopped = unread.map((why) => `rows of ${table}, it is not known how many: ${why}`);
    lost.push(...named([...problems], `rows of ${table}`), ...stopped);
  }
  return saved;
}

/** A replay leaves out what follows a missing page, until the next chapter. */
function savePages(damaged: DatabaseSync, made: DatabaseSync): readonly string[] {
  const save = saving(
    made,
    "INSERT INTO record (seq, at, until, whole, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const problems = new Map<SQLOutputValue, string | undefined>();
  const unread = readBothEnds(
    damaged,
    (order) => `SELECT seq, at, until, whole, body FROM record ORDER BY seq ${order}`,
    (row) => {
      const { seq = 0, at = 0, until = 0, whole = 0, body = null } = row;
      // It was read from the other end, and takes long to unpack.
      if (problems.has(seq)) return;
      const problem = pageProblem(storedPage(row));
      problems.set(seq, problem);
      if (problem === undefined) save(seq, at, until, whole, body);
    },
  );
  const stopped = unread.map((why) => `pages of the record, it is not known how many: ${why}`);
  const broken = [...problems.values()].filter((problem) => problem !== undefined);
  return [...named(broken, "pages of the record"), ...stopped];
}

/** Reads from both ends, because a damaged page ends a reading; returns why, if some rows were not read. */
function readBothEnds(
  damaged: DatabaseSync,
  select: (order: "ASC" | "DESC") => string,
  take: (row: Row) => void,
): readonly string[] {
  const ends = (["ASC", "DESC"] as const).map((order) => readAll(damaged, select(order), [], take));
  return [...new Set(ends.flatMap((why) => why ?? []))];
}

/** Findings that are read at once; around damage, fewer and fewer. */
const FINDINGS_AT_ONCE = 4_096;

function saveFindings(damaged: DatabaseSync, made: DatabaseSync, lost: string[]): number {
  const save = saving(
    made,
    "INSERT INTO finding (seq, at, type, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  let saved = 0;
  let unreadable = 0;
  // What is read again around a damage counts once.
  const broken = new Set<string>();
  const saveBetween = (from: number, to: number): void => {
    const sql = "SELECT seq, at, type, body FROM finding WHERE seq BETWEEN ? AND ?";
    const stopped = readAll(damaged, sql, [from, to], (row) => {
      const { seq = null, at = null, type = null, body = null } = row;
      if (jsonProblem(String(body)) !== undefined) broken.add(brokenFinding(row));
      // As it was read: the new table refuses a value that a damage made of another type.
      else saved += save(seq, at, type, body);
    });
    if (stopped === undefined) return;
    if (from === to) return void (unreadable += 1);
    const middle = Math.floor((from + to) / 2);
    saveBetween(from, middle);
    saveBetween(middle + 1, to);
  };
  const { first, last, isGuess } = seqRange(damaged);
  if (first === undefined || last === undefined) {
    lost.push("findings, it is not known how many: neither end of them can be read");
    return 0;
  }
  for (let from = first; from <= last; from += FINDINGS_AT_ONCE) {
    saveBetween(from, Math.min(last, from + FINDINGS_AT_ONCE - 1));
  }
  lost.push(...named([...broken], "findings"));
  const count = `${isGuess ? "at most " : ""}${counted(unreadable, "finding")}`;
  if (unreadable > 0) lost.push(`${count} that cannot be read`);
  return saved;
}

/** The range of findings; if one end cannot be read, it is as long as the file may allow. */
function seqRange(damaged: DatabaseSync) {
  const leastBytes = 40;
  const end = (order: string): number | undefined => {
    let seq: number | undefined;
    const sql = `SELECT seq FROM finding ORDER BY seq ${order} LIMIT 1`;
    const stopped = readAll(damaged, sql, [], (row) => (seq = Number(row["seq"])));
    return stopped === undefined ? (seq ?? 0) : undefined;
  };
  const [first, last] = [end("ASC"), end("DESC")];
  const isGuess = first === undefined;
  if (!isGuess && last === undefined) {
    const bytes = statSync(String(damaged.location())).size;
    return { first, last: first + Math.ceil(bytes / leastBytes), isGuess: true };
  }
  return { first: isGuess && last !== undefined ? 1 : first, last, isGuess };
}

/** Why the reading stopped before the end; undefined if it did not. */
function readAll(
  database: DatabaseSync,
  sql: string,
  values: readonly (string | number)[],
  take: (row: Row) => void,
): string | undefined {
  try {
    for (const row of database.prepare(sql).iterate(...values)) take(row);
    return undefined;
  } catch (error) {
    if (error instanceof NotWritten) throw error;
    return messageOf(error);
  }
}
