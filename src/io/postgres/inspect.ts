import type { Instant } from "../../domain/time.ts";
import { HOME } from "../../domain/lease.ts";
import { jsonProblem } from "../journal/database.ts";
import { firstProblems } from "../journal/inspect.ts";
import { rowProblem } from "../journal/rows.ts";
import type { Ask, Database } from "./database.ts";
import { readLease, type LeaseRow } from "./lease.ts";
import { readPages } from "./pages.ts";
import { schemaVersion } from "./schema.ts";

/** What is in a database, and what is wrong with it. PostgreSQL looks after its own files. */
export type DatabaseInfo = {
  readonly schema: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly findings: number;
  readonly oldestFinding: Instant | undefined;
  readonly newestFinding: Instant | undefined;
  readonly pages: number;
  readonly lease: LeaseRow | undefined;
  readonly problems: readonly string[];
};

const FINDINGS_AT_ONCE = 2_000;

/** Reads every row, finding and page. Rejects if the database is away. */
export async function inspectDatabase(database: Pick<Database, "query">): Promise<DatabaseInfo> {
  const { query } = database;
  const counted = await query(
    "SELECT name, count(*) AS rows FROM state WHERE value IS NOT NULL GROUP BY name ORDER BY name",
  );
  const [found] = await query(
    "SELECT count(*) AS findings, min(at) AS oldest, max(at) AS newest FROM finding",
  );
  const instant = (value: unknown): Instant | undefined =>
    value === null || value === undefined ? undefined : Number(value);
  const [inRows, inFindings, inPages] = [
    await rowProblems(query),
    await findingProblems(query),
    await pageProblems(database),
  ];
  return {
    schema: await schemaVersion(query),
    rows: Object.fromEntries(counted.map((row) => [String(row["name"]), Number(row["rows"])])),
    findings: Number(found?.["findings"] ?? 0),
    oldestFinding: instant(found?.["oldest"]),
    newestFinding: instant(found?.["newest"]),
    pages: inPages.pages,
    lease: await readLease(query, HOME),
    problems: firstProblems([() => inRows, () => inFindings, () => inPages.problems]),
  };
}

async function rowProblems(ask: Ask): Promise<readonly string[]> {
  const problems: string[] = [];
  let [unit, name, key] = ["", "", ""];
  for (;;) {
    const rows = await ask(
      `SELECT unit, name, key, value FROM state
       WHERE (unit, name, key) > ($1, $2, $3) AND value IS NOT NULL
       ORDER BY unit, name, key LIMIT ${FINDINGS_AT_ONCE}`,
      [unit, name, key],
    );
    if (rows.length === 0) return problems;
    for (const row of rows) {
      [unit, name, key] = [String(row["unit"]), String(row["name"]), String(row["key"])];
      const problem = rowProblem(name, String(row["value"]));
      if (problem !== undefined)
        problems.push(`the row ${name} ${key}${unit === HOME ? "" : ` of ${unit}`}: ${problem}`);
    }
  }
}

async function findingProblems(ask: Ask): Promise<readonly string[]> {
  const problems: string[] = [];
  let last = 0;
  for (;;) {
    const rows = await ask(
      `SELECT seq, body FROM finding WHERE seq > $1 ORDER BY seq LIMIT ${FINDINGS_AT_ONCE}`,
      [last],
    );
    if (rows.length === 0) return problems;
    for (const row of rows) {
      last = Number(row["seq"]);
      if (jsonProblem(String(row["body"])) !== undefined)
        problems.push(`the finding ${last}: not JSON`);
    }
  }
}

async function pageProblems(
  database: Pick<Database, "query">,
): Promise<{ readonly pages: number; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  let pages = 0;
  for await (const page of readPages(database)) {
    pages += 1;
    const problem = "problem" in page ? page.problem : jsonProblem(page.body);
    if (problem !== undefined) problems.push(`page ${page.seq} of the record: ${problem}`);
  }
  return { pages, problems };
}
