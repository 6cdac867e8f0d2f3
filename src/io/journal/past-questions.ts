import { constants, inflateRawSync } from "node:zlib";
import type { DatabaseSync } from "node:sqlite";
import { HOME } from "../../domain/lease.ts";
import { usingZlib } from "../process/endable-thread.ts";
import type { Row } from "./database.ts";
import { instantIn, type JournalPast, type JournalReading, type Restart } from "./past.ts";
import { packedPage, pagesOf, RECORD_UNITS, unitOfPage } from "./record-pages.ts";
import { storedFinding, storedFindings } from "./rows.ts";

const MOST_RESTARTS = 500;
/** A chapter's first page begins with its reason. */
const OPENING_BYTES = 400;

/** As much of an alert's past as a person reads. */
const MOST_HISTORY = 500;

/** How many findings of all types are searched for orders: that takes some milliseconds. */
const MOST_SEARCHED = 20_000;
const ORDERS = [
  "proposed",
  "withdrawn",
  "command",
  "policy",
  "kill",
  "hold",
  "quarantine",
  "storm",
] as const;

/** A question about the past: its SQL, which SQLite and PostgreSQL read the same, its values, and its answer. */
type Question<Asked extends readonly unknown[], Answer> = {
  readonly sql: string | ((...asked: Asked) => string);
  readonly answer: (rows: readonly Row[], ...asked: Asked) => Answer;
} & (Asked extends readonly Value[]
  ? // Left out: just what is asked.
    { readonly values?: ValuesOf<Asked> }
  : { readonly values: ValuesOf<Asked> });

type Value = string | number;
type ValuesOf<Asked extends readonly unknown[]> = (...asked: Asked) => readonly Value[];

type Questions = {
  readonly [Name in keyof JournalPast]: Question<
    Parameters<JournalPast[Name]>,
    ReturnType<JournalPast[Name]>
  >;
};

