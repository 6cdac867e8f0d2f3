import type { Instant } from "../../domain/time.ts";
import { RECORD_SQL, storedPage, type StoredPage } from "../journal/record-pages.ts";
import type { Database } from "./database.ts";
import { numbered } from "./text.ts";

/** So many pages are read at once: each may be long. */
const PAGES_AT_ONCE = 16;

/** The pages in their order, from the chapter that was under way then. Rejects if the database is away. */
export async function* readPages(
  { query }: Pick<Database, "query">,
  from: Instant = 0,
): AsyncGenerator<StoredPage | { readonly seq: number; readonly problem: string }> {
  const [chapter] = await query(numbered(RECORD_SQL.chapterAt), [from]);
  let next = Number(chapter?.["seq"] ?? 0);
  for (;;) {
    const rows = await query(
      `SELECT seq, at, until, whole, body FROM record WHERE seq >= $1 ORDER BY seq LIMIT ${PAGES_AT_ONCE}`,
      [next],
    );
    for (const row of rows) yield storedPage(row);
    const last = rows.at(-1);
    if (last === undefined) return;
    next = Number(last["seq"]) + 1;
  }
}
