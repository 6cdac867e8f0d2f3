import { toEnd } from "../../src/domain/slices.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { Change } from "../../src/domain/step.ts";
import { versionOf } from "../../src/io/journal/database.ts";
import { MIGRATIONS, migrate } from "../../src/io/journal/schema.ts";
import { checkJournal } from "../../src/io/journal/tools.ts";
import { JOURNAL_FILE, openJournal, type StoredFinding } from "../../src/io/journal/journal.ts";
import { runArguments, type Home, type LogLine } from "../acceptance/daemon.ts";
import { childEnvironment } from "../child-environment.ts";

/** Daemons that are killed, and copies of the journal that they leave. */

export type Life = {
  readonly process: ChildProcess;
  readonly lines: readonly LogLine[];
  /** Exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  readonly errors: () => string;
};

const DIE_AT_MODULE = pathToFileURL(join(import.meta.dirname, "die-at.ts")).href;

/** One life of the daemon; `onLine` gets each line of its log. */
export function startLife(
  home: Home,
  dieAt: string | undefined,
  own: Readonly<Record<string, string>>,
  onLine: (line: LogLine, life: Life) => void,
): Life {
  const main = join(import.meta.dirname, "../../src/main.ts");
  const flags = dieAt === undefined ? [] : ["--import", DIE_AT_MODULE];
  const child = spawn(process.execPath, [...flags, main, ...runArguments(home)], {
    env: { ...childEnvironment(), ...own, ...(dieAt === undefined ? {} : { DIE_AT: dieAt }) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const lines: LogLine[] = [];
  const life: Life = {
    process: child,
    lines,
    ended: new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal))),
    errors: () => errors,
  };
  createInterface({ input: child.stdout }).on("line", (text) => {
    const line = lineOf(text);
    if (line === undefined) return;
    lines.push(line);
    onLine(line, life);
  });
  return life;
}

/** The last line of a killed process may be cut. */
function lineOf(text: string): LogLine | undefined {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}

export type JournalPicture = {
  readonly rows: readonly Change[];
  readonly findings: readonly StoredFinding[];
};

/** What a killed daemon has left, read from a copy, so that the next one finds it untouched. */
export function pictureOf(home: Home): JournalPicture {
  const copy = mkdtempSync(join(tmpdir(), "aggwatch-picture-"));
  try {
    if (!existsSync(home.data)) return { rows: [], findings: [] };
    cpSync(home.data, copy, { recursive: true });
    const journal = openJournal(copy);
    if (!journal.ok) throw new Error(`the journal of a killed daemon: ${journal.problem}`);
    const picture = {
      rows: [...journal.value.rows()],
      findings: journal.value.findings(100_000).toReversed(),
    };
    journal.value.close();
    return picture;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** What is damaged in the journal that a killed daemon has left, or half migrated. */
export function brokenFile(home: Home): readonly string[] {
  const file = join(home.data, JOURNAL_FILE);
  if (!existsSync(file)) return [];
  const checked = toEnd(checkJournal(home.data));
  if (!checked.ok) return [checked.problem];
  const copy = mkdtempSync(join(tmpdir(), "aggwatch-shape-"));
  cpSync(home.data, copy, { recursive: true });
  const left = new DatabaseSync(join(copy, JOURNAL_FILE));
  const fresh = new DatabaseSync(":memory:");
  try {
    migrate(fresh, MIGRATIONS.slice(0, versionOf(left)));
    const [found, whole] = [left, fresh].map((one) => JSON.stringify(one.prepare(SHAPE).all()));
    const half = found === whole ? [] : [`half migrated: ${found}, and not ${whole}`];
    return [...checked.value.problems, ...half];
  } finally {
    left.close();
    fresh.close();
    rmSync(copy, { recursive: true, force: true });
  }
}

const SHAPE =
  "SELECT m.name AS name, c.name AS field FROM sqlite_schema m LEFT JOIN pragma_table_xinfo(m.name) c ORDER BY 1, 2";

/** Makes the journal one of the first schema, as a version of then would have left it. */
export function downgrade(home: Home): void {
  const file = join(home.data, JOURNAL_FILE);
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file);
  try {
    database.exec("BEGIN");
    if (versionOf(database) > 2) database.exec("DROP TABLE record");
    if (versionOf(database) > 1)
      database.exec("DROP INDEX finding_alert; ALTER TABLE finding DROP COLUMN alert");
    database.exec("PRAGMA user_version = 1; COMMIT");
  } finally {
    database.close();
  }
}