const QUESTIONS: Questions = {
  findings: {
    sql: "SELECT at, body FROM finding ORDER BY seq DESC LIMIT ?",
    answer: storedFindings,
  },
  historyOf: {
    sql: `SELECT at, body FROM finding WHERE alert = ? AND at <= ? ORDER BY at DESC, seq DESC LIMIT ${MOST_HISTORY}`,
    answer: storedFindings,
  },
  orders: {
    sql: `SELECT at, body FROM (
       SELECT seq, at, type, body FROM finding WHERE at >= ? AND at <= ?
       ORDER BY at DESC, seq DESC LIMIT ${MOST_SEARCHED}
     ) AS searched WHERE type IN (${ORDERS.map((type) => `'${type}'`).join(", ")})
     ORDER BY at DESC, seq DESC LIMIT ${MOST_HISTORY}`,
    answer: storedFindings,
  },
  between: {
    sql: ({ types }) => `SELECT seq, at,
       CASE WHEN type IN (${types.map((type) => `'${type}'`).join(", ") || "NULL"}) THEN body END AS body
     FROM finding WHERE at >= ? AND (at, seq) < (?, ?)
     ORDER BY at DESC, seq DESC LIMIT ?`,
    values: ({ from, until, before }, searched) =>
      before !== undefined && before.at <= until
        ? [from, before.at, before.seq, searched]
        : [from, until, Number.MAX_SAFE_INTEGER, searched],
    answer: (rows, _, searched) => {
      const found = rows.filter(({ body }) => body !== null);
      const last = rows.length < searched ? undefined : rows.at(-1);
      return {
        found: found.map((row) => ({ ...storedFinding(row), seq: Number(row["seq"]) })),
        next: last && { at: Number(last["at"]), seq: Number(last["seq"]) },
      };
    },
  },
  alertsAfter: {
    // Goes from key to key by the index, so that the number of findings does not matter.
    sql: `WITH RECURSIVE keys (alert, number) AS (
       SELECT min(alert), 1 FROM finding WHERE alert > ?
       UNION ALL
       SELECT (SELECT min(alert) FROM finding WHERE alert > keys.alert), number + 1
       FROM keys WHERE keys.alert IS NOT NULL AND number < ?
     )
     SELECT keys.alert AS key, (
       SELECT at FROM finding WHERE finding.alert = keys.alert AND at <= ? AND type = 'alert' ORDER BY at DESC LIMIT 1
     ) AS moved_at, (
       SELECT body FROM finding WHERE finding.alert = keys.alert AND at <= ? AND type = 'alert'
       ORDER BY at DESC, seq DESC LIMIT 1
     ) AS moved_body, (
       SELECT at FROM finding WHERE finding.alert = keys.alert AND at <= ? ORDER BY at DESC LIMIT 1
     ) AS at, (
       SELECT body FROM finding WHERE finding.alert = keys.alert AND at <= ? ORDER BY at DESC, seq DESC LIMIT 1
     ) AS body, (
       SELECT min(at) FROM finding WHERE finding.alert = keys.alert AND at <= ? AND at > (
         SELECT other.at FROM finding AS other
         WHERE other.alert = keys.alert AND other.at <= ? AND other.type <> 'unconfirmed'
         ORDER BY other.at DESC LIMIT 1
       )
     ) AS unconfirmed_since FROM keys WHERE keys.alert IS NOT NULL ORDER BY keys.alert`,
    values: (key, until, limit) => [key, limit, ...Array.from({ length: 6 }, () => until)],
    answer: (rows, _key, _until, limit) => {
      const found = rows
        .filter((row) => row["moved_body"] !== null)
        .map((row) => ({
          moved: storedFinding({ at: row["moved_at"], body: row["moved_body"] }),
          last: storedFinding(row),
          unconfirmedSince: instantIn(row["unconfirmed_since"]),
        }));
      const last = rows.length < limit ? undefined : (rows.at(-1)?.["key"] as string | undefined);
      return { found, next: last };
    },
  },
  restarts: {
    sql: `SELECT at, substr(body, 1, ${OPENING_BYTES}) AS opening FROM record
     WHERE whole = 1 AND at >= ? AND at <= ? AND seq < ${pagesOf(HOME)[1]} ORDER BY at DESC LIMIT ${MOST_RESTARTS}`,
    answer: (rows) => rows.flatMap(restartOf),
  },
  reachesBackTo: {
    sql: "SELECT min(at) AS at FROM finding",
    answer: ([row]) => instantIn(row?.["at"]),
  },
  recordUnits: {
    sql: RECORD_UNITS,
    answer: (rows) => rows.map(({ seq }) => unitOfPage(Number(seq))),
  },
  recordSpan: {
    // Instants grow with the numbers of a unit, which have the index.
    sql: `SELECT (SELECT at FROM record WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT 1) AS first,
       (SELECT until FROM record WHERE seq >= ? AND seq < ? ORDER BY seq DESC LIMIT 1) AS last`,
    values: (unit = HOME) => [...pagesOf(unit), ...pagesOf(unit)],
    answer: ([row]) => {
      const { first = null, last } = row ?? {};
      return first === null ? undefined : { firstAt: Number(first), lastAt: Number(last) };
    },
  },
  chapterAt: {
    sql: `SELECT coalesce(max(seq), ?) AS seq FROM record
     WHERE whole = 1 AND at <= ? AND seq >= ? AND seq < ?`,
    values: (at, unit) => [pagesOf(unit)[0], at, ...pagesOf(unit)],
    answer: ([row]) => Number(row?.["seq"]),
  },
  pagesFrom: {
    sql: "SELECT seq, at, until, whole, body FROM record WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT ?",
    values: (seq, limit) => [seq, pagesOf(unitOfPage(seq))[1], limit],
    answer: (rows) => rows.map(packedPage),
  },
};

/**
 * Answers every question. `ask` gets the SQL and its values, and gives what `answer` makes of the rows; if it gives that
 * later, so do the answers.
 */
export function answeredBy(
  ask: (
    sql: string,
    values: ReadonlyArray<string | number>,
    answer: (rows: readonly Row[]) => unknown,
  ) => unknown,
): JournalReading {
  const questions: Readonly<Record<string, Question<never[], unknown>>> = QUESTIONS;
  const answers = Object.entries(questions).map(([name, { sql, values, answer }]) => [
    name,
    (...asked: never[]) =>
      ask(typeof sql === "string" ? sql : sql(...asked), values?.(...asked) ?? asked, (rows) =>
        answer(rows, ...asked),
      ),
  ]);
  return Object.fromEntries(answers) as JournalReading;
}

export function pastOf(database: DatabaseSync): JournalPast {
  return answeredBy((sql, values, answer) =>
    answer(database.prepare(sql).all(...values)),
  ) as JournalPast;
}

/** None if the chapter continues the one before, or is damaged. */
function restartOf(row: Row): Restart[] {
  const [, why] = OPENING.exec(beginOf(row["opening"] as Uint8Array)) ?? [];
  return why === "start" || why === "gap" ? [{ at: Number(row["at"]), why }] : [];
}

const OPENING = /^\[\{"t":"open","dt":0,"why":"(start|gap)"/;

/** The text in the first bytes of a page; empty if it is damaged. */
function beginOf(opening: Uint8Array): string {
  const bytes = Buffer.from(opening);
  if (bytes[0] !== 0) return bytes.toString();
  try {
    const limits = { finishFlush: constants.Z_SYNC_FLUSH };
    return usingZlib(() => inflateRawSync(bytes.subarray(1), limits)).toString();
  } catch {
    return "";
  }
}
