import { MINUTE, SECOND } from "../../domain/time.ts";
import { counted } from "../../domain/wording.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { OnProgress } from "../../io/journal/tools.ts";
import { JOURNAL_FILE, LOG_SUFFIX, makeDirectory } from "../../io/journal/file.ts";
import { copyToDatabase } from "../../io/postgres/copy-to-database.ts";
import { copyToFile, whyNotLeft, type Copied } from "../../io/postgres/copy-to-file.ts";
import {
  openDatabase,
  TIMEOUTS,
  type Database,
  type Timeouts,
} from "../../io/postgres/database.ts";
import { inspectDatabase, type DatabaseInfo } from "../../io/postgres/inspect.ts";
import { schemaProblem } from "../../io/postgres/schema.ts";
import { messageOf } from "../../domain/error-message.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findingsText, rowsText } from "./journal-report.ts";

/** What `aggwatch journal` does with a journal in PostgreSQL. */

/** No lease waits for a command of a person: a slow database, or a large part of a copy, takes its time. */
const PATIENT: Timeouts = { ...TIMEOUTS, statement: MINUTE, reply: MINUTE + 10 * SECOND };

/** Opens a database for as long as the work takes. */
async function withDatabase<Value>(
  url: string,
  work: (database: Database) => Promise<Result<Value, string>>,
): Promise<Result<Value, string>> {
  const database = await openDatabase(url, { name: "aggwatch journal", timeouts: PATIENT });
  try {
    return await work(database);
  } catch (error) {
    return fail(messageOf(error));
  } finally {
    await database.close();
  }
}

/** The same; it is a problem if the database holds no journal, or a newer one. */
async function withJournal<Value>(
  url: string,
  work: (database: Database) => Promise<Result<Value, string>>,
): Promise<Result<Value, string>> {
  return await withDatabase(url, async (database) => {
    const problem = await schemaProblem(database);
    return problem === undefined ? await work(database) : fail(problem);
  });
}

export async function inspect(
  url: string,
  onProgress?: OnProgress,
): Promise<Result<DatabaseInfo, string>> {
  return await withJournal(url, async (database) =>
    succeed(await inspectDatabase(database, onProgress)),
  );
}

export function summaryOf(info: Omit<DatabaseInfo, "problems">): readonly string[] {
  return [
    `the database: schema ${info.schema}`,
    rowsText(info),
    findingsText(info),
    `${counted(info.pages, "page")} of the record`,
    leaseText(info.lease),
  ];
}

function leaseText(lease: DatabaseInfo["lease"]): string {
  if (lease === undefined) return "no replica ever had the lease";
  const { owner, epoch, isFree, sinceRenewal } = lease;
  const renewed = `epoch ${epoch}, renewed ${Math.round(sinceRenewal / 1_000)} s ago`;
  if (owner === undefined) return `the lease is free (epoch ${epoch})`;
  return isFree ? `the lease of ${owner} has run out (${renewed})` : `${owner} acts (${renewed})`;
}

/** Copies into a new file; the database may be in use. */
export async function backUpDatabase(
  url: string,
  file: string,
  onProgress?: OnProgress,
): Promise<Result<Copied & { readonly bytes: number }, string>> {
  return await withJournal(url, async (database) => await copyToFile(database, file, onProgress));
}

/** The source stays as it is. */
export async function copyIntoDatabase(
  from: string,
  url: string,
  onProgress?: OnProgress,
): Promise<Result<Copied, string>> {
  return await withDatabase(
    url,
    async (database) => await copyToDatabase(from, database, onProgress),
  );
}

export async function copyIntoDirectory(
  url: string,
  directory: string,
  onProgress?: OnProgress,
): Promise<Result<Copied, string>> {
  const file = join(directory, JOURNAL_FILE);
  const taken = [file, `${file}${LOG_SUFFIX}`].find((path) => existsSync(path));
  if (taken !== undefined) return fail(`${taken} exists already`);
  return await withJournal(url, async (database) => {
    const problem = await whyNotLeft(database);
    if (problem !== undefined) return fail(problem);
    makeDirectory(directory);
    return await copyToFile(database, file, onProgress);
  });
}

export function copiedText({ rows, findings, pages, lost }: Copied): string {
  const all = `${counted(rows, "row")} of state, ${counted(findings, "finding")} and ${counted(pages, "page")} of the record`;
  return lost === 0 ? all : `${all}; left out as unreadable: ${counted(lost, "page")}`;
}
