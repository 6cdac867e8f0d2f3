import type { Row } from "../journal/database.ts";
import { storedPage, type ReadPage } from "../journal/record-pages.ts";
import type { Ask, Database, Value } from "./database.ts";

/** Pages of the record that are read at once: each may be long. */
const PAGES_AT_ONCE = 16;

/**
 * All rows in the order of their keys, so many at once; the values of `sql` are the key of the last row before. Rejects
 * if the database is away.
 */
export async function* inParts(
  ask: Ask,
  sql: string,
  {
    first,
    keyOf,
    most,
  }: {
    readonly first: readonly Value[];
    readonly keyOf: (row: Row) => readonly Value[];
    readonly most: number;
  },
): AsyncGenerator<readonly Row[]> {
  let key = first;
  for (;;) {
    const rows = await ask(`${sql} LIMIT ${most}`, key);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < most) return;
    key = keyOf(last);
  }
}

/** How `inParts` goes by the number of a finding or of a page. */
export function bySeq(most: number): Parameters<typeof inParts>[2] {
  return { first: [-1], keyOf: ({ seq }) => [Number(seq)], most };
}

/** The pages of all units, in their order. */
export async function* readPages({ query }: Pick<Database, "query">): AsyncGenerator<ReadPage> {
  const sql = "SELECT seq, at, until, whole, body FROM record WHERE seq > $1 ORDER BY seq";
  for await (const rows of inParts(query, sql, bySeq(PAGES_AT_ONCE)))
    for (const row of rows) yield storedPage(row);
}
