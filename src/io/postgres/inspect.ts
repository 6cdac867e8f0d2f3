import { HOME } from "../../domain/lease.ts";
import { jsonProblem } from "../journal/database.ts";
import { MOST_PROBLEMS } from "../journal/inspect.ts";
import { EXTENT, extentOf, type FindingsExtent } from "../journal/past.ts";
import { pageProblem } from "../journal/record-pages.ts";
import { brokenFinding, rowProblem } from "../journal/rows.ts";
import type { OnProgress } from "../journal/tools.ts";
import type { Ask, Database } from "./database.ts";
import { readLease, type LeaseRow } from "./lease.ts";
import { bySeq, inParts, readPages } from "./pages.ts";
import { schemaVersion } from "./schema.ts";

/** The contents of a database, and their problems. PostgreSQL looks after its own files. */
export type DatabaseInfo = FindingsExtent & {
  readonly schema: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly pages: number;
  readonly lease: LeaseRow | undefined;
  readonly problems: readonly string[];
};

const ROWS_AT_ONCE = 2_000;

/** Reads every row, finding and page, a part at a time, and reports its progress. Rejects if the database is away. */
export async function inspectDatabase(
  database: Pick<Database, "query">,
  onProgress: OnProgress = () => undefined,
): Promise<DatabaseInfo> {
  const { query } = database;
  const counted = await query(
    "SELECT name, count(*) AS rows FROM state WHERE value IS NOT NULL GROUP BY name ORDER BY name",
  );
  const rows = Object.fromEntries(counted.map((row) => [String(row["name"]), Number(row["rows"])]));
  const [found] = await query(EXTENT);
  const extent = extentOf(found);
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const problems: string[] = [];
  const look = async (
    what: string,
    parts: AsyncIterable<readonly (string | undefined)[]>,
  ): Promise<number> => {
    let read = 0;
    for await (const part of parts) {
      read += part.length;
      // More would not be shown.
      for (const problem of part)
        if (problem !== undefined && problems.length < MOST_PROBLEMS) problems.push(problem);
      onProgress(`read ${read} ${what}`, "count");
    }
    return read;
  };
  await look(`of ${total} rows of state`, rowProblems(query));
  await look(`of ${extent.findings} findings`, findingProblems(query));
  const pages = await look("pages of the record", pageProblems(database));
  return {
    schema: await schemaVersion(query),
    rows,
    ...extent,
    pages,
    lease: await readLease(query, HOME),
    problems: [...new Set(problems)],
  };
}

/** What the database takes for what a copy in a file holds, with its indexes. Rejects if it is away. */
export async function storedBytes({ query }: Pick<Database, "query">): Promise<number> {
  const [found] = await query(
    "SELECT sum(pg_total_relation_size(name)) AS bytes FROM unnest(ARRAY['state', 'finding', 'record']::regclass[]) AS name",
  );
  return Number(found?.["bytes"]);
}

type Problems = AsyncGenerator<readonly (string | undefined)[]>;

async function* rowProblems(ask: Ask): Problems {
  const parts = inParts(
    ask,
    `SELECT unit, name, key, value FROM state
     WHERE (unit, name, key) > ($1, $2, $3) AND value IS NOT NULL ORDER BY unit, name, key`,
    {
      first: ["", "", ""],
      keyOf: ({ unit, name, key }) => [unit, name, key].map(String),
      most: ROWS_AT_ONCE,
    },
  );
  for await (const rows of parts)
    yield rows.map((row) => {
      const [unit, name, key] = [String(row["unit"]), String(row["name"]), String(row["key"])];
      const place = unit === HOME ? key : `${key} of ${unit}`;
      return rowProblem(name, place, String(row["value"]));
    });
}

async function* findingProblems(ask: Ask): Problems {
  const sql = "SELECT seq, body FROM finding WHERE seq > $1 ORDER BY seq";
  for await (const rows of inParts(ask, sql, bySeq(ROWS_AT_ONCE)))
    yield rows.map((row) =>
      jsonProblem(String(row["body"])) === undefined ? undefined : brokenFinding(row),
    );
}

async function* pageProblems(database: Pick<Database, "query">): Problems {
  for await (const page of readPages(database)) yield [pageProblem(page)];
}
