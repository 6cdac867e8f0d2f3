import { existsSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Change } from "../../domain/step.ts";
import { HOME } from "../../domain/lease.ts";
import { inTransaction } from "../journal/database.ts";
import { makePrivateFile } from "../journal/file.ts";
import {
  packPage,
  pageWriter,
  readPages as readFilePages,
  type StoredPage,
} from "../journal/record-pages.ts";
import { readRows, storedFinding, type StoredFinding } from "../journal/rows.ts";
import { migrate as migrateFile } from "../journal/schema.ts";
import { copyJournal, type TellStage } from "../journal/tools.ts";
import { messageOf } from "../process/error-message.ts";
import type { Ask, Database } from "./database.ts";
import { readLease } from "./lease.ts";
import { readPages } from "./pages.ts";
import { rowsOf, unitsIn } from "./journal.ts";
import { writeRecord, written } from "./write.ts";

/** What a copy holds. */
export type Copied = {
  readonly rows: number;
  readonly findings: number;
  readonly pages: number;
  /** Pages that cannot be read: what they held is lost anyway, and a replay leaves them out. */
  readonly lost: number;
};

const AT_ONCE = 2_000;

/**
 * Copies the journal of a stopped aggwatch into a database that holds none, all or nothing. A replica that starts
 * meanwhile waits for the end of it.
 */
export async function copyToDatabase(
  directory: string,
  database: Pick<Database, "transaction">,
  tell?: TellStage,
): Promise<Result<Copied, string>> {
  const room = mkdtempSync(join(tmpdir(), "aggwatch-copy-"));
  try {
    const file = join(room, "journal.sqlite");
    const saved = copyJournal(directory, file, tell);
    if (!saved.ok) return saved;
    const source = new DatabaseSync(file, { readOnly: true });
    try {
      const done = await database.transaction(async (ask) => await fillDatabase(ask, source, tell));
      return done.ok ? done.value : fail(`nothing was copied: ${done.problem.detail}`);
    } finally {
      source.close();
    }
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

async function fillDatabase(
  ask: Ask,
  source: DatabaseSync,
  tell?: TellStage,
): Promise<Result<Copied, string>> {
  await ask("LOCK TABLE lease IN ACCESS EXCLUSIVE MODE");
  const lease = await readLease(ask, HOME);
  const [held] = await ask("SELECT EXISTS (SELECT FROM state WHERE value IS NOT NULL) AS any");
  if (held?.["any"] === true)
    return fail("the database holds a journal already: give one that holds none");
  if (lease !== undefined && !lease.isFree)
    return fail(`the database is in use by the replica ${lease.owner ?? ""}: stop it first`);
  const epoch = (lease?.epoch ?? 0) + 1;
  let after = lease?.sequence ?? 0;
  // The first replica that starts puts senders into their units.
  await ask("UPDATE sharding SET shards = 0");
  await ask(
    `INSERT INTO lease (unit, owner, epoch, last_sequence, renewed_at, lasts_ms)
     VALUES ($1, NULL, $2, $3, clock_timestamp(), 0)
     ON CONFLICT (unit) DO UPDATE SET owner = NULL, epoch = excluded.epoch`,
    [HOME, epoch, after],
  );
  let [rows, findings, pages, lost] = [0, 0, 0, 0];
  const say = (): void => tell?.(copiedSoFar({ rows, findings, pages }), "count");
  const write = async (part: Part): Promise<void> => {
    const record = { at: 0, changes: [], findings: [], ...part };
    const fence = { epoch, sequence: after + 1, after };
    if (!(await writeRecord(ask, HOME, fence, written(record)))) throw new Error("it was changed");
    after += 1;
    rows += part.changes?.length ?? 0;
    findings += part.findings?.length ?? 0;
    say();
  };
  for (const changes of inParts(readRows(source))) await write({ changes });
  const found = source.prepare("SELECT at, body FROM finding ORDER BY seq").iterate();
  for (const part of inParts(found)) await write({ findings: part.map(storedFinding) });
  for (const page of readFilePages(source, 0)) {
    if ("problem" in page) lost += 1;
    else {
      await savePage(ask, page);
      pages += 1;
      say();
    }
  }
  return succeed({ rows, findings, pages, lost });
}

type Part = {
  readonly changes?: readonly Change[];
  readonly findings?: readonly StoredFinding[];
};

/** Its number says which unit it is of. */
async function savePage(ask: Ask, { seq, at, until, whole, body }: StoredPage): Promise<void> {
  await ask("INSERT INTO record (seq, at, until, whole, body) VALUES ($1, $2, $3, $4, $5)", [
    seq,
    at,
    until,
    whole ? 1 : 0,
    packPage(body),
  ]);
}

function* inParts<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let part: Item[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < AT_ONCE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Copies what a database holds at one instant, while it is in use, into a file that is not there yet. */
export async function copyToFile(
  database: Pick<Database, "transaction">,
  file: string,
  tell?: TellStage,
): Promise<Result<Copied & { readonly bytes: number }, string>> {
  if (existsSync(file)) return fail(`${file} is there already`);
  const unfinished = `${file}.unfinished`;
  try {
    rmSync(unfinished, { force: true });
    makePrivateFile(unfinished);
    const target = new DatabaseSync(unfinished);
    try {
      migrateFile(target);
      const done = await database.transaction(async (ask) => await fillFile(ask, target, tell));
      if (!done.ok) return fail(`${dirname(file)} got no copy: ${done.problem.detail}`);
      target.close();
      renameSync(unfinished, file);
      return succeed({ ...done.value, bytes: statSync(file).size });
    } finally {
      if (target.isOpen) target.close();
    }
  } catch (error) {
    return fail(`${file} cannot be written: ${messageOf(error)}`);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function copiedSoFar({ rows, findings, pages }: Omit<Copied, "lost">): string {
  return `copied ${rows} rows, ${findings} findings, ${pages} pages`;
}

async function fillFile(ask: Ask, target: DatabaseSync, tell?: TellStage): Promise<Copied> {
  await ask("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  // A unit of senders has some rows of the same name as "home", which comes first: those of "home" stay.
  const saveRow = target.prepare("INSERT OR IGNORE INTO state (name, key, value) VALUES (?, ?, ?)");
  const saveFinding = target.prepare("INSERT INTO finding (at, type, body) VALUES (?, ?, ?)");
  let [rows, findings, pages, lost] = [0, 0, 0, 0];
  const say = (): void => tell?.(copiedSoFar({ rows, findings, pages }), "count");
  for (const unit of await unitsIn(ask))
    for await (const part of rowsOf(ask, unit)) {
      inTransaction(target, () => {
        for (const { table, key, value } of part)
          rows += Number(saveRow.run(table, key, JSON.stringify(value)).changes);
      });
      say();
    }
  let last = 0;
  for (;;) {
    const part = await ask(
      `SELECT seq, at, type, body FROM finding WHERE seq > $1 ORDER BY seq LIMIT ${AT_ONCE}`,
      [last],
    );
    if (part.length === 0) break;
    inTransaction(target, () => {
      for (const { at, type, body } of part)
        saveFinding.run(Number(at), String(type), String(body));
    });
    findings += part.length;
    say();
    last = Number(part.at(-1)?.["seq"]);
  }
  const save = pageWriter(target);
  for await (const page of readPages({ query: ask })) {
    if ("problem" in page) lost += 1;
    else {
      const { seq, at, until, whole, body } = page;
      inTransaction(target, () => save.put([seq, at, until, whole ? 1 : 0], packPage(body)));
    }
    pages += "problem" in page ? 0 : 1;
    say();
  }
  return { rows, findings, pages, lost };
}
