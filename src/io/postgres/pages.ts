import {
  pagesOf,
  RECORD_SQL,
  storedPage,
  unitOfPage,
  type ReadPage,
} from "../journal/record-pages.ts";
import type { Ask, Database } from "./database.ts";
import { numbered } from "./text.ts";

/** Pages that are read at once: each may be long. */
const PAGES_AT_ONCE = 16;

/** The units that have a record, `home` first. Rejects if the database is away. */
export async function recordUnits(ask: Ask): Promise<readonly string[]> {
  const units: string[] = [];
  for (let from = 0; ;) {
    const seq = (await ask(numbered(RECORD_SQL.next), [from]))[0]?.["seq"] ?? null;
    if (seq === null) return units;
    const unit = unitOfPage(Number(seq));
    units.push(unit);
    [, from] = pagesOf(unit);
  }
}

/** The pages of all units, in their order. Rejects if the database is away. */
export async function* readPages({ query }: Pick<Database, "query">): AsyncGenerator<ReadPage> {
  let next = 0;
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
