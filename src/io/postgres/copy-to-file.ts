import { counted } from "../../domain/wording.ts";
import { existsSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { inTransaction } from "../journal/database.ts";
import { giveName, isInUse, makePrivateFile } from "../journal/file.ts";
import { packPage, pageWriter } from "../journal/record-pages.ts";
import { migrate } from "../journal/schema.ts";
import type { OnProgress } from "../journal/tools.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { Change } from "../../domain/step.ts";
import type { Ask, Database } from "./database.ts";
import { shardsOf } from "./deal.ts";
import { createListingRows } from "./listing-rows.ts";
import { rowsOf, unitsIn } from "./journal.ts";
import { heldText } from "./lease.ts";
import { bySeq, inParts, readPages } from "./pages.ts";

/** The contents of a copy. */
export type Copied = {
  readonly rows: number;
  readonly findings: number;
  readonly pages: number;
  /** Pages that cannot be read: their content is lost anyway, and a replay leaves them out. */
  readonly lost: number;
};

/** Rows that are copied at once. */
export const AT_ONCE = 2_000;

/**
 * Why a database must not be replaced by a file yet; undefined if it may be. An owner on the database would act beside
 * the process on the file, and a file has no units.
 */
export async function whyNotLeft({ query }: Pick<Database, "query">): Promise<string | undefined> {
  const held = await heldText(query);
  if (held !== undefined) return held;
  const shards = await shardsOf(query);
  if (shards === 0) return undefined;
  return `the watched senders are in ${shards} units: start one replica with journal.shards: 0, which brings them together, and stop it again`;
}

/** Copies the contents of a database at one instant, while it is in use, into a new file. */
export async function copyToFile(
  database: Pick<Database, "transaction">,
  file: string,
  onProgress?: OnProgress,
): Promise<Result<Copied & { readonly bytes: number }, string>> {
  if (existsSync(file)) return fail(`${file} exists already`);
  const unfinished = `${file}.unfinished`;
  if (existsSync(unfinished) && isInUse(unfinished))
    return fail(`${unfinished} is being written by another process: wait for its end`);
  try {
    rmSync(unfinished, { force: true });
    makePrivateFile(unfinished);
    const target = new DatabaseSync(unfinished);
    try {
      // So that another copy into this file finds it in use.
      target.exec("PRAGMA locking_mode = EXCLUSIVE");
      migrate(target);
      let ofFile: unknown;
      const done = await database.transaction(async (ask) => {
        try {
          return await fillFile(ask, target, onProgress);
        } catch (error) {
          if (isOfFile(error)) ofFile = error;
          throw error;
        }
      });
      if (ofFile !== undefined) throw ofFile;
      if (!done.ok) return fail(`${dirname(file)} got no copy: ${done.problem.detail}`);
      target.close();
      if (!giveName(unfinished, file)) return fail(`${file} exists already`);
      return succeed({ ...done.value, bytes: statSync(file).size });
    } finally {
      if (target.isOpen) target.close();
    }
  } catch (error) {
    return fail(`${file} cannot be written: ${messageOf(error)}`);
  } finally {
    if (existsSync(unfinished)) rmSync(unfinished);
  }
}

/** Whether it is not the database that failed, but the file. */
function isOfFile(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}

export function copiedSoFar({ rows, findings, pages }: Omit<Copied, "lost">): string {
  return `copied ${counted(rows, "row")}, ${counted(findings, "finding")}, ${counted(pages, "page")}`;
}

async function fillFile(ask: Ask, target: DatabaseSync, onProgress?: OnProgress): Promise<Copied> {
  await ask("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  // Units of senders share some keys with "home", which comes first: the rows of "home" stay.
  const saveRow = target.prepare("INSERT OR IGNORE INTO state (name, key, value) VALUES (?, ?, ?)");
  const saveFinding = target.prepare("INSERT INTO finding (at, type, body) VALUES (?, ?, ?)");
  let [rows, findings, pages, lost] = [0, 0, 0, 0];
  const say = (): void => onProgress?.(copiedSoFar({ rows, findings, pages }), "count");
  const listings = createListingRows();
  const save = (part: readonly Change[]): void => {
    if (part.length === 0) return;
    inTransaction(target, () => {
      for (const { table, key, value } of part)
        rows += Number(saveRow.run(table, key, JSON.stringify(value)).changes);
    });
    say();
  };
  for (const unit of await unitsIn(ask))
    for await (const part of rowsOf(ask, unit)) save(part.filter((row) => !listings.take(row)));
  save(listings.whole());
  const found = "SELECT seq, at, type, body FROM finding WHERE seq > $1 ORDER BY seq";
  for await (const part of inParts(ask, found, bySeq(AT_ONCE))) {
    inTransaction(target, () => {
      for (const { at, type, body } of part)
        saveFinding.run(Number(at), String(type), String(body));
    });
    findings += part.length;
    say();
  }
  const writer = pageWriter(target);
  for await (const page of readPages({ query: ask })) {
    if ("problem" in page) lost += 1;
    else {
      const { seq, at, until, whole, body } = page;
      inTransaction(target, () => writer.put([seq, at, until, whole ? 1 : 0], packPage(body)));
      pages += 1;
    }
    say();
  }
  return { rows, findings, pages, lost };
}
