import { alertOf } from "../../domain/finding.ts";
import type { Change } from "../../domain/step.ts";
import type { JournalRecord, StoredFinding } from "../journal/journal.ts";
import type { Fence } from "../journal/shared-journal.ts";
import { packPage, pagesOf, type Page } from "../journal/record-pages.ts";
import { ON_DISK, type Ask, type Value } from "./database.ts";
import { IS_OWN_SCHEMA } from "./schema.ts";
import { storable } from "./text.ts";

/**
 * One statement: the update that notes the commit's number also checks that the lease is still ours, that no earlier
 * commit is missing, and that no newer version has moved the schema on; otherwise nothing is written. The row stays
 * locked until the transaction ends, so a take-over waits, and then reads what was written.
 */
const WRITE = `
WITH mine AS (
  UPDATE lease SET last_sequence = $3
  WHERE unit = $1 AND epoch = $2 AND last_sequence = $4 AND ($18::text IS NULL OR owner = $18)
    AND ${IS_OWN_SCHEMA}
  RETURNING unit
), written AS (
  INSERT INTO state (unit, name, key, value, sequence)
  SELECT mine.unit, given.name, given.key, given.value, $3::bigint
  FROM mine, unnest($5::text[], $6::text[], $7::text[]) AS given (name, key, value)
  ON CONFLICT (unit, name, key) DO UPDATE SET value = excluded.value, sequence = excluded.sequence
), found AS (
  INSERT INTO finding (at, type, body, alert)
  SELECT given.at, given.type, given.body, given.alert
  FROM mine, unnest($8::bigint[], $9::text[], $10::text[], $11::text[])
    WITH ORDINALITY AS given (at, type, body, alert, number)
  ORDER BY given.number
), recorded AS (
  INSERT INTO record (seq, at, until, whole, body)
  SELECT (SELECT coalesce(max(seq), $16::bigint) FROM record WHERE seq >= $16 AND seq < $17::bigint) + given.number,
    given.at, given.until, given.whole, given.body
  FROM mine, unnest($12::bigint[], $13::bigint[], $14::integer[], $15::bytea[])
    WITH ORDINALITY AS given (at, until, whole, body, number)
  ORDER BY given.number
)
SELECT count(*) AS mine, ${ON_DISK} FROM mine`;

/** Rows and findings in one statement, so that none takes long. */
const MOST_AT_ONCE = 2_000;
/** Pages in one statement: each may be long. */
const PAGES_AT_ONCE = 16;

/** A record as the values of statements, which later changes to its rows do not affect. */
export type Written = ReadonlyArray<readonly Value[]>;

/** Writes in the caller's transaction. Returns false, and writes nothing, if the fence does not allow it. */
export async function writeRecord(
  ask: Ask,
  { unit, owner = null }: { readonly unit: string; readonly owner?: string | null | undefined },
  { epoch, sequence, after }: Fence,
  written: Written,
): Promise<boolean> {
  let before = after;
  for (const part of written) {
    const values = [unit, epoch, sequence, before, ...part, ...pagesOf(unit), owner];
    const [row] = await ask(WRITE, values);
    const isRefused = Number(row?.["mine"]) === 0;
    if (isRefused && before === sequence) throw new Error("the rest of a record was refused");
    if (isRefused) return false;
    before = sequence;
  }
  return true;
}

export function written({ changes, findings, pages = [] }: JournalRecord): Written {
  // A statement may write a row once.
  const last = new Map(changes.map((change) => [`${change.table} ${change.key}`, change]));
  const rows = [...last.values()];
  const count = Math.max(
    1,
    Math.ceil(rows.length / MOST_AT_ONCE),
    Math.ceil(findings.length / MOST_AT_ONCE),
    Math.ceil(pages.length / PAGES_AT_ONCE),
  );
  return Array.from({ length: count }, (_, part) => [
    ...rowColumns(slice(rows, part, MOST_AT_ONCE)),
    ...findingColumns(slice(findings, part, MOST_AT_ONCE)),
    ...pageColumns(slice(pages, part, PAGES_AT_ONCE)),
  ]);
}

function slice<Item>(items: readonly Item[], part: number, size: number): readonly Item[] {
  return items.slice(part * size, (part + 1) * size);
}

function rowColumns(rows: readonly Change[]): readonly Value[] {
  return [
    rows.map(({ table }) => table),
    rows.map(({ key }) => storable(key)),
    rows.map(({ value }) => (value === undefined ? null : JSON.stringify(value))),
  ];
}

function findingColumns(findings: readonly StoredFinding[]): readonly Value[] {
  const alerts = findings.map(({ finding }) => alertOf(finding));
  return [
    findings.map(({ at }) => at),
    findings.map(({ finding }) => finding.type),
    findings.map(({ finding }) => JSON.stringify(finding)),
    alerts.map((alert) => (alert === undefined ? null : storable(alert))),
  ];
}

function pageColumns(pages: readonly Page[]): readonly Value[] {
  return [
    pages.map(({ at }) => at),
    pages.map(({ until }) => until),
    pages.map(({ whole }) => (whole ? 1 : 0)),
    pages.map(({ body }) => packPage(body)),
  ];
}
